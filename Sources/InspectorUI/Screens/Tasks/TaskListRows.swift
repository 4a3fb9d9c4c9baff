import TaskEvents

/// The rows of the task list: the sorted tasks, with one heading per group. A folded group shows only its heading.
package struct TaskListRows {
    package enum Row: Hashable, Sendable {
        case task(TaskID)
        case heading(TaskGroup, isFolded: Bool)
    }

    package private(set) var tasks: [TaskID] = []
    package private(set) var groups = TaskGroups()
    private var folds = GroupFolds()
    package private(set) var count = 0

    init() {}

    init(_ tasks: [TaskID], _ groups: TaskGroups, folded: FoldedGroups) {
        self.tasks = tasks
        self.groups = groups
        fold(folded)
    }

    mutating func fold(_ folded: FoldedGroups) {
        folds = GroupFolds(folded, of: groups)
        count = groups.isEmpty ? tasks.count : folds.row(ofGroup: groups.count, in: groups)
    }

    /// Whether there are groups and all of them are folded.
    var areAllFolded: Bool { count == groups.count }

    package subscript(row: Int) -> Row {
        guard !groups.isEmpty else { return .task(tasks[row]) }
        let index = groupIndex(at: row)
        let heading = folds.row(ofGroup: index, in: groups)
        if row == heading { return .heading(groups[index], isFolded: folds.isFolded(index)) }
        return .task(tasks[groups.start(of: index) + row - heading - 1])
    }

    /// The row of a task: its own row, or its folded group's heading.
    package func row(of task: TaskID) -> Int? {
        guard let position = tasks.firstIndex(of: task) else { return nil }
        guard !groups.isEmpty else { return position }
        let index = groups.index(ofTask: position)
        let heading = folds.row(ofGroup: index, in: groups)
        return folds.isFolded(index) ? heading : heading + 1 + position - groups.start(of: index)
    }

    /// The group of a row. Nil without groups.
    package func group(at row: Int) -> TaskGroup? {
        groups.isEmpty ? nil : groups[groupIndex(at: row)]
    }

    /// The task for a row. For a heading, the first task of its group.
    package func task(at row: Int) -> TaskID {
        switch self[row] {
        case .task(let task): task
        case .heading(let group, _): tasks[group.tasks.lowerBound]
        }
    }

    /// The nearest selectable row, beginning at `row` in one direction, and at the end of the list in the other. Headings of unfolded
    /// groups cannot be selected.
    func selectable(from row: Int, step: Int) -> Int? {
        var row = row
        while (0..<count).contains(row) {
            guard case .heading(_, isFolded: false) = self[row] else { return row }
            row += step
        }
        return step < 0 && count > 0 ? selectable(from: 0, step: 1) : nil
    }

    private func groupIndex(at row: Int) -> Int {
        groups.indices.partitioningIndex { folds.row(ofGroup: $0, in: groups) > row } - 1
    }
}
