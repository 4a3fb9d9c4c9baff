import TaskEvents
import TraceAnalysis
import TraceStore

extension Report {
    /// The version of the JSON's keys and their meanings.
    package static let format = 1

    /// Writes the report as one JSON object, and a line break.
    ///
    /// Each task, executor, fault, hop and warning is an object on a line of its own, written when its turn comes, so that the report of a long
    /// trace does not have to fit into memory. The keys of the outer object are in the design's order, those of the inner objects are
    /// sorted; two reports of one trace are the same bytes. All keys are always there, with null for what did not happen. Tasks that were
    /// first seen after their creation was lost have a `created_ns` of null; `lost` counts the records.
    package func writeJSON(to output: inout some TextOutputStream) {
        var line = JSONLine()
        line.begin("{")
        line.field("format", Self.format)
        line.field("program", program)
        line.field("duration_ns", store.now)
        line.field("events", store.toldCount)
        line.field("lost", store.lostCount)
        let faults = FaultAnalysis(store, readers: ErrorReaders(store))
        let queues = QueuePlaces(store)
        line.list("tasks", store.rows.lazy.map { ReportedTask(store[$0], in: store, faults, queues) }, to: &output)
        line.list("executors", store.executors.lazy.map { ReportedExecutor($0) }, to: &output)
        line.list("faults", faults.faults().lazy.map { ReportedFault($0, in: store) }, to: &output)
        line.list("hops", HopAnalysis(store).hops().lazy.map { ReportedHop($0, in: store) }, to: &output)
        line.list("warnings", warnings.findings.lazy.map { ReportedWarning($0, of: warnings, in: store) }, to: &output)
        line.list("rules", warnings.checks.lazy.map { ReportedRule($0) }, to: &output)
        line.list("sites", LiveSite.all(in: store).lazy.map { ReportedSite($0, now: store.now) }, to: &output)
        line.end("}")
        line.flush(to: &output)
        output.write("\n")
    }
}
