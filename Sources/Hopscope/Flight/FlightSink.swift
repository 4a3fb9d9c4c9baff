import TaskEvents
import TraceTransport

/// A recording that a flight recorder wrote, or the reason why it could not.
package struct FlightOutcome: Sendable {
    /// The first is the trigger.
    package let causes: [FlightCause]
    package let result: Result<String, any Error>
}

/// The work of a flight recorder's thread: takes events, looks for triggers a few times a second, and answers requests.
final class FlightSink: TraceSink {
    /// The shortest time between two looks for triggers, in nanoseconds.
    private static let interval: UInt64 = 250_000_000
    /// The pause after a look, as a multiple of what the look took, so that looking takes at most 1 % of a core.
    private static let leisure: UInt64 = 100

    private let monitor: FlightMonitor
    private let source: any LaneSource
    private let folder: String?
    private let time: TimeSource
    private let requests: FlightRequests
    private let tell: @Sendable (FlightOutcome) -> Void
    private let hasEnded: @Sendable () -> Bool
    private var nextLook: UInt64 = 0

    init(
        _ monitor: FlightMonitor, of source: any LaneSource, into folder: String?, _ requests: FlightRequests,
        time: TimeSource, hasEnded: @escaping @Sendable () -> Bool, tell: @escaping @Sendable (FlightOutcome) -> Void
    ) {
        self.time = time
        self.monitor = monitor
        self.source = source
        self.folder = folder
        self.requests = requests
        self.hasEnded = hasEnded
        self.tell = tell
    }

    func write(_ batch: TraceBatch) {
        monitor.apply(batch)
        let now = source.now
        for request in requests.take(until: batch.isCompleteUntil) { answer(request) }
        guard now >= nextLook else { return }
        look(at: now, isOver: false)
        let end = source.now
        nextLook = now + max(Self.interval, end > now ? (end - now) * Self.leisure : 0)
    }

    func finish(sawExit: Bool, at time: UInt64) {
        look(at: source.now, isOver: hasEnded())
        for request in requests.takeLast() { answer(request) }
    }

    private func look(at now: UInt64, isOver: Bool) {
        let causes = monitor.check(at: now, isOver: isOver)
        if !causes.isEmpty { _ = record(causes) }
    }

    private func answer(_ request: FlightRequests.Request) {
        request.answer(record([request.cause]))
    }

    private func record(_ causes: [FlightCause]) -> Result<String, any Error> {
        let result = Result {
            let path = try KeptRecording.path(
                program: source.program, pid: source.pid, trigger: causes[0].trigger, at: time.dateSeconds, in: folder)
            try monitor.write(causes, to: path)
            return path
        }
        tell(FlightOutcome(causes: causes, result: result))
        return result
    }
}
