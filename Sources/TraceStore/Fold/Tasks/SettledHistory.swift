/// The history of an ended task in a third of the memory. As a rule, no steps are added after the end.
///
/// Times are nanoseconds after the task's creation, in 32 bits. A history with a longer time is not settled.
struct SettledHistory: BitwiseCopyable {
    private static var stateBits: UInt32 { 4 }

    private var busy: UInt32
    private var queued: UInt32
    private var suspended: UInt32
    /// Four bits per step, the first step in the lowest bits. The uppermost four bits hold the number of steps.
    private var states: UInt32
    private var times: [6 of UInt32] = .init(repeating: 0)

    init?(_ history: StateHistory, since created: UInt64) {
        guard let busy = UInt32(exactly: history.busy), let queued = UInt32(exactly: history.queued),
            let suspended = UInt32(exactly: history.suspended)
        else { return nil }
        self.busy = busy
        self.queued = queued
        self.suspended = suspended
        states = UInt32(history.count) << 28
        for index in 0..<history.count {
            let step = history.steps[index]
            guard step.time >= created, let time = UInt32(exactly: step.time - created) else { return nil }
            times[index] = time
            states |= UInt32(step.state.rawValue) << (UInt32(index) * Self.stateBits)
        }
    }

    func history(since created: UInt64) -> StateHistory {
        var history = StateHistory()
        history.busy = UInt64(busy)
        history.queued = UInt64(queued)
        history.suspended = UInt64(suspended)
        history.count = Int(states >> 28)
        for index in 0..<history.count {
            let state = TaskState(rawValue: UInt8(states >> (UInt32(index) * Self.stateBits) & 15)) ?? .pending
            history.steps[index] = StateHistory.Step(time: created + UInt64(times[index]), state: state)
        }
        return history
    }
}
