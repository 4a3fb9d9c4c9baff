import TaskEvents
import TraceAnalysis
import TraceStore

/// The cancellations: each with the code that asked for it, and the tasks that it reached.
extension TextReport {
    private static let cancellationLimit = 10
    private static let reachedLimit = 8

    func cancellations() -> [String] {
        let paths = CancellationAnalysis(store).paths()
        guard !paths.isEmpty else { return [] }
        let shown = Array(paths.prefix(Self.cancellationLimit))
        return heading(CountText.text(paths.count, "cancellation")) + lines(of: shown) + (paths.count > shown.count ? [""] : [])
            + more(paths.count - shown.count, "cancellation")
    }

    /// The lines of all cancellations. Their tasks share one table, so that the columns line up.
    private func lines(of paths: [CancellationPath]) -> [String] {
        let sentence = CancellationSentence(store, isASCII: isASCII)
        var table = TextTable([.init(), .init(isNumber: true), .init(limit: 28), .init()], isASCII: isASCII)
        for path in paths {
            for step in path.steps.prefix(Self.reachedLimit) { table.append(cells(of: step, sentence)) }
        }
        var rows = table.lines(indent: 4).map { $0.shortened(to: Self.width, ellipsis) }[...]
        var lines: [String] = []
        for path in paths {
            if !lines.isEmpty { lines.append("") }
            lines.append("  at \(duration(path.at)): \(sentence.beginning(of: path))".shortened(to: Self.width, ellipsis))
            let count = min(path.steps.count, Self.reachedLimit)
            lines += rows.prefix(count)
            rows.removeFirst(count)
            if path.steps.count > count { lines.append("    \(ellipsis) \(CountText.text(path.steps.count - count, "more task"))") }
        }
        return lines
    }

    private func cells(of step: CancellationPath.Step, _ sentence: CancellationSentence) -> [String] {
        guard let task = store.task(step.task) else { return ["", "\(step.task.rawValue)"] }
        return [DisplayedState(task).badge.text(isASCII: isASCII), "\(task.id.rawValue)", words.name(of: task), sentence.text(of: step)]
    }
}
