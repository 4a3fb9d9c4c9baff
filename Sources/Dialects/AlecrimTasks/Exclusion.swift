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
    func enter(_ task: TaskID, _ categories: [String]) -> ExclusionLines.Turn? {
        state.withLock { $0.lines.enter(task, categories) }
    }

    /// Calls `action` when the task has its turn, which may be at once. Never calls it if the task leaves before its turn. A turn lasts
    /// until the task leaves.
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

/// One line of tasks for each category, in order of arrival.
///
/// A task enters the lines of all its categories at once and has its turn when it is first in each. So the task that arrived first always
/// has its turn, and no deadlock is possible.
struct ExclusionLines {
    /// The category in which a task waits, and the task before it.
    struct Turn: Equatable {
        let category: String
        let predecessor: TaskID
    }

    private var lines: [String: [TaskID]] = [:]
    private var categories: [TaskID: Set<String>] = [:]

    var isEmpty: Bool { lines.isEmpty && categories.isEmpty }

    /// Adds a task to the end of these lines. Returns its place in the first line that is not empty; nil if the task has its turn.
    mutating func enter(_ task: TaskID, _ names: [String]) -> Turn? {
        precondition(categories[task] == nil, "task \(task.rawValue) stands in line already")
        categories[task] = Set(names)
        var turn: Turn?
        for name in names where lines[name]?.last != task {
            if turn == nil, let last = lines[name]?.last { turn = Turn(category: name, predecessor: last) }
            lines[name, default: []].append(task)
        }
        return turn
    }

    func isInLine(_ task: TaskID) -> Bool {
        categories[task] != nil
    }

    func hasTurn(_ task: TaskID) -> Bool {
        categories[task]?.allSatisfy { lines[$0]?.first == task } ?? false
    }

    /// Removes a task from its lines. Returns the tasks that now have their turn.
    mutating func leave(_ task: TaskID) -> [TaskID] {
        guard let names = categories.removeValue(forKey: task) else { return [] }
        var successors: Set<TaskID> = []
        for name in names {
            guard let index = lines[name]?.firstIndex(of: task) else { continue }
            lines[name]?.remove(at: index)
            guard let first = lines[name]?.first else {
                lines[name] = nil
                continue
            }
            if index == 0 { successors.insert(first) }
        }
        return successors.filter(hasTurn).sorted()
    }
}
