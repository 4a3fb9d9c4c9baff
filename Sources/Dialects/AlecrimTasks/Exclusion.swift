import TaskEvents

/// The process's waiting lines, one for each category name. Any thread may use them.
///
/// The original has one semaphore for each category and takes them one by one. Two tasks that name two categories in opposite orders can
/// therefore deadlock there, and a task that names a category twice always does. Here a task enters all its lines at once.
final class Exclusion: Sendable {
    static let shared = Exclusion()

    private struct State {
        var lines = ExclusionLines()
        var actions: [TaskID: @Sendable () -> Void] = [:]
    }

    private let state = Guarded(State())

    /// Adds a task to the lines of these categories. Returns its place if it must wait.
    func enter(_ task: TaskID, _ categories: [String]) -> ExclusionLines.Place? {
        state.withLock { $0.lines.enter(task, categories) }
    }

    /// Calls `action` when the task has its turn, which may be at once; never if it leaves before. A turn lasts until the task leaves.
    func whenTurnComes(for task: TaskID, _ action: @escaping @Sendable () -> Void) {
        let hasTurn = state.withLock { state in
            if state.lines.hasTurn(task) { return true }
            if state.lines.isInLine(task) { state.actions[task] = action }
            return false
        }
        if hasTurn { action() }
    }

    /// Removes a task from its lines, whether it has its turn or waits. Does nothing for other tasks.
    func leave(_ task: TaskID) {
        let (_, next) = state.withLock { state in
            let abandoned = state.actions.removeValue(forKey: task)
            return (abandoned, state.lines.leave(task).compactMap { state.actions.removeValue(forKey: $0) })
        }
        for action in next { action() }
    }
}
