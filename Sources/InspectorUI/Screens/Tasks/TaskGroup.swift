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

/// The groups of a list, in their order: numbers, of which a list by chains has hundreds of thousands, and what they are called.
package struct TaskGroups: RandomAccessCollection, Hashable, Sendable {
    private let grouping: TaskGrouping
    /// What the numbers of executors and names stand for.
    private let names: [TaskGroup.Name]
    /// Ascending.
    private var numbers: [UInt64] = []
    /// The places behind the last task of each.
    private var ends: [Int] = []

    init(_ grouping: TaskGrouping = .none, names: [TaskGroup.Name] = []) {
        self.grouping = grouping
        self.names = names
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { numbers.count }

    package subscript(index: Int) -> TaskGroup {
        TaskGroup(name: name(of: numbers[index]), tasks: start(of: index)..<ends[index])
    }

    /// The place of a group's first task; behind the last group, that behind the last task.
    func start(of index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }

    /// Where a group of that name is.
    func index(of name: TaskGroup.Name) -> Int? {
        guard let number = number(of: name) else { return nil }
        let index = numbers.partitioningIndex { $0 >= number }
        return index < numbers.count && numbers[index] == number ? index : nil
    }

    /// The group that a task is in, by the task's place in the list.
    func index(ofTask place: Int) -> Int { ends.partitioningIndex { $0 > place } }

    /// Adds the group that comes next, by its number and the place behind its last task.
    mutating func append(_ number: UInt64, until end: Int) {
        numbers.append(number)
        ends.append(end)
    }

    private func name(of number: UInt64) -> TaskGroup.Name {
        switch grouping {
        case .none, .state: .state(UInt8(truncatingIfNeeded: number))
        case .chain: .chain(TaskID(rawValue: number))
        case .executor, .name: names[Int(number)]
        }
    }

    private func number(of name: TaskGroup.Name) -> UInt64? {
        switch name {
        case .state(let rank): grouping == .state ? UInt64(rank) : nil
        case .chain(let chain): grouping == .chain ? chain.rawValue : nil
        case .executor, .name: names.firstIndex(of: name).map { UInt64($0) }
        }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element is behind a border, in a collection that begins with those before it.
    func partitioningIndex(isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
