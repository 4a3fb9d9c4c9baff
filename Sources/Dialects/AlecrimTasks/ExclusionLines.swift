import TaskEvents

/// One line of tasks for each category, in order of arrival.
///
/// A task enters the lines of all its categories at once and has its turn when it is first in each. So the task that arrived first always
/// has its turn, and no deadlock is possible.
struct ExclusionLines {
    /// The category in which a task waits, and the task before it.
    struct Place: Equatable {
        let category: String
        let predecessor: TaskID
    }

    private var lines: [String: [TaskID]] = [:]
    private var categories: [TaskID: Set<String>] = [:]

    var isEmpty: Bool { lines.isEmpty && categories.isEmpty }

    /// Adds a task to the end of these lines. Returns its place in the first line that is not empty; nil if the task has its turn.
    mutating func enter(_ task: TaskID, _ names: [String]) -> Place? {
        precondition(categories[task] == nil, "task \(task.rawValue) stands in line already")
        categories[task] = Set(names)
        var place: Place?
        for name in names where lines[name]?.last != task {
            if place == nil, let last = lines[name]?.last { place = Place(category: name, predecessor: last) }
            lines[name, default: []].append(task)
        }
        return place
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
