import TaskEvents

/// What the task list is put into groups by.
package enum TaskGrouping: String, CaseIterable, Sendable {
    case none, state, executor, name, chain

    var next: TaskGrouping {
        let all = Self.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
}

/// Tasks of the list that stand together under a heading.
package struct TaskGroup: Hashable, Sendable {
    /// What they have in common.
    package enum Name: Hashable, Sendable {
        case state(UInt8)
        case executor(ExecutorID)
        /// Nil for tasks that the program gave no name.
        case name(String?)
        case chain(TaskID)
    }

    package var name: Name
    /// Their places among the tasks in order.
    package var tasks: Range<Int>
}

/// The rows of the task list: tasks in order, under a heading each group; a folded group is its heading alone.
package struct TaskListRows {
    package enum Row: Hashable, Sendable {
        case task(TaskID)
        case heading(TaskGroup, isFolded: Bool)
    }

    package private(set) var tasks: [TaskID] = []
    package private(set) var groups: [TaskGroup] = []
    private var folded: Set<TaskGroup.Name> = []
    /// The row of each group's heading.
    private var headings: [Int] = []
    package private(set) var count = 0

    init() {}

    init(_ tasks: [TaskID], _ groups: [TaskGroup], folded: Set<TaskGroup.Name>) {
        self.tasks = tasks
        self.groups = groups
        fold(folded)
    }

    mutating func fold(_ names: Set<TaskGroup.Name>) {
        folded = names
        headings.removeAll(keepingCapacity: true)
        count = groups.isEmpty ? tasks.count : 0
        for group in groups {
            headings.append(count)
            count += 1 + (folded.contains(group.name) ? 0 : group.tasks.count)
        }
    }

    package subscript(row: Int) -> Row {
        guard !groups.isEmpty else { return .task(tasks[row]) }
        let index = Self.last(of: headings) { $0 <= row }
        let group = groups[index]
        if row == headings[index] { return .heading(group, isFolded: folded.contains(group.name)) }
        return .task(tasks[group.tasks.lowerBound + row - headings[index] - 1])
    }

    /// The row that a task is in: its own, or its folded group's heading.
    package func row(of task: TaskID) -> Int? {
        guard let place = tasks.firstIndex(of: task) else { return nil }
        guard !groups.isEmpty else { return place }
        let index = Self.last(of: groups) { $0.tasks.lowerBound <= place }
        return folded.contains(groups[index].name) ? headings[index] : headings[index] + 1 + place - groups[index].tasks.lowerBound
    }

    /// The group that a row belongs to; nil where there are none.
    package func group(at row: Int) -> TaskGroup? {
        groups.isEmpty ? nil : groups[Self.last(of: headings) { $0 <= row }]
    }

    /// The task that a row stands for: a heading for the first of its group.
    package func task(at row: Int) -> TaskID {
        switch self[row] {
        case .task(let task): task
        case .heading(let group, _): tasks[group.tasks.lowerBound]
        }
    }

    /// The nearest row from `row` on that can be selected, in one direction and, where the list ends, back: headings of groups that are not
    /// folded cannot.
    func selectable(from row: Int, step: Int) -> Int? {
        var row = row
        while (0..<count).contains(row) {
            guard case .heading(_, isFolded: false) = self[row] else { return row }
            row += step
        }
        return step < 0 && count > 0 ? selectable(from: 0, step: 1) : nil
    }

    private static func last<Element>(of elements: [Element], where isBefore: (Element) -> Bool) -> Int {
        var low = 0
        var high = elements.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if isBefore(elements[middle]) { low = middle } else { high = middle }
        }
        return low
    }
}
