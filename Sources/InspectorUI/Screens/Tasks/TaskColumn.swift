import TerminalCanvas

/// The columns of the task list, in the order in which they stand unless the user moves them.
package enum TaskColumn: Int, CaseIterable, Sendable {
    case mark, id, state, name, executor, total, busy, queued, hops, next, site

    var title: String {
        switch self {
        case .mark: "!"
        case .id: "ID"
        case .state: "State"
        case .name: "Name"
        case .executor: "Executor"
        case .total: "Total"
        case .busy: "Busy"
        case .queued: "Queued"
        case .hops: "Hops"
        case .next: "Next"
        case .site: "Site"
        }
    }

    /// The least width that is of use.
    var width: Int {
        switch self {
        case .mark: 1
        case .id: 6
        case .state: 11
        case .name: 16
        case .executor: 10
        case .total, .busy, .queued: 8
        case .hops: 4
        case .next: 16
        case .site: 18
        }
    }

    var alignment: Alignment {
        switch self {
        case .id, .total, .busy, .queued, .hops: .right
        case .mark, .state, .name, .executor, .next, .site: .left
        }
    }

    /// Which columns a narrow screen keeps: the first come first.
    fileprivate static let byImportance: [TaskColumn] = [.name, .state, .id, .mark, .total, .executor, .queued, .busy, .next, .hops, .site]

    /// How many parts of the columns left over it takes; texts grow, numbers do not.
    fileprivate var growth: Int {
        switch self {
        case .name: 3
        case .next, .site: 2
        case .mark, .id, .state, .executor, .total, .busy, .queued, .hops: 0
        }
    }
}

/// Which columns the task list has, in which order: as the user wants them.
package struct TaskColumns: Hashable, Sendable {
    /// All of them, in their order from left to right.
    package private(set) var order = TaskColumn.allCases
    package var hidden: Set<TaskColumn> = []

    package init() {}

    /// Columns that are not among `order` stand behind those that are.
    package init(order: [TaskColumn], hidden: Set<TaskColumn>) {
        var seen: Set<TaskColumn> = []
        self.order = (order + TaskColumn.allCases).filter { seen.insert($0).inserted }
        self.hidden = hidden
    }

    /// Moves a column past the next one that is shown, to the left or to the right; false at the end.
    mutating func move(_ column: TaskColumn, by step: Int) -> Bool {
        guard let place = order.firstIndex(of: column) else { return false }
        var other = place + step
        while order.indices.contains(other), hidden.contains(order[other]) { other += step }
        guard order.indices.contains(other) else { return false }
        order.remove(at: place)
        order.insert(column, at: other)
        return true
    }

    /// The columns that fit into a width, with their places in it: a blank between each two, and one before the first.
    func fit(_ width: Int) -> [(column: TaskColumn, place: Range<Int>)] {
        var kept: Set<TaskColumn> = []
        var left = width - 1
        for column in TaskColumn.byImportance where !hidden.contains(column) {
            // Names are read more often than sites, and grow first.
            guard left >= column.width + 1 + (column == .site ? 12 : 0) else { break }
            kept.insert(column)
            left -= column.width + 1
        }
        let columns = order.filter(kept.contains)
        let parts = columns.reduce(0) { $0 + $1.growth }
        var start = 1
        var partsBefore = 0
        return columns.map { column in
            // Dividing the running sum gives every column its part, and the last of them what rounding left.
            let before = parts == 0 ? 0 : left * partsBefore / parts
            partsBefore += column.growth
            let after = parts == 0 ? 0 : left * partsBefore / parts
            let place = start..<start + column.width + after - before
            start = place.upperBound + 1
            return (column, place)
        }
    }
}
