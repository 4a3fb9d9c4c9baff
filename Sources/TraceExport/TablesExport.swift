import TaskEvents
import TextOutput
import TraceAnalysis
import TraceReport
import TraceStore

/// Flat rows for analysts, one JSON object per line: a row per ended task, place of blocks, hop, fault and finding. `Docs/Exports.md` lists
/// the columns.
///
/// Every row has the same columns of its table, with null for what did not happen, so that DuckDB and others can read the file as it is.
struct TablesExport: Export {
    static let name = "tables"
    static let summary = "ended tasks, blocks by place, hops, faults and findings, a JSON object a line, for DuckDB and others"

    let trace: Exporter

    func write(to output: inout some TextOutputStream) {
        let store = trace.store
        let rows = ReportRows(store)
        for row in store.rows where store[row].state.hasEnded {
            write("task", to: &output) { write(rows.task(store[row]), to: &$0) }
        }
        for blocks in rows.blockPlaces {
            write("block", to: &output) { write(blocks, to: &$0) }
        }
        for hop in rows.hops {
            write("hop", to: &output) { write(hop, at: rows.site(of: hop.task), to: &$0) }
        }
        for fault in rows.faults {
            write("fault", to: &output) { write(fault, at: rows.site(of: fault.origin), to: &$0) }
        }
        for finding in ReportedFinding.all(of: trace.warnings, in: store) {
            write("finding", to: &output) { write(finding, to: &$0) }
        }
    }

    /// Writes one row. All tables begin with the same columns, which tell the runs of a fleet apart.
    private func write(_ table: String, to output: inout some TextOutputStream, _ fields: (inout JSONLine) -> Void) {
        var line = JSONLine()
        line.object { line in
            line.field("table", table)
            line.field("program", trace.program)
            line.field("run_start_unix_ns", trace.start)
            fields(&line)
        }
        output.write(line.text)
        output.write("\n")
    }

    private func write(_ task: ReportedTask, to line: inout JSONLine) {
        line.field("task", task.id.rawValue)
        line.field("chain", task.chain.rawValue)
        line.field("kind", task.kind.name)
        line.field("name", task.label.fullName)
        line.field("where", orNull: task.label.knownSite)
        line.field("executor", orNull: task.executor)
        line.field("state", task.state.word)
        line.field("role", orNull: task.role?.name)
        write(task.error, to: &line)
        line.field("created_ns", orNull: task.created)
        line.field("queued_ns", orNull: task.queued)
        line.field("started_ns", orNull: task.started)
        line.field("ended_ns", orNull: task.ended)
        line.field("wait_ns", orNull: task.queuedTime)
        line.field("busy_ns", orNull: task.busy)
        line.field("suspended_ns", orNull: task.suspendedTime)
        // The queued part is `wait_ns`.
        line.field("on_cpu_ns", orNull: task.time?.onCPU)
        line.field("runnable_ns", orNull: task.time?.runnable)
        line.field("blocked_ns", orNull: task.time?.blocked)
        line.field("awaiting_ns", orNull: task.time?.awaiting)
        line.field("hops", orNull: task.hops)
    }

    private func write(_ blocks: ReportedBlocks, to line: inout JSONLine) {
        line.field("where", orNull: blocks.place)
        line.field("operation", orNull: blocks.operation)
        line.field("executor", orNull: blocks.executor)
        line.field("count", blocks.count)
        line.field("busy_ns", blocks.busy)
        line.field("longest_ns", blocks.longest)
        line.field("wait_p99_ns", orNull: blocks.waitP99)
    }

    private func write(_ hop: ReportedHop, at site: String?, to line: inout JSONLine) {
        line.field("task", hop.task.rawValue)
        line.field("where", orNull: site)
        line.field("from", orNull: hop.from)
        line.field("to", hop.to)
        line.field("class", hop.hopClass.name)
        line.field("at_ns", hop.at)
        line.field("wait_ns", orNull: hop.wait)
    }

    private func write(_ fault: ReportedFault, at site: String?, to line: inout JSONLine) {
        line.field("task", fault.origin.rawValue)
        line.field("where", orNull: site)
        write(fault.error, to: &line)
        line.field("verdict", fault.verdict.name)
        line.field("tasks", fault.path.count)
        line.field("at_ns", orNull: fault.at)
    }

    private func write(_ finding: ReportedFinding, to line: inout JSONLine) {
        line.field("rule", finding.rule)
        line.field("severity", finding.severity.name)
        line.field("task", orNull: finding.task)
        line.field("where", orNull: finding.site)
        line.field("message", finding.message)
        line.field("at_ns", orNull: finding.at)
    }

    private func write(_ error: ReportedError?, to line: inout JSONLine) {
        line.field("error_type", orNull: error?.type)
        line.field("error_message", orNull: error?.message)
    }
}
