import TraceAnalysis

/// What a check of a whole program comes to, each of whose processes left a trace: the busiest first, then the others.
package struct CheckResults {
    let results: [CheckResult]

    /// `others` in the order in which they are to be told.
    package init(_ busiest: CheckResult, others: [CheckResult] = []) {
        results = [busiest] + others
    }

    /// Whether there is a finding in any process that the check is to fail on.
    package var hasFailed: Bool {
        results.contains(where: \.hasFailed)
    }

    /// Why rules that are required could not be checked, a sentence each process and rule. Empty if all were.
    package func missing(_ required: [CheckRule]) -> [String] {
        results.flatMap { result in
            required.compactMap { rule in
                result.obstacle(to: rule).map { "\(rule.rawValue) could not be checked in \(PrintableText.text(result.program)): \($0)." }
            }
        }
    }

    package func write(_ format: CheckResult.Format, to output: inout some TextOutputStream) {
        switch format {
        case .text: for result in results { result.writeText(to: &output) }
        case .json: writeJSON(to: &output)
        case .junit: writeJUnit(to: &output)
        }
    }

    /// The object of the busiest, which has those of the others in itself.
    private func writeJSON(to output: inout some TextOutputStream) {
        var line = JSONLine()
        line.begin("{")
        results[0].writeFields(to: &line, flushingTo: &output)
        line.begin("[", "others")
        for result in results.dropFirst() {
            line.begin("{")
            result.writeFields(to: &line, flushingTo: &output)
            line.end("}")
        }
        line.end("]")
        line.end("}")
        line.flush(to: &output)
        output.write("\n")
    }

    /// A suite a process.
    private func writeJUnit(to output: inout some TextOutputStream) {
        let tests = results.reduce(0) { $0 + $1.testCount }
        let failures = results.reduce(0) { $0 + $1.failureCount }
        output.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        output.write("<testsuites name=\"hopscope check\" \(CheckResult.counts(tests: tests, failures: failures))>\n")
        for result in results { result.writeSuite(to: &output) }
        output.write("</testsuites>\n")
    }
}
