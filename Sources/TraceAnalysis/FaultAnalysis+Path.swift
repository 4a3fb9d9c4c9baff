import TaskEvents
import TraceStore

extension FaultAnalysis {
    /// The path of the error that began in `origin`; nil if the store does not keep that task, or the task has not failed.
    ///
    /// Iterative: a chain of a million links costs no stack. A circle of links, which only a damaged trace has, ends the search. Past
    /// `limit` steps it is given up, and the path is partial.
    package func path(from origin: TaskID, limit: Int = .max) -> FaultPath? {
        guard let task = store.task(origin), task.state == .faulted else { return nil }
        var walk = FaultWalk(self, from: task, limit: limit)
        walk.run()
        let (steps, verdict) = (walk.path, walk.verdict)
        guard !verdict.isProven, let blindness = sight.blindness(to: steps, in: store) else {
            return FaultPath(origin: origin, error: task.error, steps: steps, verdict: verdict, isPartial: walk.isPartial)
        }
        return FaultPath(
            origin: origin, error: task.error, steps: steps.map(withoutGuess), verdict: .unknown, blindness: blindness,
            isPartial: walk.isPartial)
    }

    /// The origin of the error that a task ended with, or else of the error of the first failed task that it continues or gathers. Nil where
    /// there is none.
    package func origin(of task: TaskID) -> TaskID? {
        guard var step = store.task(task) else { return nil }
        if step.state != .faulted {
            guard let failed = step.antecedents.lazy.compactMap({ store.task($0) }).first(where: { $0.state == .faulted }) else {
                return nil
            }
            step = failed
        }
        // A source is older than the task that takes its error, so this ends.
        while !isOrigin(step), let source = store.task(step.faultSource), source.id < step.id { step = source }
        return step.id
    }

    /// The step without a role that rests on the absence of a read.
    private func withoutGuess(_ step: FaultStep) -> FaultStep {
        switch step.role {
        case .swallowed, .unobserved:
            FaultStep(task: step.task, role: store.task(step.task).flatMap { carriedRole(of: $0) }, from: step.from)
        case .recovered, .read, .thrown, .injected, .forwarded, .transformed, nil: step
        }
    }
}
