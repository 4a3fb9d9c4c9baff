import TaskEvents
import TraceStore

/// By what the task list is sorted.
package struct TaskSort: Hashable, Sendable {
    package var column = TaskColumn.state
    /// From the great to the small.
    package var isReversed = false

    package init(column: TaskColumn = .state, isReversed: Bool = false) {
        self.column = column
        self.isReversed = isReversed
    }

    /// The direction that is of use first: what takes longest, what hops most.
    static func startsReversed(_ column: TaskColumn) -> Bool {
        switch column {
        case .mark, .total, .busy, .queued, .hops: true
        case .id, .state, .name, .executor, .next, .site: false
        }
    }
}

/// A task's place under a sort, as numbers: two words of key, and the task's id, the older first, where those are equal.
struct SortKey: Comparable {
    var major: UInt64
    var minor: UInt64
    var task: TaskID

    static func < (one: SortKey, other: SortKey) -> Bool {
        if one.major != other.major { return one.major < other.major }
        if one.minor != other.minor { return one.minor < other.minor }
        return one.task < other.task
    }
}

/// Makes keys, and remembers those of names: a program has few of them, and comparing texts of a million rows would not end.
struct SortKeys {
    let sort: TaskSort
    private var ofNames: [EntryID: TextKey] = [:]
    private var ofSites: [EntryID: TextKey] = [:]
    private var ofExecutors: [ExecutorID: TextKey] = [:]

    init(_ sort: TaskSort) {
        self.sort = sort
    }

    mutating func key(of task: TaskView, in store: TraceStore) -> SortKey {
        let key: TextKey =
            switch sort.column {
            case .mark: TextKey(number: UInt64(TaskMark(task)?.rank ?? 0))
            case .id: TextKey(number: 0)
            case .state: TextKey(number: UInt64(StateRank(task).rawValue))
            case .name: name(of: task)
            case .executor: executor(of: task, in: store)
            case .total: TextKey(number: task.total(at: store.now) ?? 0)
            case .busy: TextKey(number: task.busy)
            case .queued: TextKey(number: task.queuedTime)
            case .hops: TextKey(number: UInt64(task.hopCount))
            case .next: TextKey(number: task.next(in: store).map { $0.other.rawValue } ?? .max)
            case .site: site(of: task)
            }
        // Ids themselves turn round only where they are what is sorted by: tasks that are alike stay in their order.
        if sort.column == .id { return SortKey(major: sort.isReversed ? ~task.id.rawValue : task.id.rawValue, minor: 0, task: task.id) }
        return SortKey(
            major: sort.isReversed ? ~key.major : key.major, minor: sort.isReversed ? ~key.minor : key.minor, task: task.id)
    }

    private mutating func name(of task: TaskView) -> TextKey {
        remembered(in: \.ofNames, task.labelID) { TextKey(task.label.name) }
    }

    private mutating func site(of task: TaskView) -> TextKey {
        remembered(in: \.ofSites, task.labelID) {
            let label = task.label
            let file = label.file.split(separator: "/").last.map(String.init) ?? ""
            return TextKey(file, number: label.line)
        }
    }

    private mutating func executor(of task: TaskView, in store: TraceStore) -> TextKey {
        let id = task.executor
        return remembered(in: \.ofExecutors, id) {
            // Tasks of no executor come last, as they have nothing to say in this column.
            id == .none ? TextKey(number: .max) : TextKey(store.description(of: id).name)
        }
    }

    private mutating func remembered<ID: Hashable>(
        in table: WritableKeyPath<SortKeys, [ID: TextKey]>, _ id: ID, _ make: () -> TextKey
    ) -> TextKey {
        if let known = self[keyPath: table][id] { return known }
        let key = make()
        self[keyPath: table][id] = key
        return key
    }
}

/// The beginning of a text as two numbers that compare as the text does.
private struct TextKey {
    var major: UInt64
    var minor: UInt64 = 0

    init(number: UInt64) {
        major = number
    }

    /// The first sixteen bytes.
    init(_ text: String) {
        major = 0
        var bytes = text.utf8.makeIterator()
        for _ in 0..<8 { major = major << 8 | UInt64(bytes.next() ?? 0) }
        for _ in 0..<8 { minor = minor << 8 | UInt64(bytes.next() ?? 0) }
    }

    /// The first twelve bytes, then a number.
    init(_ text: String, number: UInt32) {
        self.init(text)
        minor = minor & ~0xFFFF_FFFF | UInt64(number)
    }
}

/// What is looked for first: tasks that run, then those that could, then those that wait; of the ended ones the failures first.
enum StateRank: UInt8 {
    case running, suspended, queued, pending, faulted, cancelled, skipped, succeeded

    init(_ task: TaskView) {
        self =
            switch task.state {
            case .running: .running
            case .suspended: .suspended
            case .queued: .queued
            case .pending: .pending
            case .faulted: task.isSkipped ? .skipped : .faulted
            case .cancelled: task.isSkipped ? .skipped : .cancelled
            case .succeeded: task.isSkipped ? .skipped : .succeeded
            }
    }
}
