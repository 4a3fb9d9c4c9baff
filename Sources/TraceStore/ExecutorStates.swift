/// The executors of a trace by number, each at a place that does not move.
struct ExecutorStates: ~Copyable {
    private var states: UnsafeMutablePointer<UnsafeMutablePointer<ExecutorState>?>
    private var room = 64
    /// In the order of their first use.
    private(set) var used: [UInt16] = []

    init() {
        states = .allocate(capacity: room)
        states.initialize(repeating: nil, count: room)
    }

    deinit {
        for id in used {
            states[Int(id)]?.deinitialize(count: 1)
            states[Int(id)]?.deallocate()
        }
        states.deallocate()
    }

    func copy() -> ExecutorStates {
        var copy = ExecutorStates()
        for id in used { copy.make(id).pointee = states[Int(id)].unsafelyUnwrapped.pointee }
        return copy
    }

    @inline(__always)
    func find(_ id: UInt16) -> UnsafeMutablePointer<ExecutorState>? {
        Int(id) < room ? states[Int(id)] : nil
    }

    /// The executor has not been seen.
    mutating func make(_ id: UInt16) -> UnsafeMutablePointer<ExecutorState> {
        if Int(id) >= room {
            let larger = max(room * 2, Int(id) + 1)
            let grown = UnsafeMutablePointer<UnsafeMutablePointer<ExecutorState>?>.allocate(capacity: larger)
            grown.moveInitialize(from: states, count: room)
            (grown + room).initialize(repeating: nil, count: larger - room)
            states.deallocate()
            states = grown
            room = larger
        }
        let state = UnsafeMutablePointer<ExecutorState>.allocate(capacity: 1)
        state.initialize(to: ExecutorState(id: id))
        states[Int(id)] = state
        used.append(id)
        return state
    }
}
