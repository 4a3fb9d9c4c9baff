import TaskEvents
import TraceStore

/// When a task's span begins and ends, in nanoseconds from the trace's start.
///
/// A task whose body began: from then until it ended. One that has none (a join, a delay, a source): from its creation until it ended. One whose
/// body never began, as it was skipped or cancelled before, was nothing but its end. What has not ended ends with the trace.
struct OTLPSpan {
    var start: UInt64
    var end: UInt64

    init(_ task: TaskView, now: UInt64) {
        end = task.ended ?? max(now, task.started ?? 0)
        if let started = task.started {
            start = started
        } else if task.state.hasEnded, task.executor != .none || task.isSkipped {
            start = end
        } else {
            start = task.created ?? task.queued ?? end
        }
        start = min(start, end)
    }
}

/// The ids of a trace's spans: the same in every export, others for another run of the program.
struct OTLPIdentifiers {
    /// The upper half of every trace's id.
    private let run: UInt64

    init(program: String, startedAt start: UInt64) {
        run = Self.mix(program.utf8.reduce(start) { Self.mix($0 ^ UInt64($1)) })
    }

    /// 16 bytes.
    func trace(of chain: TaskID) -> String {
        Self.hex(run) + span(of: chain)
    }

    /// 8 bytes, and not nothing: the mixing of a number that is not 0 is none.
    func span(of task: TaskID) -> String {
        Self.hex(Self.mix(task.rawValue))
    }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The last steps of SplitMix64: one to one, and sampling by an id's last bits is fair.
    private static func mix(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
