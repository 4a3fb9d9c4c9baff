import TaskEvents
import TraceAnalysis
import TraceStore

/// The output for a terminal or a build log.
extension CheckResult {
    /// The maximum number of evidence lines per finding.
    private static let evidenceLimit = 8
    /// The maximum number of findings shown per rule and place. All findings are counted.
    private static let findingLimit = 3

    private struct Kind: Hashable {
        var rule: CheckRule
        var site: String?
    }

    func writeText(to output: inout some TextOutputStream) {
        var shown: [Kind: Int] = [:]
        for finding in findings {
            let kind = Kind(rule: finding.rule, site: site(of: finding.task))
            shown[kind, default: 0] += 1
            guard shown[kind]! <= Self.findingLimit else { continue }
            let mark = failOn.includes(finding.rule) ? finding.severity.rawValue : "note"
            let place = [name(of: finding.task), kind.site].compactMap(\.self).map(PrintableText.text).joined(separator: " at ")
            let message = PrintableText.text(finding.message)
            output.write("\(mark): \(finding.rule.rawValue): \(place.isEmpty ? message : "\(place): \(message)")\n")
            for evidence in finding.evidence.prefix(Self.evidenceLimit) {
                let name = name(of: evidence.task).map { PrintableText.text($0) + ": " } ?? ""
                output.write("    \(name)\(PrintableText.text(evidence.text))\n")
            }
            let more = finding.evidence.count - Self.evidenceLimit
            if more > 0 { output.write("    … and \(CountText.text(more)) more\n") }
        }
        for rule in rules {
            let left = shown.lazy.filter { $0.key.rule == rule && $0.value > Self.findingLimit }.map {
                (site: $0.key.site, count: $0.value - Self.findingLimit)
            }
            for (site, count) in left.sorted(by: { ($0.site ?? "") < ($1.site ?? "") }) {
                let place = site.map { " at \(PrintableText.text($0))" } ?? ""
                output.write("… and \(CountText.text(count)) more of \(rule.rawValue)\(place)\n")
            }
        }
        writeSummary(to: &output)
    }

    private func writeSummary(to output: inout some TextOutputStream) {
        let name = PrintableText.text(program.isEmpty ? "unnamed program" : program)
        let checked = "\(CountText.text(store.taskCount, "task")), \(CountText.text(rules.count, "rule"))"
        let failing = findings.lazy.filter { failOn.includes($0.rule) }.count
        let verdict = failing > 0 ? "failed, \(CountText.text(failing, "finding"))" : "passed"
        let others = findings.count - failing
        let noted = others > 0 ? ", \(CountText.text(others)) noted" : ""
        output.write("\(name): \(verdict)\(noted) (\(checked))\n")
        if store.lostCount > 0 {
            output.write("\(CountText.text(store.lostCount, "record")) lost: what they said was not checked.\n")
        }
        if store.evictedCount > 0 {
            output.write("\(CountText.text(store.evictedCount, "ended task")) no longer kept: not checked.\n")
        }
        if let unchecked = checks.uncheckedText { output.write("Not checked: \(unchecked).\n") }
    }
}
