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
        // If the other error is lost, this one need not be.
        let replacement = verdict.isUnread ? walk.replacer.map { Blindness.replacement($0) } : nil
        guard !verdict.isProven, let blindness = sight.blindness(to: steps.map(\.task), unclear: walk.unclear, in: store) ?? replacement
        else {
            return FaultPath(
                origin: origin, error: task.error, steps: withThrows(steps), verdict: verdict, isPartial: walk.isPartial)
        }
        return FaultPath(
            origin: origin, error: task.error, steps: withThrows(steps.map(withoutGuess)), verdict: .unknown, blindness: blindness,
            isPartial: walk.isPartial)
    }

    /// Whether nothing read the error that began in `origin`, as ``path(from:limit:)`` would say. An error that another one replaced is not
    /// known to be unread, so the search ends there: in a chain of replaced errors, it takes one step for each.
    func isUnread(from origin: TaskView) -> Bool {
        var walk = FaultWalk(self, from: origin, limit: .max)
        walk.run(stopsAtReplacement: true)
        guard walk.replacer == nil, walk.verdict.isUnread else { return false }
        return sight.blindness(to: walk.path.map(\.task), unclear: walk.unclear, in: store) == nil
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
        // Only a damaged trace has a circle of sources.
        var seen: Set<TaskID> = [step.id]
        while !isBeginning(step), let source = store.task(step.faultSource), seen.insert(source.id).inserted { step = source }
        return step.id
    }

    /// Adds the places of the throws. An error's throws are numbered over all tasks that it passed through.
    private func withThrows(_ steps: [FaultStep]) -> [FaultStep] {
        guard steps.contains(where: { throwCount(of: $0) > 0 }) else { return steps }
        var all: [FaultStep] = []
        var known: [TaskID: Int] = [:]
        for var step in steps {
            let before = known[step.from] ?? 0
            let count = throwCount(of: step)
            known[step.task] = max(before, count)
            if count > before { step.thrown = before }
            all.append(step)
            guard count > before + 1 else { continue }
            for number in before + 1..<count {
                all.append(FaultStep(task: step.task, role: .forwarded, from: step.task, thrown: number))
            }
        }
        return all
    }

    /// The number of known throws of the error that the step's task ended with. 0 if that is another error than the one on the path.
    private func throwCount(of step: FaultStep) -> Int {
        guard let task = store.task(step.task), task.state == .faulted else { return 0 }
        guard step.from == .none || task.faultManner == .forwarded else { return 0 }
        return store.entries.throwCount(of: task.error)
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
