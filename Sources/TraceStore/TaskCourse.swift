/// The ups and downs of a task that does more than wait once and run once: which states it went through, by the records' own times, and so
/// the same in any order of the records.
///
/// It remembers the last few steps; what is older has been added up.
struct TaskCourse: BitwiseCopyable {
    struct Step: BitwiseCopyable {
        var time: UInt64
        var state: TaskState
    }

    private static var room: Int { 6 }

    /// Nanoseconds spent in each before the steps that are remembered.
    var busy: UInt64 = 0
    var queued: UInt64 = 0
    var suspended: UInt64 = 0
    var steps: [6 of Step] = .init(repeating: Step(time: 0, state: .pending))
    var count = 0

    /// The state by the latest step.
    var state: TaskState { count > 0 ? steps[count - 1].state : .pending }

    var lastTime: UInt64 { count > 0 ? steps[count - 1].time : 0 }

    /// When it was last put into `state`, as far as is remembered.
    func lastTime(of state: TaskState) -> UInt64? {
        for index in (0..<count).reversed() where steps[index].state == state { return steps[index].time }
        return nil
    }

    /// When it was first put into `state` from `time` on, as far as is remembered.
    func firstTime(of state: TaskState, from time: UInt64) -> UInt64? {
        for index in 0..<count where steps[index].state == state && steps[index].time >= time { return steps[index].time }
        return nil
    }

    /// Adds a step in its place; at equal times behind those that came earlier, or before them if `isFirst`.
    mutating func insert(_ state: TaskState, at time: UInt64, beforeEqual isFirst: Bool = false) {
        if count == Self.room { addUpFirst() }
        var place = count
        while place > 0, steps[place - 1].time > time || isFirst && steps[place - 1].time == time {
            steps[place] = steps[place - 1]
            place -= 1
        }
        steps[place] = Step(time: time, state: state)
        count += 1
    }

    /// Nanoseconds spent in `state` by `end`.
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
            if until > steps[index].time { sum += until - steps[index].time }
        }
        return sum
    }

    private mutating func addUpFirst() {
        let spent = steps[1].time - steps[0].time
        switch steps[0].state {
        case .running: busy += spent
        case .queued: queued += spent
        case .suspended: suspended += spent
        case .pending, .succeeded, .faulted, .cancelled: break
        }
        for index in 1..<count { steps[index - 1] = steps[index] }
        count -= 1
    }
}
