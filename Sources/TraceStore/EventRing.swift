import TaskEvents
import TraceFile

/// The latest events as they came, for the list beside a selected task.
struct EventRing: ~Copyable {
    static var capacity: Int { 262_144 }

    private let events: UnsafeMutablePointer<TaskEvent>
    private let lanes: UnsafeMutablePointer<UInt16>
    /// Events ever added.
    private(set) var total = 0
    /// Events before this one were never here.
    private var start = 0

    init() {
        // The pages are touched as they fill.
        events = .allocate(capacity: Self.capacity)
        lanes = .allocate(capacity: Self.capacity)
    }

    deinit {
        events.deallocate()
        lanes.deallocate()
    }

    mutating func append(_ event: TaskEvent, lane: UInt16) {
        let place = total & (Self.capacity - 1)
        (events + place).initialize(to: event)
        (lanes + place).initialize(to: lane)
        total += 1
    }

    /// Adds many at a time; of more than fit, only the last are copied.
    mutating func append(_ newEvents: UnsafeBufferPointer<TaskEvent>, lanes newLanes: UnsafeBufferPointer<UInt16>) {
        let skipped = max(0, newEvents.count - Self.capacity)
        total += skipped
        copy(newEvents, newLanes, from: skipped, to: total)
        total += newEvents.count - skipped
    }

    /// Puts what came before the oldest in front of it, as much as there is room for.
    mutating func prepend(_ earlier: UnsafeBufferPointer<TaskEvent>, lanes earlierLanes: UnsafeBufferPointer<UInt16>) {
        let first = max(oldest - earlier.count, oldestPossible)
        copy(earlier, earlierLanes, from: earlier.count - (oldest - first), to: first)
        start = first
    }

    /// Goes back, or away, to where `number` events had come. Of those it keeps what it has.
    mutating func move(to number: Int) {
        start = number >= oldest && number <= total ? oldest : number
        total = number
    }

    /// The first number that it has. Numbers are counted from 0.
    var oldest: Int { max(start, oldestPossible) }

    /// The first number that it has room for.
    var oldestPossible: Int { max(0, total - Self.capacity) }

    /// The event with that number, counted from 0.
    subscript(_ number: Int) -> (event: TaskEvent, lane: UInt16)? {
        guard number >= oldest, number < total else { return nil }
        let place = number & (Self.capacity - 1)
        return (events[place], lanes[place])
    }

    /// What lies together from that number on, counted from 0, some thousands at most.
    func stretch(from number: Int) -> EventStretch? {
        guard number >= oldest, number < total else { return nil }
        let place = number & (Self.capacity - 1)
        let count = min(total - number, Self.capacity - place, 8192)
        return EventStretch(
            first: number + 1, events: Array(UnsafeBufferPointer(start: events + place, count: count)),
            lanes: Array(UnsafeBufferPointer(start: lanes + place, count: count)))
    }

    private func copy(_ new: UnsafeBufferPointer<TaskEvent>, _ newLanes: UnsafeBufferPointer<UInt16>, from first: Int, to number: Int) {
        guard let eventBase = new.baseAddress, let laneBase = newLanes.baseAddress else { return }
        var (from, number) = (first, number)
        while from < new.count {
            let place = number & (Self.capacity - 1)
            let count = min(new.count - from, Self.capacity - place)
            (events + place).update(from: eventBase + from, count: count)
            (lanes + place).update(from: laneBase + from, count: count)
            from += count
            number += count
        }
    }
}
