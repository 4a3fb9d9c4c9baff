import TraceTransport

/// The time of the latest event of each lane; 0 for a lane without events.
struct LaneTimes: ~Copyable {
    private var times: UnsafeMutablePointer<UInt64>
    private var room: Int

    init() { self.init(room: 64) }

    private init(room: Int) {
        times = .allocate(capacity: room)
        times.initialize(repeating: 0, count: room)
        self.room = room
    }

    deinit { times.deallocate() }

    func copy() -> LaneTimes {
        let copy = LaneTimes(room: room)
        copy.times.update(from: times, count: room)
        return copy
    }

    subscript(lane: UInt16) -> UInt64 { Int(lane) < room ? times[Int(lane)] : 0 }

    @inline(__always)
    mutating func set(_ time: UInt64, of lane: UInt16) {
        if Int(lane) < room { times[Int(lane)] = time } else { setFirst(time, of: lane) }
    }

    @inline(never)
    private mutating func setFirst(_ time: UInt64, of lane: UInt16) {
        guard lane != TraceBatch.noLane else { return }
        let grown = LaneTimes(room: max(room * 2, Int(lane) + 1))
        grown.times.update(from: times, count: room)
        grown.times[Int(lane)] = time
        self = grown
    }
}
