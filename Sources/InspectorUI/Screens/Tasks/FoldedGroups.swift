/// Which groups of the task list are their headings alone: some, or all but some.
package struct FoldedGroups: Hashable, Sendable {
    private(set) var areAll = false
    /// Those with which it is the other way round.
    private(set) var exceptions: Set<TaskGroup.Name> = []

    static let all = FoldedGroups(areAll: true)

    /// Folds a group, or unfolds it.
    mutating func toggle(_ group: TaskGroup.Name) {
        if exceptions.remove(group) == nil { exceptions.insert(group) }
    }

    func contains(_ group: TaskGroup.Name) -> Bool { areAll != exceptions.contains(group) }
}

/// Where the groups of a list are, some of which are folded: without looking at each, of which there may be hundreds of thousands.
struct GroupFolds {
    private var areAll = false
    /// The exceptions among the list's groups, ascending, and how many tasks these and those before them have.
    private var exceptions: [(group: Int, tasks: Int)] = []

    init() {}

    init(_ folded: FoldedGroups, of groups: TaskGroups) {
        areAll = folded.areAll
        var tasks = 0
        for index in folded.exceptions.compactMap(groups.index).sorted() {
            tasks += groups[index].tasks.count
            exceptions.append((index, tasks))
        }
    }

    func isFolded(_ group: Int) -> Bool {
        let next = exceptions.partitioningIndex { $0.group >= group }
        return areAll != (next < exceptions.count && exceptions[next].group == group)
    }

    /// The row of a group's heading; behind the last group, how many rows there are.
    func row(ofGroup group: Int, in groups: TaskGroups) -> Int {
        let next = exceptions.partitioningIndex { $0.group >= group }
        let tasks = next == 0 ? 0 : exceptions[next - 1].tasks
        return group + (areAll ? tasks : groups.start(of: group) - tasks)
    }
}
