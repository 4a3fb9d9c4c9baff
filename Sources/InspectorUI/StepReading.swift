import TraceAnalysis
import TraceStore
import TraceTransport

/// Reads the events around a task's life, or all, a bounded number of them per frame.
struct StepReading {
    /// The number of events read per frame.
    private static let portion = 1 << 15
    /// The number of events read before and after the life, for the peers.
    private static let margin = 1 << 20

    private let history: TraceHistory
    private let numbers: Range<Int>
    private var next: Int
    private(set) var steps = TaskSteps()

    init(of task: TaskView, in history: TraceHistory) {
        self.history = history
        let all = history.firstListed..<history.eventCount + 1
        let life = history.numbers(from: task.created ?? 0, until: task.ended ?? history.store.now)
        numbers = (life.lowerBound - Self.margin..<life.upperBound + Self.margin).clamped(to: all)
        next = numbers.lowerBound
    }

    /// Reads all events.
    init(ofAll history: TraceHistory) {
        self.history = history
        numbers = history.firstListed..<history.eventCount + 1
        next = numbers.lowerBound
    }

    var percent: Int { numbers.isEmpty ? 100 : (next - numbers.lowerBound) * 100 / numbers.count }

    /// Reads the next events. Returns whether all have been read.
    mutating func readOn() -> Bool {
        let end = min(next + Self.portion, numbers.upperBound)
        history.forEachStretch(in: next..<max(next, end)) { steps.add($0) }
        next = max(next, end)
        guard next >= numbers.upperBound else { return false }
        if steps.threadTimes == nil { steps.threadTimes = history.recording?.profile().map { ThreadTimes($0) } }
        return true
    }
}
