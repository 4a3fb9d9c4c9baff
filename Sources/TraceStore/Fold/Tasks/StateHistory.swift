import TraceTransport

/// The states of a task that does more than wait once and run once. Steps are ordered by the records' own times, so the order in which
/// records arrive does not matter.
///
/// A history keeps the last few steps. Earlier steps are summed up.
struct StateHistory: BitwiseCopyable {
    struct Step: BitwiseCopyable {
        var time: UInt64
        var state: TaskState
    }

    private static var room: Int { 6 }

    /// Nanoseconds spent in each state before the kept steps.
    var busy: UInt64 = 0
    var queued: UInt64 = 0
    var suspended: UInt64 = 0
    var steps: [6 of Step] = .init(repeating: Step(time: 0, state: .pending))
    var count = 0

    /// The state of the latest step.
    var state: TaskState { count > 0 ? steps[count - 1].state : .pending }

    var lastTime: UInt64 { count > 0 ? steps[count - 1].time : 0 }

    /// The latest time at which the task entered `state`; nil if no kept step did.
    func lastTime(of state: TaskState) -> UInt64? {
        for index in (0..<count).reversed() where steps[index].state == state { return steps[index].time }
        return nil
    }

    /// The first time from `time` on at which the task entered `state`; nil if no kept step did.
    func firstTime(of state: TaskState, from time: UInt64) -> UInt64? {
        for index in 0..<count where steps[index].state == state && steps[index].time >= time { return steps[index].time }
        return nil
    }

    /// Inserts a step by its time. Among steps of equal time it comes last, or first if `isFirst` is true. Returns whether it is the
    /// latest.
    @discardableResult
    mutating func insert(_ state: TaskState, at time: UInt64, beforeEqual isFirst: Bool = false) -> Bool {
        if count == Self.room { addUpFirst() }
        var position = count
        while position > 0, steps[position - 1].time > time || isFirst && steps[position - 1].time == time {
            steps[position] = steps[position - 1]
            position -= 1
        }
        steps[position] = Step(time: time, state: state)
        count += 1
        return position == count - 1
    }

    /// Nanoseconds spent in `state` until `end`.
    func total(_ state: TaskState, until end: UInt64) -> UInt64 {
        var sum =
            switch state {
            case .running: busy
            case .queued: queued
            case .suspended: suspended
            case .pending, .succeeded, .faulted, .cancelled: 0 as UInt64
            }
        for index in 0..<count where steps[index].state == state {
            let until = index + 1 < count ? min(steps[index + 1].time, end) : end
            if until > steps[index].time { sum = sum.plus(until - steps[index].time) }
        }
        return sum
    }

    private mutating func addUpFirst() {
        let spent = steps[1].time - steps[0].time
        switch steps[0].state {
        case .running: busy = busy.plus(spent)
        case .queued: queued = queued.plus(spent)
        case .suspended: suspended = suspended.plus(spent)
        case .pending, .succeeded, .faulted, .cancelled: break
        }
        for index in 1..<count { steps[index - 1] = steps[index] }
        count -= 1
    }
}
