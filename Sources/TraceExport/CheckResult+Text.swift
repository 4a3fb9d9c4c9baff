import TaskEvents
import TraceAnalysis
import TraceStore

/// For a person at a terminal or in a build's log.
extension CheckResult {
    /// So much proof is shown of one finding.
    private static let evidenceLimit = 8

    func writeText(to output: inout some TextOutputStream) {
        for finding in findings {
            let mark = failOn.includes(finding.rule) ? finding.severity.rawValue : "note"
            let place = [name(of: finding.task), site(of: finding.task)].compactMap(\.self).map(PrintableText.text).joined(
                separator: " at ")
            let message = PrintableText.text(finding.message)
            output.write("\(mark): \(finding.rule.rawValue): \(place.isEmpty ? message : "\(place): \(message)")\n")
            for evidence in finding.evidence.prefix(Self.evidenceLimit) {
                let name = name(of: evidence.task).map { PrintableText.text($0) + ": " } ?? ""
                output.write("    \(name)\(PrintableText.text(evidence.text))\n")
            }
            let more = finding.evidence.count - Self.evidenceLimit
            if more > 0 { output.write("    … and \(CountText.text(more)) more\n") }
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
    }
}
