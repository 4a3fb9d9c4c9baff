import TaskEvents

/// Who has the turn in each category, and who waits for it, in the order they came.
///
/// A task enters the lines of all its categories at once and has its turn when it is first in each. So there is always one that has: the
/// one that has been there longest.
struct ExclusionLines {
    /// Where a task waits, and for whom.
    struct Place: Equatable {
        let category: String
        let predecessor: TaskID
    }

    private var lines: [String: [TaskID]] = [:]
    private var categories: [TaskID: Set<String>] = [:]

    var isEmpty: Bool { lines.isEmpty && categories.isEmpty }

    /// Puts the task at the end of these lines. Its place in the first where somebody stands before it; nil if it has its turn.
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

    /// Takes the task out of its lines, whether it has its turn or waits for it. The answer is who has their turn by that.
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
