import TaskEvents
import TraceStore

/// An executor as the JSON report has it. Its `id` is its number in the trace; everything that refers to it does so by name.
struct ReportedExecutor: Encodable {
    private let executor: ExecutorView

    init(_ executor: ExecutorView) {
        self.executor = executor
    }

    private enum Key: String, CodingKey {
        case id, name, kind, jobs
        case maxDepth = "max_depth"
        case waitP50 = "wait_p50_ns"
        case waitP99 = "wait_p99_ns"
        case busy = "busy_ns"
        case longestJob = "longest_job_ns"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(executor.id.rawValue, forKey: .id)
        try container.encode(executor.name, forKey: .name)
        try container.encode(executor.kind.name, forKey: .kind)
        try container.encode(executor.jobs, forKey: .jobs)
        try container.encode(executor.maxDepth, forKey: .maxDepth)
        try container.encodeOrNull(executor.waits.p50, forKey: .waitP50)
        try container.encodeOrNull(executor.waits.p99, forKey: .waitP99)
        try container.encode(executor.busy, forKey: .busy)
        try container.encodeOrNull(executor.jobs == 0 ? nil : executor.longestJob, forKey: .longestJob)
    }
}
