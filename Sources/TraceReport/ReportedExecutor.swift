import TaskEvents
import TextOutput
import TraceStore

/// An executor in the JSON report. Its `id` is its number in the trace; other objects refer to it by name.
struct ReportedExecutor: JSONFields {
    private let executor: ExecutorView

    init(_ executor: ExecutorView) {
        self.executor = executor
    }

    func writeFields(to line: inout JSONLine) {
        line.field("busy_ns", executor.busy)
        line.field("id", Int(executor.id.rawValue))
        line.field("jobs", executor.jobs)
        line.field("kind", executor.kind.name)
        line.field("longest_job_ns", orNull: executor.jobs == 0 ? nil : executor.longestJob)
        line.field("max_depth", executor.maxDepth)
        line.field("name", executor.name)
        line.field("wait_p50_ns", orNull: executor.waits.p50)
        line.field("wait_p99_ns", orNull: executor.waits.p99)
    }
}
