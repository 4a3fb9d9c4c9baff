import TaskEvents
import TraceStore

/// One condition on tasks, tested on 64 at a time. Each test is a class, so that testing a million tasks copies nothing.
class TaskTest {
    /// The cost relative to the other tests.
    var cost: Int { 0 }

    /// The matching tasks of a block, one bit each. Bits past the block's last task have no meaning.
    func matches(_ block: borrowing TaskBlock) -> UInt64 {
        preconditionFailure("\(type(of: self)) asks nothing")
    }
}

/// One bit for each number for which the condition holds.
@inline(__always)
private func bits(_ numbers: UnsafePointer<UInt64>, _ count: Int, where matches: (UInt64) -> Bool) -> UInt64 {
    var bits: UInt64 = 0
    for index in 0..<count { bits |= (matches(numbers[index]) ? 1 : 0) << UInt64(index) }
    return bits
}

/// The bits among `asked` for whose places the condition holds.
@inline(__always)
private func ones(among asked: UInt64, where matches: (_ index: Int) -> Bool) -> UInt64 {
    var (left, ones) = (asked, 0 as UInt64)
    while left != 0 {
        let index = left.trailingZeroBitCount
        left &= left - 1
        if matches(index) { ones |= 1 << UInt64(index) }
    }
    return ones
}

final class StateTest: TaskTest {
    /// One bit for each accepted value of ``TaskFact/state``.
    private let asked: UInt64
    /// Whether an asynchronous `main` that has ended its program is accepted. The trace has no event of its end.
    private let asksForEnded: Bool
    private let isOver: Bool

    init(_ states: Set<QueryState>, in store: TraceStore) {
        (asksForEnded, isOver) = (states.contains(.ended), store.isOver)
        asked = TaskState.allCases.reduce(0) { bits, state in
            let isAsked = states.contains { $0.rawValue == state.name || $0 == (state.hasEnded ? .ended : .live) }
            let skipped: UInt64 = isAsked || states.contains(.skipped) ? 1 << UInt64(state.rawValue | 8) : 0
            return bits | skipped | (isAsked ? 1 << UInt64(state.rawValue) : 0)
        }
    }

    override func matches(_ block: borrowing TaskBlock) -> UInt64 {
        let states = block.read(.state)
        let found = bits(states, block.count) { asked >> $0 & 1 != 0 }
        guard isOver else { return found }
        let running = bits(states, block.count) { $0 & 7 == UInt64(TaskState.running.rawValue) }
        let ended = ones(among: running) { block[$0].isFinishedMain }
        return asksForEnded ? found | ended : found & ~ended
    }
}

final class KindTest: TaskTest {
    /// One bit for each ``TaskKind``.
    private let asked: UInt16

    init(_ bits: UInt16) {
        asked = bits
    }

    override func matches(_ block: borrowing TaskBlock) -> UInt64 {
        bits(block.read(.kind), block.count) { asked >> UInt16($0) & 1 != 0 }
    }
}

/// Tests each name or site once.
final class LabelTest: TaskTest {
    private let ask: (Label) -> Bool
    private let text: TextTest
    private let answers: AnswerTable

    /// - Parameter unnamed: the answer for tasks without a label. If nil, each such task is tested by its number.
    private init(in store: TraceStore, _ text: TextTest, unnamed: Bool?, _ ask: @escaping (Label) -> Bool) {
        self.ask = ask
        self.text = text
        answers = AnswerTable(count: store.entries.count, zero: unnamed)
    }

    static func ofName(_ text: TextTest, in store: TraceStore) -> LabelTest {
        LabelTest(in: store, text, unnamed: text.canMatch("task 0123456789") ? nil : false) {
            text.matches($0.fullName) || text.matches($0.name)
        }
    }

    static func ofSite(_ text: TextTest, in store: TraceStore) -> LabelTest {
        LabelTest(in: store, text, unnamed: text.matches("")) { text.matches($0.site) }
    }

    override var cost: Int { 1 }

    override func matches(_ block: borrowing TaskBlock) -> UInt64 {
        answers.bits(block.read(.label), block.all) { label, index in
            label == 0 ? text.matches(block[index].id.words) : ask(block[index].label)
        }
    }
}

final class ExecutorTest: TaskTest {
    private let text: TextTest
    private let store: TraceStore
    private let answers = AnswerTable(count: 1 << 16, zero: false)

    init(_ text: TextTest, in store: TraceStore) {
        self.text = text
        self.store = store
    }

    override var cost: Int { 1 }

    override func matches(_ block: borrowing TaskBlock) -> UInt64 {
        let asked = answers.bits(block.read(.executor), block.all) { executor, _ in hasName(executor) }
        return asked | waiting(block, besides: asked)
    }

    private func hasName(_ executor: UInt64) -> Bool {
        text.matches(store.description(of: ExecutorID(rawValue: UInt16(executor))).name)
    }

    /// The tasks in the queues of matching executors, including tasks that asked for another executor.
    private func waiting(_ block: borrowing TaskBlock, besides asked: UInt64) -> UInt64 {
        let queued = UInt64(TaskState.queued.rawValue)
        return ones(among: bits(block.read(.state), block.count) { $0 == queued } & ~asked) { index in
            let executor = UInt64(block[index].queuedOn.rawValue)
            return answers.answer(executor) { hasName(executor) }
        }
    }
}

/// Tests what each live task waits for.
final class WaitsTest: TaskTest {
    private let text: TextTest
    private let store: TraceStore

    init(_ text: TextTest, in store: TraceStore) {
        self.text = text
        self.store = store
    }

    override var cost: Int { 4 }

    override func matches(_ block: borrowing TaskBlock) -> UInt64 {
        let live = TaskState.allCases.reduce(0 as UInt64) { $1.hasEnded ? $0 : $0 | 1 << UInt64($1.rawValue) }
        return ones(among: bits(block.read(.state), block.count) { live >> $0 & 1 != 0 }) { index in
            WaitsFor(block[index], in: store)?.names(in: store).contains(where: text.matches) ?? false
        }
    }
}

final class ErrorTest: TaskTest {
    private let text: TextTest
    private let store: TraceStore
    private let answers: AnswerTable
    /// One bit for each value of ``TaskFact/state`` that a faulted task has.
    fileprivate static let states: UInt64 = 0x101 << UInt64(TaskState.faulted.rawValue)

    init(_ text: TextTest, in store: TraceStore) {
        self.text = text
        self.store = store
        answers = AnswerTable(count: store.entries.count, zero: text.matches(ErrorText.text(nil)))
    }

    override var cost: Int { 1 }

    override func matches(_ block: borrowing TaskBlock) -> UInt64 {
        let states = Self.states
        return matches(block, faulted: bits(block.read(.state), block.count) { states >> $0 & 1 != 0 })
    }

    /// The matching tasks among those that have faulted, one bit each. Most blocks have none.
    fileprivate func matches(_ block: borrowing TaskBlock, faulted: UInt64) -> UInt64 {
        guard faulted != 0 else { return 0 }
        return answers.bits(block.read(.error), faulted) { error, _ in
            text.matches(ErrorText.text(store.entries.error(EntryID(rawValue: UInt32(truncatingIfNeeded: error)))))
        }
    }
}

/// Searches for a text in all fields that free text covers.
final class FreeTest: TaskTest {
    private let label: LabelTest
    private let executor: ExecutorTest
    private let error: ErrorTest
    /// One bit for each accepted value of ``TaskFact/state``.
    private let states: UInt64

    init(_ text: TextTest, in store: TraceStore) {
        let skipped: UInt64 = text.matches("skipped") ? 0xFF << 8 : 0
        states = TaskState.allCases.reduce(skipped) { text.matches($1.name) ? $0 | 1 << UInt64($1.rawValue) : $0 }
        label = .ofName(text, in: store)
        executor = ExecutorTest(text, in: store)
        error = ErrorTest(text, in: store)
    }

    override var cost: Int { 3 }

    override func matches(_ block: borrowing TaskBlock) -> UInt64 {
        let (asked, failures) = (states, ErrorTest.states)
        let numbers = block.read(.state)
        let fitting = asked == 0 ? 0 : bits(numbers, block.count) { asked >> $0 & 1 != 0 }
        let faulted = bits(numbers, block.count) { failures >> $0 & 1 != 0 }
        return fitting | error.matches(block, faulted: faulted) | label.matches(block) | executor.matches(block)
    }
}

/// Tests each chain once, at the first of its tasks.
final class ChainTest: TaskTest {
    private let ranges: [ClosedRange<UInt64>]
    private let answers: AnswerTable
    /// The table row of the only chain that the query names, if it is known beforehand. 0 if there is no such chain.
    private let row: UInt64?

    init(_ sign: QuerySign, _ numbers: [UInt64], in store: TraceStore) {
        ranges = numbers.compactMap(sign.range)
        if sign == .has, numbers.count == 1, let head = store.task(TaskID(rawValue: numbers[0])) {
            // A kept task that continues another task is not the first of a chain.
            row = head.chain == head.id ? UInt64(head.chainRow + 1) : 0
        } else {
            row = nil
        }
        answers = AnswerTable(count: row == nil ? UInt32(clamping: store.keptCount) : 0, zero: nil)
    }

    override var cost: Int { 1 }

    override func matches(_ block: borrowing TaskBlock) -> UInt64 {
        let chains = block.read(.chainRow)
        if let row { return bits(chains, block.count) { $0 == row } }
        return answers.bits(chains, block.all) { _, index in
            let chain = block[index].chain.rawValue
            return ranges.contains { $0.contains(chain) }
        }
    }
}

final class NumberTest: TaskTest {
    private let fact: TaskFact
    private let ranges: [ClosedRange<UInt64>]

    init(_ field: QueryField, _ sign: QuerySign, _ numbers: [UInt64]) {
        guard let fact = field.fact else { preconditionFailure("\(field) is no number") }
        self.fact = fact
        ranges = numbers.compactMap(sign.range)
    }

    override var cost: Int { 2 }

    override func matches(_ block: borrowing TaskBlock) -> UInt64 {
        let numbers = block.read(fact)
        return ranges.reduce(0) { $0 | matches(numbers, block.count, $1) }
    }

    private func matches(_ numbers: UnsafePointer<UInt64>, _ count: Int, _ range: ClosedRange<UInt64>) -> UInt64 {
        let least = range.lowerBound
        let span = range.upperBound - least
        return bits(numbers, count) { $0 &- least <= span }
    }
}

extension QuerySign {
    /// The range of numbers that match. Nil for none. ``TaskBlock/unknown`` never matches.
    func range(_ number: UInt64) -> ClosedRange<UInt64>? {
        let most = TaskBlock.unknown - 1
        let number = min(number, most)
        switch self {
        case .has, .contains: return number...number
        case .more: return number < most ? number + 1...most : nil
        case .less: return number > 0 ? 0...number - 1 : nil
        case .atLeast: return number...most
        case .atMost: return 0...number
        }
    }
}

/// Whether the task is in a set of tasks, stored as one bit each over the range of their numbers.
final class NamedTasksTest: TaskTest {
    private let tasks: Set<TaskID>
    private let first: UInt64
    private let named: [UInt64]

    /// At most this many bits, which are two megabytes. A larger range uses the set itself.
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
        named = bits
    }

    override var cost: Int { 1 }

    override func matches(_ block: borrowing TaskBlock) -> UInt64 {
        let ids = block.read(.id)
        guard !named.isEmpty else { return bits(ids, block.count) { tasks.contains(TaskID(rawValue: $0)) } }
        return named.withUnsafeBufferPointer { named in
            bits(ids, block.count) { id in
                let (number, isBefore) = id.subtractingReportingOverflow(first)
                guard !isBefore, number / 64 < UInt64(named.count) else { return false }
                return named[Int(number / 64)] >> (number % 64) & 1 != 0
            }
        }
    }
}

/// Whether a text contains or equals one of several texts.
struct TextTest {
    private let parts: [String]
    private let patterns: [NamePattern]

    /// The texts are in lower case.
    init(_ sign: QuerySign, _ texts: [String]) {
        parts = sign == .contains ? texts : []
        patterns = sign == .contains ? [] : texts.map(NamePattern.init)
    }

    /// Whether the text can match a string made only of these letters. A pattern can.
    func canMatch(_ letters: String) -> Bool {
        !patterns.isEmpty || parts.contains { $0.allSatisfy(letters.contains) }
    }

    func matches(_ text: String) -> Bool {
        let text = text.lowercased()
        return parts.contains { text.contains($0) } || patterns.contains { $0.matches(text) }
    }
}

/// Answers by number, each computed once. Numbers past the table's end are computed each time.
private final class AnswerTable {
    /// One bit says that the answer is known, another that it is yes.
    private let answers: UnsafeMutablePointer<UInt8>
    private let count: UInt64
    private static let isKnown: UInt8 = 1
    private static let isYes: UInt8 = 2

    /// Reserves room for `count` numbers and more that may come. If `zero` is nil, the answer for 0 is computed each time.
    init(count: UInt32, zero: Bool?) {
        self.count = UInt64(count) * 2 + 1024
        answers = .allocate(capacity: Int(self.count))
        answers.initialize(repeating: 0, count: Int(self.count))
        if let zero { answers[0] = Self.byte(zero) }
    }

    deinit {
        answers.deallocate()
    }

    /// The answers for the requested numbers, one bit each at their places.
    @inline(__always)
    func bits(_ numbers: UnsafePointer<UInt64>, _ asked: UInt64, _ ask: (_ number: UInt64, _ index: Int) -> Bool) -> UInt64 {
        var (yes, known): (UInt64, UInt64) = (0, 0)
        for index in 0..<UInt64.bitWidth - asked.leadingZeroBitCount {
            let number = numbers[index]
            let answer = number < count ? answers[Int(number)] : 0
            yes |= UInt64(answer >> 1) << UInt64(index)
            known |= UInt64(answer & 1) << UInt64(index)
        }
        return yes & asked | ones(among: asked & ~known) { index in answer(numbers[index]) { ask(numbers[index], index) } }
    }

    func answer(_ number: UInt64, _ ask: () -> Bool) -> Bool {
        guard number > 0, number < count else { return ask() }
        if answers[Int(number)] == 0 { answers[Int(number)] = Self.byte(ask()) }
        return answers[Int(number)] & Self.isYes != 0
    }

    private static func byte(_ answer: Bool) -> UInt8 { answer ? isKnown | isYes : isKnown }
}
