import TaskEvents
import TraceAnalysis
import TraceStore
import TraceTransport

/// The numbers of the events that match a filter, found in one portion per frame.
///
/// While a trace goes on, tasks change, and with them the events that match. Passes over all events therefore follow one another. The list is
/// that of the last complete pass. The first pass of a new filter shows the events found so far.
struct EventMatches {
    /// The number of events that a frame examines.
    static let portion = 1 << 17
    /// The number of tasks that a frame compares with the query.
    static let tasksPerFrame = 1 << 17
    /// Nanoseconds between two passes.
    static let pause: UInt64 = 250_000_000

    private(set) var query = EventQuery()
    private var shown = NumberList()
    private var found = NumberList()
    private var tasks: TaskSet?
    /// The tasks that match so far, while a pass begins with them, and the last task that was compared.
    private var matching: (tasks: [TaskID], last: TaskID)?
    /// The event that the pass examines next. Nil between two passes.
    private var next: Int?
    private var isFirstPass = true
    private var eventCount = -1
    private var endedAt: UInt64?

    /// The number of events that match, as far as they are known.
    var count: Int { isFirstPass ? found.count : shown.count }
    /// The completed share of the first pass, in percent. Nil if the list is complete.
    func progress(_ history: TraceHistory) -> Int? {
        guard isFirstPass else { return nil }
        return next.map { $0 * 100 / max(1, history.eventCount) } ?? 0
    }

    subscript(row: Int) -> Int { isFirstPass ? found[row] : shown[row] }

    /// The row of the last matching event up to a number. Nil if there is none.
    func row(upTo number: Int) -> Int? { (isFirstPass ? found : shown).row(upTo: number) }

    /// Starts again with another filter.
    mutating func restart(_ query: EventQuery) {
        self = EventMatches()
        self.query = query
    }

    func isSettled(_ history: TraceHistory) -> Bool { query.isEmpty || next == nil && eventCount == history.eventCount }

    mutating func advance(_ history: TraceHistory, warnings: WarningIndex, at now: UInt64) {
        guard !query.isEmpty else { return }
        if next == nil {
            guard eventCount != history.eventCount else { return }
            if let endedAt, now < endedAt + Self.pause { return }
            found = NumberList()
            next = history.firstListed
            tasks = nil
            matching = query.tasks.isEmpty ? nil : ([], .none)
        }
        guard matchTasks(history.latest, warnings) else { return }
        // A long live trace may have forgotten the next events meanwhile.
        guard var next = next.map({ max($0, history.firstKept) }) else { return }
        var left = Self.portion
        while left > 0, next <= history.eventCount {
            guard let stretch = history.stretch(at: next, withAny: query.kinds) else { break }
            let end = min(stretch.numbers.upperBound, next + left)
            if let events = stretch.events {
                take(events, next..<end)
                left -= end - next
            } else {
                left -= 1
            }
            next = stretch.events == nil ? stretch.numbers.upperBound : end
        }
        self.next = next
        if next > history.eventCount { finish(history, at: now) }
    }

    /// Compares the next tasks with the query. True when all have been compared.
    private mutating func matchTasks(_ store: TraceStore, _ warnings: WarningIndex) -> Bool {
        guard var matching else { return true }
        self.matching = nil
        let matcher = TaskQueryMatcher(query.tasks, in: store, warnings: warnings)
        if let last = matcher.append(after: matching.last, limit: Self.tasksPerFrame, to: &matching.tasks) {
            matching.last = last
            self.matching = matching
            return false
        }
        tasks = TaskSet(matching.tasks)
        return true
    }

    private mutating func take(_ stretch: EventStretch, _ numbers: Range<Int>) {
        for number in numbers {
            let event = stretch.events[number - stretch.first]
            guard query.kinds.contains(EventKinds(code: event.kindCode)) else { continue }
            if tasks?.contains(event.task) ?? true { found.append(number) }
        }
    }

    private mutating func finish(_ history: TraceHistory, at now: UInt64) {
        shown = found
        found = NumberList()
        next = nil
        isFirstPass = false
        eventCount = history.eventCount
        endedAt = now
    }
}

/// Ascending numbers, stored in pieces, so that a list of millions grows without being copied.
private struct NumberList {
    private static let pieceSize = 1 << 15
    private var pieces: [ContiguousArray<UInt32>] = []
    private(set) var count = 0

    mutating func append(_ number: Int) {
        if count % Self.pieceSize == 0 {
            pieces.append([])
            pieces[pieces.count - 1].reserveCapacity(Self.pieceSize)
        }
        pieces[pieces.count - 1].append(UInt32(clamping: number))
        count += 1
    }

    subscript(row: Int) -> Int { Int(pieces[row / Self.pieceSize][row % Self.pieceSize]) }

    func row(upTo number: Int) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] <= number { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }
}

/// A set of tasks for millions of look-ups. Ids are usually dense, so the set has one bit per id.
private struct TaskSet {
    private static let largestSpan: UInt64 = 1 << 27
    private let first: UInt64
    private var bits: [UInt64] = []
    private var sparse: Set<TaskID> = []

    /// - Parameter tasks: The tasks in ascending order.
    init(_ tasks: [TaskID]) {
        first = tasks.first?.rawValue ?? 0
        let span = (tasks.last?.rawValue ?? 0) - first
        guard span < Self.largestSpan else {
            sparse = Set(tasks)
            return
        }
        bits = Array(repeating: 0, count: Int(span / 64) + 1)
        for task in tasks { bits[Int((task.rawValue - first) / 64)] |= 1 << ((task.rawValue - first) % 64) }
        if tasks.isEmpty { bits = [] }
    }

    func contains(_ task: TaskID) -> Bool {
        guard sparse.isEmpty else { return sparse.contains(task) }
        guard task.rawValue >= first, (task.rawValue - first) / 64 < UInt64(bits.count) else { return false }
        return bits[Int((task.rawValue - first) / 64)] & 1 << ((task.rawValue - first) % 64) != 0
    }
}
