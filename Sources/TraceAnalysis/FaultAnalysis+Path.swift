import TaskEvents
import TraceStore

extension FaultAnalysis {
    /// The path of the error that began in `origin`. Nil if the store does not keep that task, or if the task has not failed.
    ///
    /// Iterative, so a chain of a million links needs no stack. A circle of links, which only a damaged trace has, ends the search. The
    /// search stops after `limit` steps, and the path is then partial.
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

    /// The origin of the error that a task ended with. For a task without an error, the origin of the error of the first failed task that
    /// it continues or gathers. Nil if there is none.
    package func origin(of task: TaskID) -> TaskID? {
        guard var step = store.task(task) else { return nil }
        if step.state != .faulted {
            guard let failed = step.antecedents.lazy.compactMap({ store.task($0) }).first(where: { $0.state == .faulted }) else {
                return nil
            }
            step = failed
        }
        // A source is older than the task that takes its error, so the loop ends.
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
