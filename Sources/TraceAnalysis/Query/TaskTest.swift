import TaskEvents
import TraceStore

/// One question to a task. A class each, so that asking a million tasks copies nothing.
class TaskTest {
    /// How much it costs, next to the others.
    var cost: Int { 0 }

    func fits(_ task: TaskView) -> Bool {
        preconditionFailure("\(type(of: self)) asks nothing")
    }
}

final class StateTest: TaskTest {
    /// A bit for each ``TaskState``.
    private let bits: UInt8
    private let asksForSkipped: Bool

    init(_ states: Set<QueryState>) {
        bits = TaskState.allCases.reduce(0) { bits, state in
            let isAsked = states.contains { $0.rawValue == state.name || $0 == (state.hasEnded ? .ended : .live) }
            return isAsked ? bits | 1 << state.rawValue : bits
        }
        asksForSkipped = states.contains(.skipped)
    }

    override func fits(_ task: TaskView) -> Bool {
        bits & 1 << task.state.rawValue != 0 || asksForSkipped && task.isSkipped
    }
}

final class KindTest: TaskTest {
    /// A bit for each ``TaskKind``.
    private let bits: UInt16

    init(_ bits: UInt16) {
        self.bits = bits
    }

    override func fits(_ task: TaskView) -> Bool {
        bits & 1 << UInt16(task.kind.rawValue) != 0
    }
}

/// Asks of a name or a site, once each.
final class LabelTest: TaskTest {
    private let ask: (Label) -> Bool
    private let answers: AnswerTable

    init(in store: TraceStore, _ ask: @escaping (Label) -> Bool) {
        self.ask = ask
        answers = AnswerTable(count: store.entries.count)
    }

    override var cost: Int { 1 }

    override func fits(_ task: TaskView) -> Bool {
        answers.answer(task.labelID.rawValue) { ask(task.label) }
    }
}

final class ExecutorTest: TaskTest {
    private let text: TextTest
    private let store: TraceStore
    private let answers = AnswerTable(count: 1 << 16)

    init(_ text: TextTest, in store: TraceStore) {
        self.text = text
        self.store = store
    }

    override var cost: Int { 1 }

    override func fits(_ task: TaskView) -> Bool {
        let id = task.executor
        guard id != .none else { return false }
        return answers.answer(UInt32(id.rawValue)) { text.fits(store.description(of: id).name) }
    }
}

final class ErrorTest: TaskTest {
    private let text: TextTest
    private let store: TraceStore
    private let answers: AnswerTable

    init(_ text: TextTest, in store: TraceStore) {
        self.text = text
        self.store = store
        answers = AnswerTable(count: store.entries.count)
    }

    override var cost: Int { 1 }

    override func fits(_ task: TaskView) -> Bool {
        guard task.state == .faulted else { return false }
        let id = task.error
        return answers.answer(id.rawValue) { text.fits(ErrorText.text(store.entries.error(id))) }
    }
}

/// A text wherever it may stand.
final class FreeTest: TaskTest {
    private let label: LabelTest
    private let executor: ExecutorTest
    private let error: ErrorTest
    /// A bit for each ``TaskState``.
    private let states: UInt8
    private let fitsSkipped: Bool

    init(_ text: TextTest, in store: TraceStore) {
        states = TaskState.allCases.reduce(0) { text.fits($1.name) ? $0 | 1 << $1.rawValue : $0 }
        fitsSkipped = text.fits("skipped")
        label = LabelTest(in: store) { text.fits($0.name) }
        executor = ExecutorTest(text, in: store)
        error = ErrorTest(text, in: store)
    }

    override var cost: Int { 3 }

    override func fits(_ task: TaskView) -> Bool {
        (task.isSkipped ? fitsSkipped : states & 1 << task.state.rawValue != 0) || label.fits(task) || executor.fits(task)
            || error.fits(task)
    }
}

/// Asks of a chain once, whichever of its tasks comes first.
final class ChainTest: TaskTest {
    private let sign: QuerySign
    private let numbers: [UInt64]
    private let answers: AnswerTable

    init(_ sign: QuerySign, _ numbers: [UInt64], in store: TraceStore) {
        self.sign = sign
        self.numbers = numbers
        answers = AnswerTable(count: UInt32(clamping: store.keptCount))
    }

    override var cost: Int { 1 }

    override func fits(_ task: TaskView) -> Bool {
        answers.answer(UInt32(task.chainRow) + 1) { numbers.contains { sign.holds(task.chain.rawValue, $0) } }
    }
}

final class NumberTest: TaskTest {
    private let field: QueryField
    private let sign: QuerySign
    private let numbers: [UInt64]
    private let now: UInt64

    init(_ field: QueryField, _ sign: QuerySign, _ numbers: [UInt64], now: UInt64) {
        self.field = field
        self.sign = sign
        self.numbers = numbers
        self.now = now
    }

    override var cost: Int { 2 }

    override func fits(_ task: TaskView) -> Bool {
        guard let number = number(of: task) else { return false }
        for asked in numbers where sign.holds(number, asked) { return true }
        return false
    }

    private func number(of task: TaskView) -> UInt64? {
        switch field {
        case .id: return task.id.rawValue
        case .total:
            guard let created = task.created else { return nil }
            let end = task.ended ?? now
            return end > created ? end - created : 0
        case .busy: return task.busy
        case .queued: return task.queuedTime
        case .suspended: return task.suspendedTime
        case .hops: return UInt64(task.hopCount)
        case .next: return UInt64(task.successorCount)
        case .state, .kind, .on, .name, .site, .error, .warn, .chain: return nil
        }
    }
}

/// Whether it is one of some tasks: a bit each, in the range of their numbers.
final class NamedTasksTest: TaskTest {
    private let tasks: Set<TaskID>
    private let first: UInt64
    private let bits: [UInt64]

    /// So many bits at most: two megabytes. Beyond that the set is asked.
    private static let limit: UInt64 = 1 << 24

    init(_ tasks: Set<TaskID>) {
        self.tasks = tasks
        let numbers = tasks.lazy.map(\.rawValue)
        let (first, last) = (numbers.min() ?? 0, numbers.max() ?? 0)
        self.first = first
        var bits: [UInt64] = []
        if last - first < Self.limit {
            bits = Array(repeating: 0, count: Int((last - first) / 64) + 1)
            for number in numbers { bits[Int((number - first) / 64)] |= 1 << ((number - first) % 64) }
        }
        self.bits = bits
    }

    override var cost: Int { 1 }

    override func fits(_ task: TaskView) -> Bool {
        if bits.isEmpty { return tasks.contains(task.id) }
        let (number, isBefore) = task.id.rawValue.subtractingReportingOverflow(first)
        guard !isBefore, number / 64 < UInt64(bits.count) else { return false }
        return bits[Int(number / 64)] & 1 << (number % 64) != 0
    }
}

/// Whether a text fits one of some: as a part of it, or as the whole.
struct TextTest {
    private let parts: [String]
    private let patterns: [NamePattern]

    /// The texts are in lower case.
    init(_ sign: QuerySign, _ texts: [String]) {
        parts = sign == .contains ? texts : []
        patterns = sign == .contains ? [] : texts.map(NamePattern.init)
    }

    func fits(_ text: String) -> Bool {
        let text = text.lowercased()
        return parts.contains { text.contains($0) } || patterns.contains { $0.matches(text) }
    }
}

/// Answers by number, each asked for once. Number 0, and those past the table's end, are asked each time.
private final class AnswerTable {
    /// 0 for one that was not asked, 1 for no, 2 for yes.
    private let answers: UnsafeMutablePointer<UInt8>
    private let count: UInt32

    /// Room for so many, and as many as may come.
    init(count: UInt32) {
        self.count = count * 2 + 1024
        answers = .allocate(capacity: Int(self.count))
        answers.initialize(repeating: 0, count: Int(self.count))
    }

    deinit {
        answers.deallocate()
    }

    @inline(__always)
    func answer(_ number: UInt32, _ ask: () -> Bool) -> Bool {
        guard number > 0, number < count else { return ask() }
        let known = answers[Int(number)]
        if known != 0 { return known == 2 }
        let answer = ask()
        answers[Int(number)] = answer ? 2 : 1
        return answer
    }
}
