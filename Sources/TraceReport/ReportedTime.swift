import TextOutput
import TraceAnalysis

extension TimeParts {
    /// Writes the keys of a report; null for each part that is unknown.
    static func write(_ parts: TimeParts?, to line: inout JSONLine) {
        line.field("awaiting_ns", orNull: parts?.awaiting)
        line.field("blocked_ns", orNull: parts?.blocked)
        line.field("on_cpu_ns", orNull: parts?.onCPU)
        line.field("queued_ns", orNull: parts?.queued)
        line.field("runnable_ns", orNull: parts?.runnable)
    }
}
