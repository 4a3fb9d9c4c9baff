import TaskEvents
import TraceAnalysis
import TraceStore

/// The faults: each with its error, its outcome, and the tasks that it reached.
extension TextReport {
    func faults() -> [String] {
        var shown: [FaultPath] = []
        var counts = FaultCounts()
        for fault in FaultAnalysis(store).faults() {
            counts.add(fault.verdict)
            if shown.count < Self.faultLimit { shown.append(fault) }
        }
        let count = counts.total
        guard count > 0 else { return ["", "No faults"] }
        let headline = heading("\(counts.text): \(counts.verdicts)")
        return headline + lines(of: shown) + (count > shown.count ? [""] : []) + more(count - shown.count, "fault")
    }

    /// The lines of all faults. Their steps share one table, so that the columns line up.
    private func lines(of faults: [FaultPath]) -> [String] {
        let shown = faults.map { shownSteps(of: $0) }
        var table = TextTable(
            [.init(), .init(isNumber: true), .init(limit: 24), .init(limit: 22), .init(isNumber: true), .init()], isASCII: isASCII)
        for steps in shown {
            for step in steps { table.append(cells(of: step)) }
        }
        var steps = table.lines(indent: 4).map { $0.shortened(to: Self.width, ellipsis) }[...]
        var lines: [String] = []
        for (fault, shown) in zip(faults, shown) {
            if !lines.isEmpty { lines.append("") }
            lines.append(headline(of: fault))
            let left = fault.steps.count - shown.count
            lines += steps.prefix(left > 0 ? Self.firstSteps : shown.count)
            if left > 0 {
                lines.append("    \(ellipsis) \(CountText.text(left, "more task"))")
                lines += steps.prefix(shown.count).suffix(Self.lastSteps)
            }
            steps.removeFirst(shown.count)
        }
        return lines
    }

    private func shownSteps(of fault: FaultPath) -> [FaultStep] {
        guard fault.steps.count > Self.firstSteps + Self.lastSteps else { return fault.steps }
        return fault.steps.prefix(Self.firstSteps) + fault.steps.suffix(Self.lastSteps)
    }

    private func headline(of fault: FaultPath) -> String {
        let description = store.entries.error(fault.error)
        let error = ErrorText.text(description)
        let time = store.task(fault.origin)?.ended.map { " at \(duration($0))" } ?? ""
        let site = description?.site ?? ""
        let end = "\(time)\(site.isEmpty ? "" : ", thrown in \(PrintableText.text(site))"): \(fault.verdict.name)"
        return "  \(error.shortened(to: Self.width - end.count - 2, ellipsis))\(end)"
    }

    /// The text for a step without a role: the task has yet to receive the error, or the trace does not show what the task did with it.
    private func open(_ step: FaultStep, _ task: TaskView) -> String {
        let source = store.task(step.from)
        if source.map({ task.hasReceivedError(of: $0) }) ?? task.state.hasEnded { return "unknown whether it read the error" }
        return store.isOver ? "had not got the error" : "will take the error"
    }

    private func cells(of step: FaultStep) -> [String] {
        guard let task = store.task(step.task) else { return ["unknown", "\(step.task.rawValue)"] }
        let badge = DisplayedState(task).badge
        let site = step.site(in: store)
        let again = site.isEmpty ? "thrown again" : "thrown again in \(PrintableText.text(site))"
        if step.isAgain { return ["", "\(task.id.rawValue)", words.name(of: task), "", "", again] }
        let passed = step.role == .forwarded && !site.isEmpty ? ", \(again)" : ""
        let role = (words.role(step.role, of: task) ?? open(step, task)) + passed
        let wait = words.wait(of: task, isASCII: isASCII).map { ", \($0)" } ?? ""
        return [
            badge.text(isASCII: isASCII), "\(task.id.rawValue)", words.name(of: task), words.executor(of: task, isASCII: isASCII),
            duration(task.started == nil ? nil : task.busy), role + wait,
        ]
    }
}
