import TaskEvents
import TextOutput
import TraceAnalysis

/// A hop as every output states it.
package struct ReportedHop {
    package let task: TaskID
    /// Nil for a thread of no executor.
    package let from: String?
    package let to: String
    package let hopClass: HopClass
    package let at: UInt64
    /// Nil while the job waits, or if it did not have to wait.
    package let wait: UInt64?

    func write(to line: inout JSONLine) {
        line.field("class", hopClass.name)
        line.field("from", orNull: from)
        line.field("task", task.rawValue)
        line.field("to", to)
        line.field("wait_ns", orNull: wait)
    }
}
