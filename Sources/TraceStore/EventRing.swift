import TaskEvents

/// The latest events as they came, for the list beside a selected task.
struct EventRing: ~Copyable {
    static var capacity: Int { 262_144 }

    private let events: UnsafeMutablePointer<TaskEvent>
    private let lanes: UnsafeMutablePointer<UInt16>
    /// Events ever added.
    private(set) var total = 0

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
        guard let eventBase = newEvents.baseAddress, let laneBase = newLanes.baseAddress else { return }
        var from = max(0, newEvents.count - Self.capacity)
        total += from
        while from < newEvents.count {
            let place = total & (Self.capacity - 1)
            let count = min(newEvents.count - from, Self.capacity - place)
            (events + place).update(from: eventBase + from, count: count)
            (lanes + place).update(from: laneBase + from, count: count)
            from += count
            total += count
        }
    }

    var oldest: Int { max(0, total - Self.capacity) }

    /// The event with that number, counted from 0.
    subscript(_ number: Int) -> (event: TaskEvent, lane: UInt16)? {
        guard number >= oldest, number < total else { return nil }
        let place = number & (Self.capacity - 1)
        return (events[place], lanes[place])
    }
}
