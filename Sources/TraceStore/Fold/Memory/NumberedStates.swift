/// The states of a trace's executors or threads, by number. A state never moves in memory.
struct NumberedStates<State>: ~Copyable {
    private var states: UnsafeMutablePointer<UnsafeMutablePointer<State>?>
    private var room = 64
    /// The used numbers, in the order of their first use.
    private(set) var used: [UInt16] = []

    init() {
        states = .allocate(capacity: room)
        states.initialize(repeating: nil, count: room)
    }

    deinit {
        for number in used {
            states[Int(number)]?.deinitialize(count: 1)
            states[Int(number)]?.deallocate()
        }
        states.deallocate()
    }

    func copy() -> NumberedStates {
        var copy = NumberedStates()
        for number in used { copy.make(number, states[Int(number)].unsafelyUnwrapped.pointee) }
        return copy
    }

    @inline(__always)
    func find(_ number: UInt16) -> UnsafeMutablePointer<State>? {
        Int(number) < room ? states[Int(number)] : nil
    }

    /// Adds the state of a number that has none yet.
    @discardableResult
    mutating func make(_ number: UInt16, _ state: State) -> UnsafeMutablePointer<State> {
        if Int(number) >= room {
            let larger = max(room * 2, Int(number) + 1)
            let grown = UnsafeMutablePointer<UnsafeMutablePointer<State>?>.allocate(capacity: larger)
            grown.moveInitialize(from: states, count: room)
            (grown + room).initialize(repeating: nil, count: larger - room)
            states.deallocate()
            states = grown
            room = larger
        }
        let new = UnsafeMutablePointer<State>.allocate(capacity: 1)
        new.initialize(to: state)
        states[Int(number)] = new
        used.append(number)
        return new
    }
}
