import TaskEvents

/// The folded groups of the task list: the named groups, or all except the named ones.
package struct FoldedGroups: Hashable, Sendable {
    private(set) var areAll = false
    /// The groups whose state differs from `areAll`.
    private(set) var exceptions: Set<TaskGroup.Name> = []

    /// The libraries whose tasks have been in the list.
    private var libraries: Set<String> = []

    /// Folds the groups of libraries that are new in the list.
    mutating func foldNewLibraries(_ groups: TaskGroups) {
        for group in groups {
            guard case .library(let library) = group.name, !library.isEmpty, libraries.insert(library).inserted, !areAll else { continue }
            toggle(group.name)
        }
    }

    mutating func fold(all: Bool) { (areAll, exceptions) = (all, []) }

    /// Folds a group, or unfolds it.
    mutating func toggle(_ group: TaskGroup.Name) {
        if exceptions.remove(group) == nil { exceptions.insert(group) }
    }

    func contains(_ group: TaskGroup.Name) -> Bool { areAll != exceptions.contains(group) }
}

/// The folded groups of one list. It avoids a visit to each group, because there can be hundreds of thousands.
struct GroupFolds {
    private var areAll = false
    /// The exceptions among the list's groups in ascending order, each with the total number of tasks up to and including it.
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

    /// The row of a group's heading. After the last group, the number of rows.
    func row(ofGroup group: Int, in groups: TaskGroups) -> Int {
        let next = exceptions.partitioningIndex { $0.group >= group }
        let tasks = next == 0 ? 0 : exceptions[next - 1].tasks
        return group + (areAll ? tasks : groups.start(of: group) - tasks)
    }
}
