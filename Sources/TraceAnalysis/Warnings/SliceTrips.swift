import TaskEvents

/// The visits of one Swift task to another executor, one after the other, by its events: it leaves home, comes back, and leaves again.
struct SliceTrips {
    private enum Place {
        /// At home, since then.
        case home(since: UInt64)
        /// On the way there.
        case leaving(at: UInt64)
        case away(since: UInt64, waited: UInt64)
        /// On the way back, after a visit that was shorter than the way there and so much more.
        case returning(at: UInt64, waited: UInt64, visit: UInt64)
    }

    private let home: ExecutorID
    private let other: ExecutorID
    private var place: Place
    /// Nanoseconds that the latest visit waited, there and back. A stay at home that is longer is no part of a to and fro.
    private var lastWaits: UInt64 = .max
    /// Short visits in a row.
    private(set) var count = 0
    /// The hops that they were, there and back; of a great many the last.
    private(set) var hops: [Evidence] = []

    /// A task leaves `home`.
    init(_ hop: TaskEvent) {
        home = ExecutorID(rawValue: UInt16(truncatingIfNeeded: hop.other))
        other = hop.executor
        place = .leaving(at: hop.time)
        hops = [Evidence(hop)]
    }

    /// Takes the next hop through a queue. False if it is none of this to and fro.
    mutating func hop(_ event: TaskEvent) -> Bool {
        let from = ExecutorID(rawValue: UInt16(truncatingIfNeeded: event.other))
        switch place {
        case .home(let since) where from == home && event.executor == other:
            guard event.time >= since, event.time - since < lastWaits else { return false }
            place = .leaving(at: event.time)
        case .away(let since, let waited) where from == other && event.executor == home:
            place = .returning(at: event.time, waited: waited, visit: event.time > since ? event.time - since : 0)
        case .home, .leaving, .away, .returning: return false
        }
        if hops.count == Finding.evidenceLimit { hops.removeFirst() }
        hops.append(Evidence(event))
        return true
    }

    /// Takes the beginning of the job that it hopped for. False where that ends the to and fro.
    mutating func start(_ event: TaskEvent) -> Bool {
        switch place {
        case .leaving(let at) where event.executor == other:
            place = .away(since: event.time, waited: event.time > at ? event.time - at : 0)
        case .returning(let at, let waited, let visit) where event.executor == home:
            let waits = waited + (event.time > at ? event.time - at : 0)
            guard visit < waits else { return false }
            (lastWaits, place) = (waits, .home(since: event.time))
            count += 1
        case .home, .leaving, .away, .returning: return false
        }
        return true
    }
}
