import TaskEvents

/// The lines of the process, since a category is its name wherever it is used. Any thread may use them.
///
/// The original keeps a semaphore a category and takes them one after the other, so that two tasks with two categories in opposite orders
/// wait for each other for ever, as one does that names a category twice. Here neither can happen.
final class Exclusion: Sendable {
    static let shared = Exclusion()

    private struct State {
        var lines = ExclusionLines()
        var actions: [TaskID: @Sendable () -> Void] = [:]
    }

    private let state = Guarded(State())

    /// Puts a task into the lines of these categories. Its place where it has to wait, so that it can be said before the turn comes.
    func enter(_ task: TaskID, _ categories: [String]) -> ExclusionLines.Place? {
        state.withLock { $0.lines.enter(task, categories) }
    }

    /// Calls `action` when the task has its turn: here and now if it has; never if it leaves before. The turn is its own until it leaves.
    func whenTurnComes(for task: TaskID, _ action: @escaping @Sendable () -> Void) {
        let hasTurn = state.withLock { state in
            if state.lines.hasTurn(task) { return true }
            if state.lines.isInLine(task) { state.actions[task] = action }
            return false
        }
        if hasTurn { action() }
    }

    /// Gives up the task's turn, or its wait for it; without effect for one that has neither.
    func leave(_ task: TaskID) {
        let (_, next) = state.withLock { state in
            let abandoned = state.actions.removeValue(forKey: task)
            return (abandoned, state.lines.leave(task).compactMap { state.actions.removeValue(forKey: $0) })
        }
        for action in next { action() }
    }
}
