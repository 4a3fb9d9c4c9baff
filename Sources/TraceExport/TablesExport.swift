import TaskEvents
import TextOutput
import TraceAnalysis
import TraceReport
import TraceStore

/// Flat rows for analysts, one JSON object per line: a row per ended task, hop, fault and finding. `Docs/Exports.md` lists the columns.
///
/// Every row has the same columns of its table, with null for what did not happen, so that DuckDB and others can read the file as it is.
struct TablesExport {
    private let store: TraceStore
    private let program: String
    private let start: UInt64
    private let warnings: WarningList

    init(_ store: TraceStore, program: String, startedAt start: UInt64, warnings: WarningList) {
        self.store = store
        self.program = program
        self.start = start
        self.warnings = warnings
    }

    func write(to output: inout some TextOutputStream) {
        let faults = FaultAnalysis(store, readers: ErrorReaders(store))
        for row in store.rows where store[row].state.hasEnded {
            write("task", to: &output) { writeTask(store[row], faults, to: &$0) }
        }
        for hop in HopAnalysis(store).hops() {
            write("hop", to: &output) { writeHop(hop, to: &$0) }
        }
        for fault in faults.faults() {
            write("fault", to: &output) { writeFault(fault, to: &$0) }
        }
        for finding in warnings.findings {
            write("finding", to: &output) { writeFinding(finding, to: &$0) }
        }
    }

    /// Writes one row. All tables begin with the same columns, which tell the runs of a fleet apart.
    private func write(_ table: String, to output: inout some TextOutputStream, _ fields: (inout JSONLine) -> Void) {
        var line = JSONLine()
        line.object { line in
            line.field("table", table)
            line.field("program", program)
            line.field("run_start_unix_ns", start)
            fields(&line)
        }
        output.write(line.text)
        output.write("\n")
    }

    private func writeTask(_ task: TaskView, _ faults: FaultAnalysis, to line: inout JSONLine) {
        line.field("task", task.id.rawValue)
        line.field("chain", task.chain.rawValue)
        line.field("kind", task.kind.name)
        line.field("name", task.label.name)
        line.field("where", orNull: place(of: task))
        line.field("executor", orNull: task.executor == .none ? nil : store.description(of: task.executor).name)
        line.field("state", task.state.name)
        line.field("role", orNull: faults.role(of: task)?.name)
        writeError(task.state == .faulted ? task.error : nil, to: &line)
        line.field("created_ns", orNull: task.created)
        line.field("queued_ns", orNull: task.queued)
        line.field("started_ns", orNull: task.started)
        line.field("ended_ns", orNull: task.ended)
        line.field("wait_ns", task.queuedTime)
        line.field("busy_ns", task.busy)
        line.field("suspended_ns", task.suspendedTime)
        line.field("hops", task.hopCount)
    }

    private func writeHop(_ hop: ClassedHop, to line: inout JSONLine) {
        line.field("task", hop.hop.task.rawValue)
        line.field("where", orNull: store.task(hop.hop.task).flatMap(place))
        line.field("from", orNull: hop.hop.from == .none ? nil : store.description(of: hop.hop.from).name)
        line.field("to", store.description(of: hop.hop.to).name)
        line.field("class", hop.hopClass.name)
        line.field("at_ns", hop.hop.at)
        line.field("wait_ns", orNull: hop.hop.wait)
    }

    private func writeFault(_ fault: FaultPath, to line: inout JSONLine) {
        let origin = store.task(fault.origin)
        line.field("task", fault.origin.rawValue)
        line.field("where", orNull: origin.flatMap(place))
        writeError(fault.error, to: &line)
        line.field("verdict", fault.verdict.name)
        line.field("tasks", fault.steps.count)
        line.field("at_ns", orNull: origin?.ended)
    }

    private func writeFinding(_ finding: Finding, to line: inout JSONLine) {
        line.field("rule", finding.rule)
        line.field("severity", finding.severity.name)
        line.field("task", orNull: finding.task == .none ? nil : finding.task.rawValue)
        line.field("where", orNull: warnings.place(of: finding, in: store))
        line.field("message", warnings.message(of: finding, in: store))
        line.field("at_ns", finding.at)
    }

    private func writeError(_ error: EntryID?, to line: inout JSONLine) {
        let error = error.map { ReportedError($0, in: store) }
        line.field("error_type", orNull: error?.type)
        line.field("error_message", orNull: error?.message)
    }

    private func place(of task: TaskView) -> String? {
        let label = task.label
        return label.site.isEmpty ? nil : label.site
    }
}
