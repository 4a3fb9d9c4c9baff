import TaskEvents
import TextOutput
import TraceStore

/// The begin and the end of a task's span, in nanoseconds from the start of the trace.
///
/// The span of a task with a started body goes from the body's start to the task's end. A task without a body (a join, a delay, a source)
/// has a span from its creation. A task that was skipped or cancelled before its body started has an empty span at its end. An open span
/// ends with the trace.
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

/// The ids of spans. Every export of a trace has the same ids. Different runs of the program have different ids.
struct OTLPIdentifiers {
    /// The upper half of every trace id.
    private let run: UInt64

    init(program: String, startedAt start: UInt64) {
        run = Self.mix(program.utf8.reduce(start) { Self.mix($0 ^ UInt64($1)) })
    }

    /// The trace id of a chain: 16 bytes, as hexadecimal digits.
    func trace(of chain: TaskID) -> String {
        Self.hex(run) + span(of: chain)
    }

    /// The span id of a task: 8 bytes, as hexadecimal digits. Not all zero, as OpenTelemetry requires: `mix` is one to one and maps only 0
    /// to 0.
    func span(of task: TaskID) -> String {
        Self.hex(Self.mix(task.rawValue))
    }

    /// The trace id of a chain, as bytes.
    func traceBytes(of chain: TaskID) -> [UInt8] {
        Self.bytes(run) + spanBytes(of: chain)
    }

    /// The span id of a task, as bytes.
    func spanBytes(of task: TaskID) -> [UInt8] {
        Self.bytes(Self.mix(task.rawValue))
    }

    private static func bytes(_ value: UInt64) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func hex(_ value: UInt64) -> String {
        String(value, digits: 16, radix: 16)
    }

    /// The last steps of SplitMix64. They are one to one, and the low bits are uniform, so that sampling by them is fair.
    private static func mix(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
