import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

extension Report {
    /// The version of the JSON's keys and their meanings.
    package static let format = 1

    /// Writes the report as one JSON object, followed by a line break.
    ///
    /// Each task, executor, fault, hop and warning is an object on its own line. It is written as soon as it is made, so that the report of
    /// a long trace does not have to fit into memory. The keys of the outer object have a fixed order; the keys of the inner objects are
    /// sorted. Two reports of one trace are identical. Every key is always present, with null for events that did not happen. A task first
    /// seen after its creation record was lost has a `created_ns` of null; `lost` counts the lost records.
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
