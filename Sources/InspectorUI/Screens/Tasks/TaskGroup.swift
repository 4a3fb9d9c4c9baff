import TaskEvents

/// The criterion by which the task list is grouped.
package enum TaskGrouping: String, CaseIterable, Sendable {
    case none, state, executor, name
    case site = "place"
    case chain
    /// The tasks of each library in a group, which is folded at first. The list has it instead of ``none`` if libraries made tasks.
    case library

    /// Those that a user chooses from. The place comes first: it shows what grows.
    package static let allCases: [TaskGrouping] = [.none, .site, .state, .executor, .name, .chain]

    var next: TaskGrouping {
        let all = Self.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
}

/// Consecutive tasks of the list under one heading.
package struct TaskGroup: Hashable, Sendable {
    /// The common property of the group's tasks.
    package enum Name: Hashable, Sendable {
        case state(UInt8)
        case executor(ExecutorID)
        /// Nil for unnamed tasks.
        case name(String?)
        /// The file and the line. Empty if the place is unknown.
        case site(String)
        case chain(TaskID)
        /// Empty for the program's own tasks.
        case library(String)
    }

    package var name: Name
    /// The indices of its tasks in the sorted list.
    package var tasks: Range<Int>
}

/// The groups of a list in order, stored as numbers with names, because a list by chains has hundreds of thousands of groups.
package struct TaskGroups: RandomAccessCollection, Hashable, Sendable {
    private let grouping: TaskGrouping
    /// The names for the numbers of executors, names and places.
    private let names: [TaskGroup.Name]
    /// The group numbers in ascending order.
    private var numbers: [UInt64] = []
    /// For each group, the index after its last task.
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

    /// The index of a group's first task. After the last group, the index after that group's last task.
    func start(of index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }

    /// The index of the group with this name.
    func index(of name: TaskGroup.Name) -> Int? {
        guard let number = number(of: name) else { return nil }
        let index = numbers.partitioningIndex { $0 >= number }
        return index < numbers.count && numbers[index] == number ? index : nil
    }

    /// The group of a task, by the task's index in the list.
    func index(ofTask index: Int) -> Int { ends.partitioningIndex { $0 > index } }

    /// Adds the next group, by its number and the index after its last task.
    mutating func append(_ number: UInt64, until end: Int) {
        numbers.append(number)
        ends.append(end)
    }

    private func name(of number: UInt64) -> TaskGroup.Name {
        switch grouping {
        case .none, .state: .state(UInt8(truncatingIfNeeded: number))
        case .chain: .chain(TaskID(rawValue: number))
        case .executor, .name, .site, .library: names[Int(number)]
        }
    }

    private func number(of name: TaskGroup.Name) -> UInt64? {
        switch name {
        case .state(let rank): grouping == .state ? UInt64(rank) : nil
        case .chain(let chain): grouping == .chain ? chain.rawValue : nil
        case .executor, .name, .site, .library: names.firstIndex(of: name).map { UInt64($0) }
        }
    }
}
