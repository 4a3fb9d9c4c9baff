import TaskEvents
import TraceTransport

/// Counts consecutive short visits of one Swift task to another executor, by its events: the task leaves home, returns, and leaves again.
struct SliceTrips {
    private enum Phase {
        /// At home since that time.
        case home(since: UInt64)
        /// On the way to the visit.
        case leaving(at: UInt64)
        case away(since: UInt64, waited: UInt64)
        /// On the way back since `at`, after `waited` nanoseconds on the way there and a visit of `visit` nanoseconds.
        case returning(at: UInt64, waited: UInt64, visit: UInt64)
    }

    private let home: ExecutorID
    private let other: ExecutorID
    private var phase: Phase
    /// Nanoseconds that the latest visit waited, there and back. A longer stay at home ends the series.
    private var lastWaits: UInt64 = .max
    /// Consecutive short visits, and the nanoseconds that their hops waited.
    private(set) var count = 0
    private(set) var waited: UInt64 = 0
    /// The times of the first hop and of the last return.
    private(set) var began: UInt64
    private(set) var last: UInt64
    /// The hops of these visits, there and back. Only the last ones are kept.
    private(set) var hops: [Evidence] = []
    /// The calls that the task was in at its latest hop with known calls.
    private(set) var site: EntryID

    /// The task leaves `home`.
    init(_ hop: TaskEvent) {
        home = ExecutorID(rawValue: UInt16(truncatingIfNeeded: hop.other))
        other = hop.executor
        phase = .leaving(at: hop.time)
        (began, last) = (hop.time, hop.time)
        hops = [Evidence(hop)]
        site = hop.label
    }

    /// Takes the next hop through a queue. False if the hop ends the series.
    mutating func hop(_ event: TaskEvent) -> Bool {
        let from = ExecutorID(rawValue: UInt16(truncatingIfNeeded: event.other))
        switch phase {
        case .home(let since) where from == home && event.executor == other:
            guard event.time >= since, event.time - since < lastWaits else { return false }
            phase = .leaving(at: event.time)
        case .away(let since, let waited) where from == other && event.executor == home:
            phase = .returning(at: event.time, waited: waited, visit: event.time > since ? event.time - since : 0)
        case .home, .leaving, .away, .returning: return false
        }
        if hops.count == Finding.evidenceLimit { hops.removeFirst() }
        hops.append(Evidence(event))
        if event.label != .none { site = event.label }
        return true
    }

    /// Takes the start of the job after the hop. False if it ends the series.
    mutating func start(_ event: TaskEvent) -> Bool {
        switch phase {
        case .leaving(let at) where event.executor == other:
            phase = .away(since: event.time, waited: event.time > at ? event.time - at : 0)
        case .returning(let at, let waited, let visit) where event.executor == home:
            let waits = waited.plus(event.time > at ? event.time - at : 0)
            guard visit < waits else { return false }
            (lastWaits, phase) = (waits, .home(since: event.time))
            count += 1
            self.waited = self.waited.plus(waits)
            last = event.time
        case .home, .leaving, .away, .returning: return false
        }
        return true
    }
}
