import TaskEvents

/// Task ids in ascending order, in runs of at most ``runLimit``. An insertion or a removal moves a few hundred ids, whatever the total
/// number.
struct SortedTasks {
    static let runLimit = 512

    private var runs: ContiguousArray<ContiguousArray<TaskID>> = []

    init(_ tasks: TaskID...) {
        for task in tasks { insert(task) }
    }

    var last: TaskID? { runs.last?.last }
    var hasSeveral: Bool { runs.count > 1 || runs.first?.count ?? 0 > 1 }

    func visitAll(_ body: (TaskID) -> Void) {
        for run in runs { for task in run { body(task) } }
    }

    /// The greatest id below `task`.
    func last(before task: TaskID) -> TaskID? {
        let run = runs.partition { $0[0] >= task } - 1
        return run < 0 ? nil : runs[run][runs[run].partition { $0 >= task } - 1]
    }

    mutating func insert(_ task: TaskID) {
        if runs.isEmpty { runs.append([]) }
        var run = max(0, runs.partition { ($0.first ?? .none) > task } - 1)
        var index = runs[run].partition { $0 >= task }
        guard index == runs[run].count || runs[run][index] != task else { return }
        if runs[run].count == Self.runLimit {
            // Ids mostly arrive in order, so a full last run stays full.
            let cut = index == Self.runLimit ? index : Self.runLimit / 2
            let moved = ContiguousArray(runs[run][cut...])
            runs[run].removeSubrange(cut...)
            runs.insert(moved, at: run + 1)
            if index >= cut {
                index -= cut
                run += 1
            }
        }
        runs[run].insert(task, at: index)
    }

    mutating func remove(_ task: TaskID) {
        let run = runs.partition { $0[0] > task } - 1
        guard run >= 0 else { return }
        let index = runs[run].partition { $0 >= task }
        guard index < runs[run].count, runs[run][index] == task else { return }
        runs[run].remove(at: index)
        if runs[run].isEmpty { runs.remove(at: run) }
    }
}

extension ContiguousArray {
    /// The same as `partitioningIndex`, which the compiler cannot specialise from another module. Each link that is placed asks for it.
    fileprivate func partition(where isAfter: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
