import TaskEvents
import TraceAnalysis
import TraceStore

/// The output for a terminal or a build log.
extension CheckResult {
    /// The maximum number of evidence lines per finding.
    private static let evidenceLimit = 8

    /// Writes each rule and place once: the number of its findings, and the first of them. JSON and JUnit have all.
    func writeText(to output: inout some TextOutputStream) {
        for group in groups {
            let finding = group[0]
            let severity = failOn.includes(finding.rule) ? finding.severity.name : "note"
            let subject = [name(of: finding.task), site(of: finding)].compactMap(\.self).map(PrintableText.text)
                .joined(separator: " at ")
            let message = PrintableText.text(finding.message)
            let site = finding.group.isEmpty ? "" : " at \(PrintableText.text(finding.group))"
            let times = group.count > 1 ? "\(site), \(CountText.text(group.count)) times, the first" : ""
            output.write("\(severity): \(finding.rule)\(times): \(subject.isEmpty ? message : "\(subject): \(message)")\n")
            let limit = finding.evidenceLimit ?? Self.evidenceLimit
            for evidence in finding.evidence.prefix(limit) {
                let name = name(of: evidence.task).map { PrintableText.text($0) + ": " } ?? ""
                output.write("    \(name)\(PrintableText.text(evidence.text))\n")
            }
            let more = finding.evidence.count - limit
            if more > 0 { output.write("    … and \(CountText.text(more)) more\n") }
        }
        writeSummary(to: &output)
    }

    /// The findings by rule and place, in the order of the first of each.
    private var groups: [[ReportedFinding]] {
        struct Kind: Hashable {
            var rule: String
            var site: String
        }
        var indices: [Kind: Int] = [:]
        var groups: [[ReportedFinding]] = []
        for finding in findings {
            // Findings without a place have only their sentences in common.
            let kind = Kind(rule: finding.rule, site: finding.group.isEmpty ? finding.message : finding.group)
            if let index = indices[kind] {
                groups[index].append(finding)
            } else {
                indices[kind] = groups.count
                groups.append([finding])
            }
        }
        return groups
    }

    /// A rule of the check that needs the program's end has not passed without it.
    private var verdictWithoutFailure: String {
        guard checks.contains(where: { failOn.includes($0.rule) && $0.needsMissingEnd }) else {
            return openText.map { "passed, but \($0)" } ?? "passed"
        }
        return "no verdict, nothing found until \(DurationText.text(store.now)): the trace ends before the program"
    }

    private func writeSummary(to output: inout some TextOutputStream) {
        let name = PrintableText.text(program.isEmpty ? "unnamed program" : program)
        let checked = [taskCount.map { CountText.text($0, "task") }, CountText.text(rules.count, "rule")].compactMap(\.self)
            .joined(separator: ", ")
        let failing = findings.lazy.filter { failOn.includes($0.rule) }.count
        let verdict = failing > 0 ? "failed, \(CountText.text(failing, "finding"))" : verdictWithoutFailure
        let others = findings.count - failing
        let noted = others > 0 ? ", \(CountText.text(others)) noted" : ""
        output.write("\(name): \(verdict)\(noted) (\(checked))\n")
        // A finding that fails has said what is wrong.
        if failing == 0 { for sentence in openSentences { output.write("Open: \(sentence)\n") } }
        if store.lostCount > 0 {
            output.write("\(CountText.text(store.lostCount, "record")) lost: what they recorded was not checked.\n")
        }
        if store.evictedCount > 0 {
            output.write("\(CountText.text(store.evictedCount, "ended task")) no longer kept: not checked.\n")
        }
        if let unchecked = checks.uncheckedText { output.write("Not checked: \(unchecked).\n") }
    }
}
