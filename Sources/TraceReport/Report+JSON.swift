import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

extension Report {
    /// The version of the JSON's keys and their meanings.
    package static let format = 1

    /// Writes the report as one JSON object, followed by a line break.
    ///
    /// Each task, executor, fault, cancellation, hop and warning is an object on its own line. It is written as soon as it is made, so that
    /// the report of a long trace does not have to fit into memory. The keys of the outer object have a fixed order; the keys of the inner
    /// objects are sorted. Two reports of one trace are identical. Every key is always present, with null for events that did not happen. A
    /// task first seen after its creation record was lost has a `created_ns` of null; `lost` counts the lost records. So has an `adopted` one,
    /// which was there before the probe was loaded.
    package func writeJSON(to output: inout some TextOutputStream) {
        let rows = ReportRows(store, steps: steps)
        var line = JSONLine()
        line.begin("{")
        line.field("format", Self.format)
        line.field("program", program)
        line.field("duration_ns", store.now)
        line.field("events", store.toldCount)
        line.field("lost", store.lostCount)
        line.field("ended", store.isOver)
        line.list("tasks", store.rows, to: &output) { rows.task(store[$1]).write(to: &$0) }
        Self.writeBlocks(rows, to: &line)
        line.list("executors", store.executors, to: &output) { Self.write($1, to: &$0) }
        line.list("faults", rows.faults, to: &output) { $1.write(to: &$0) }
        line.list("cancellations", rows.cancellations, to: &output) { $1.write(to: &$0) }
        line.list("hops", rows.hops, to: &output) { $1.write(to: &$0) }
        line.list("warnings", ReportedFinding.all(of: warnings, in: store), to: &output) { $1.write(to: &$0) }
        line.list("rules", warnings.checks, to: &output) { line, check in
            line.field("checked", check.isChecked)
            line.field("rule", check.rule)
            line.field("why", orNull: check.why)
        }
        line.list("sites", LiveSite.all(in: store), to: &output) { Self.write($1, now: store.now, to: &$0) }
        line.end("}")
        line.flush(to: &output)
        output.write("\n")
    }

    /// The blocks that the program gave to Dispatch, operation queues and run loops, by the place that made them.
    private static func writeBlocks(_ rows: ReportRows, to line: inout JSONLine) {
        line.begin("{", "blocks", onLine: true)
        line.field("count", rows.blockCount)
        line.array("places") { line in
            for place in rows.blockPlaces {
                line.object { line in
                    line.field("busy_ns", place.busy)
                    line.field("count", place.count)
                    line.field("executor", orNull: place.executor)
                    line.field("longest_ns", place.longest)
                    line.field("operation", orNull: place.operation)
                    line.field("wait_p99_ns", orNull: place.waitP99)
                    line.field("where", orNull: place.place)
                }
            }
        }
        line.end("}")
    }

    /// An executor's `id` is its number in the trace; other objects refer to it by name.
    private static func write(_ executor: ExecutorView, to line: inout JSONLine) {
        line.field("busy_ns", orNull: executor.busy)
        line.field("id", Int(executor.id.rawValue))
        line.field("jobs", executor.jobs)
        line.field("kind", executor.kind.name)
        line.field("longest_job_ns", orNull: executor.longestJob?.nanoseconds)
        line.field("max_depth", executor.maxDepth)
        line.field("name", executor.name)
        line.field("wait_p50_ns", orNull: executor.waits.p50)
        line.field("wait_p99_ns", orNull: executor.waits.p99)
    }

    private static func write(_ site: LiveSite, now: UInt64, to line: inout JSONLine) {
        line.field("created", site.created)
        line.field("growth_per_s", thousandths: site.thousandthsPerSecond(until: now))
        line.field("live", site.live)
        line.field("oldest_ns", orNull: site.oldest.map { now > $0 ? now - $0 : 0 })
        line.field("where", site.site)
    }
}
