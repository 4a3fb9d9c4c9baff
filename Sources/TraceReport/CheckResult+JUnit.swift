import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

/// The output for build servers: JUnit's XML. A rule without findings is a passed test, or a skipped test if it could not be checked. A
/// finding is a failed test, or a passed test with a note if `--fail-on` does not include its rule.
extension CheckResult {
    var failureCount: Int {
        findings.lazy.filter { failOn.includes($0.rule) }.count
    }

    var testCount: Int {
        let found = Set(findings.map(\.rule))
        return findings.count + rules.lazy.filter { !found.contains($0) }.count
    }

    /// The number of rules without findings that could not be checked. They count as skipped, not as passed.
    private var skippedCount: Int {
        let found = Set(findings.map(\.rule))
        return rules.lazy.filter { !found.contains($0) && obstacle(to: $0) != nil }.count
    }

    static func counts(tests: Int, failures: Int) -> String {
        "tests=\"\(tests)\" failures=\"\(failures)\" errors=\"0\""
    }

    func writeSuite(to output: inout some TextOutputStream) {
        let found = Set(findings.map(\.rule))
        let counts = Self.counts(tests: testCount, failures: failureCount)
        let name = XMLText.text(PrintableText.text(program.isEmpty ? "unnamed program" : program))
        output.write("  <testsuite name=\"\(name)\" \(counts) skipped=\"\(skippedCount)\" time=\"\(seconds(store.now))\">\n")
        for rule in rules {
            guard found.contains(rule) else {
                output.write("    <testcase classname=\"\(XMLText.text(rule))\" name=")
                if let why = obstacle(to: rule) {
                    output.write(
                        "\"not checked\">\n      <skipped message=\"\(XMLText.text(PrintableText.text(why)))\"/>\n    </testcase>\n")
                } else {
                    output.write("\"no findings\"/>\n")
                }
                continue
            }
            for finding in findings where finding.rule == rule { write(finding, to: &output) }
        }
        if let openText {
            let lines = ["\(openText):"] + openSentences
            output.write("    <system-out>\(lines.map(XMLText.text).joined(separator: "\n"))</system-out>\n")
        }
        output.write("  </testsuite>\n")
    }

    private func write(_ finding: ReportedFinding, to output: inout some TextOutputStream) {
        let text = { (text: String) in XMLText.text(PrintableText.text(text)) }
        let name = name(of: finding.task) ?? "the program"
        output.write("    <testcase classname=\"\(text(finding.rule))\" name=\"\(text(name))\"")
        if let place = place(of: finding) { output.write(" file=\"\(text(place.file))\" line=\"\(place.line)\"") }
        let isFailure = failOn.includes(finding.rule)
        if isFailure {
            output.write(">\n      <failure message=\"\(text(finding.message))\" type=\"\(text(finding.rule))\">")
        } else {
            output.write(">\n      <system-out>\(text(finding.message))")
        }
        for evidence in finding.evidence {
            let task = self.name(of: evidence.task).map { text($0) + ": " } ?? ""
            output.write("\n\(task)\(text(evidence.text))")
        }
        output.write(isFailure ? "</failure>\n    </testcase>\n" : "</system-out>\n    </testcase>\n")
    }

    private func seconds(_ nanoseconds: UInt64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return "\(whole)." + String(rest, digits: 9)
    }
}
