import TextOutput
import TraceAnalysis

/// The results of a check of a whole program, one per process that left a trace. The busiest process comes first.
package struct CheckResults {
    let results: [CheckResult]

    /// The order of `others` is the order of the output.
    package init(_ busiest: CheckResult, others: [CheckResult] = []) {
        results = [busiest] + others
    }

    /// Whether any finding in any process makes the check fail.
    package var hasFailed: Bool {
        results.contains(where: \.hasFailed)
    }

    /// The reasons why required rules could not be checked: one sentence per process and rule. Empty if all were checked.
    package func missing(_ required: [String]) -> [String] {
        results.flatMap { result in
            required.compactMap { rule in
                result.obstacle(to: rule).map { "\(rule) could not be checked in \(PrintableText.text(result.program)): \($0)." }
            }
        }
    }

    package func write(_ format: CheckResult.Format, to output: inout some TextOutputStream) {
        switch format {
        case .text: for result in results { result.writeText(to: &output) }
        case .json: writeJSON(to: &output)
        case .junit: writeJUnit(to: &output)
        case .sarif: writeSARIF(to: &output)
        }
    }

    /// Writes the object of the busiest process, which contains the objects of the others.
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

    /// Writes one run per process.
    private func writeSARIF(to output: inout some TextOutputStream) {
        var line = JSONLine()
        line.begin("{")
        line.field("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
        line.field("version", "2.1.0")
        line.begin("[", "runs")
        for result in results { result.writeRun(to: &line, flushingTo: &output) }
        line.end("]")
        line.end("}")
        line.flush(to: &output)
        output.write("\n")
    }

    /// Writes one test suite per process.
    private func writeJUnit(to output: inout some TextOutputStream) {
        let tests = results.reduce(0) { $0 + $1.testCount }
        let failures = results.reduce(0) { $0 + $1.failureCount }
        output.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        output.write("<testsuites name=\"hopscope check\" \(CheckResult.counts(tests: tests, failures: failures))>\n")
        for result in results { result.writeSuite(to: &output) }
        output.write("</testsuites>\n")
    }
}

extension CheckResult {
    package func write(_ format: Format, to output: inout some TextOutputStream) {
        CheckResults(self).write(format, to: &output)
    }
}
