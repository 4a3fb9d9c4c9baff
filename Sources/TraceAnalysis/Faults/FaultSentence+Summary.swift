import TaskEvents
import TraceStore

/// A summary of an error's whole path, for a reader who knows nothing of it.
extension FaultSentence {
    /// A sentence lists at most this many names and counts the others.
    private static let namesShown = 3

    /// One sentence each for the task that failed first, the skipped tasks of chains, and the tasks that handled the error: `` `save` on
    /// net failed first. `submit` was skipped. `report` on main read the error and returned a value: recovered. ``
    package func summary(of path: FaultPath) -> String {
        [beginning(of: path), skips(of: path), ending(of: path)].compactMap { $0 }.joined(separator: " ")
    }

    private func beginning(of path: FaultPath) -> String {
        guard let origin = store.task(path.origin) else { return "The task in which it began is not kept any more." }
        return path.steps.first?.role == .injected
            ? "The inspector made \(subject(origin)) fail." : "\(beginner(origin)) failed first."
    }

    /// ``An `async let` of `load(_:)` on global, `fetch(_:)`,``: the child has the name of the function that made it.
    private func beginner(_ task: TaskView) -> String {
        guard task.kind == .asyncLet else { return subject(task) }
        let function = store.entries.function(ofError: task.error).map { ", in `\(PrintableText.text($0))`," } ?? ""
        return "An `async let` of \(subject(task))\(function)"
    }

    /// Nil for a path of Swift tasks, which have no continuations to skip.
    private func skips(of path: FaultPath) -> String? {
        let tasks = path.steps.compactMap { store.task($0.task) }
        guard tasks.isEmpty || tasks.contains(where: { !$0.kind.isOfSwift }) else { return nil }
        let skipped = tasks.filter(\.isSkipped)
        guard !skipped.isEmpty else { return "Nothing was skipped\(path.isPartial ? " in the steps shown" : "")." }
        return "\(names(of: skipped.map { "`\(words.name(of: $0))`" })) \(skipped.count == 1 ? "was" : "were") skipped."
    }

    private func ending(of path: FaultPath) -> String {
        switch path.verdict {
        case .recovered:
            return "\(subjects(with: .recovered, on: path)) read the error and returned a value: recovered."
        case .read:
            let readers = tasks(with: .read, on: path) { !$0.carriesError(of: $1) }
            guard !readers.isEmpty else {
                let endsProgram = path.steps.contains { store.task($0.task)?.endedTheProgram ?? false }
                return endsProgram ? "It ended the program." : "It was read outside of the tasks: read."
            }
            let isCancelled = readers.allSatisfy { $0.state == .cancelled }
            return "\(names(of: readers.map(subject))) read the error and \(isCancelled ? "ended cancelled" : "went on"): read."
        case .pending:
            let open = path.steps.filter { $0.role == nil }.compactMap { store.task($0.task) }
            // In a trace that ends before the program, code can read the error later without a task that awaits it.
            guard !open.isEmpty else { return "No task had read it when the trace ended." }
            return "No task has read it yet; \(names(of: open.map(subject))) will have it."
        case .swallowed:
            let bodies = tasks(with: .swallowed, on: path) { !$0.carriesError(of: $1) }
            guard !bodies.isEmpty else { return "It was never read, and a join continued without it: swallowed." }
            return "\(names(of: bodies.map(subject))) ran without looking at it: swallowed."
        case .unobserved:
            return "It was never read: unobserved."
        case .unknown:
            return "What became of it is unknown\(path.blindness.map { ": \($0.reason)" } ?? "")."
        }
    }

    private func subjects(with role: FaultRole, on path: FaultPath) -> String {
        names(of: tasks(with: role, on: path) { _, _ in true }.map(subject))
    }

    /// The tasks with this role for which `matches` holds. `matches` gets each task and the task from which it got the error.
    private func tasks(with role: FaultRole, on path: FaultPath, _ matches: (TaskView, TaskView) -> Bool) -> [TaskView] {
        path.steps.filter { $0.role == role }.compactMap { step in
            guard let task = store.task(step.task), let source = store.task(step.from) else { return nil }
            return matches(task, source) ? task : nil
        }
    }

    /// `a`, `a and b`, `a, b and c`, `a, b and 98 more`.
    private func names(of names: [String]) -> String {
        guard names.count > 1 else { return names.first ?? "no task" }
        guard names.count > Self.namesShown else { return names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1] }
        let shown = names.prefix(Self.namesShown - 1)
        return shown.joined(separator: ", ") + " and \(CountText.text(names.count - shown.count)) more"
    }
}
