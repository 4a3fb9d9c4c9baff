import TraceAnalysis

/// The findings of the rules: one paragraph per kind, independent of the number of findings.
extension TextReport {
    func warnings() -> [String] {
        let unchecked = list.checks.uncheckedText.map { wrapped("Not checked: \($0).", indent: 2) } ?? []
        let suppressed =
            list.suppressedCount > 0 ? ["  \(CountText.text(list.suppressedCount, "finding")) suppressed by the settings"] : []
        guard !list.isEmpty || list.missedEvents > 0 else { return ["", "No findings"] + suppressed + unchecked }
        let counts = WarningSeverity.allCases.map { ($0, list.count(of: $0)) }.filter { $0.1 > 0 }
            .map { severity, count in CountText.text(count, severity.name) }
        var lines = heading("\(CountText.text(list.count, "finding"))\(counts.isEmpty ? "" : ": " + counts.joined(separator: ", "))")
        for group in list.groups.prefix(Self.warningLimit) {
            lines.append("  \(group.severity.name): \(group.rule)\(group.site.isEmpty ? "" : " at \(group.site)")\(times(group))")
            lines += wrapped(list.message(of: group.first, in: store, isASCII: isASCII), indent: 4)
        }
        lines += more(list.groups.count - Self.warningLimit, "kind")
        lines += suppressed
        if list.missedEvents > 0 {
            lines.append("  ! \(CountText.text(list.missedEvents, "early event")) happened before the rules could see them.")
        }
        return lines + unchecked
    }

    private func times(_ group: WarningGroup) -> String {
        group.count == 1 ? "" : ", \(CountText.text(group.count)) times, the first:"
    }

    /// Wraps the words to the report's width.
    func wrapped(_ text: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= Self.width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(margin + word)
            }
        }
        return lines
    }
}
