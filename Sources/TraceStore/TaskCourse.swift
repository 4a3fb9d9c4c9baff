/// The ups and downs of a task that does more than wait once and run once: which states it went through, by the records' own times, and so
/// the same in whatever order the records came.
///
/// It remembers the last few; what is older has been added up.
struct TaskCourse: BitwiseCopyable {
    struct Step: BitwiseCopyable {
        var time: UInt64
        var state: TaskState
    }

    private typealias Steps = (Step, Step, Step, Step, Step, Step)
    private static var room: Int { 6 }

    /// Nanoseconds spent in each before the steps that are remembered.
    private var busy: UInt64 = 0
    private var queued: UInt64 = 0
    private var suspended: UInt64 = 0
    private var steps: Steps
    private var count = 0

    init() {
        let none = Step(time: 0, state: .pending)
        steps = (none, none, none, none, none, none)
    }

    /// The state by the latest step.
    var state: TaskState {
        var copy = self
        return copy.withSteps { $0.last?.state ?? .pending }
    }

    var lastTime: UInt64 {
        var copy = self
        return copy.withSteps { $0.last?.time ?? 0 }
    }

    /// When it was last put into `state`.
    func lastTime(of state: TaskState) -> UInt64? {
        var copy = self
        return copy.withSteps { $0.last { $0.state == state }?.time }
    }

    /// Adds a step in its place; at equal times behind those that came earlier, or before them if `isFirst`.
    mutating func insert(_ state: TaskState, at time: UInt64, beforeEqual isFirst: Bool = false) {
        if count == Self.room { addUpFirst() }
        count += 1
        withSteps { steps in
            var place = steps.count - 1
            while place > 0, steps[place - 1].time > time || isFirst && steps[place - 1].time == time {
                steps[place] = steps[place - 1]
                place -= 1
            }
            steps[place] = Step(time: time, state: state)
        }
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
        var copy = self
        copy.withSteps { steps in
            for index in steps.indices where steps[index].state == state {
                let until = index + 1 < steps.count ? min(steps[index + 1].time, end) : end
                if until > steps[index].time { sum += until - steps[index].time }
            }
        }
        return sum
    }

    private mutating func addUpFirst() {
        let (first, second) = (steps.0, steps.1)
        let spent = second.time - first.time
        switch first.state {
        case .running: busy += spent
        case .queued: queued += spent
        case .suspended: suspended += spent
        case .pending, .succeeded, .faulted, .cancelled: break
        }
        withSteps { steps in
            for index in 1..<steps.count { steps[index - 1] = steps[index] }
        }
        count -= 1
    }

    @inline(__always)
    private mutating func withSteps<Result>(_ body: (UnsafeMutableBufferPointer<Step>) -> Result) -> Result {
        let count = count
        return withUnsafeMutableBytes(of: &steps) { bytes in
            body(UnsafeMutableBufferPointer(rebasing: bytes.bindMemory(to: Step.self)[..<count]))
        }
    }
}
