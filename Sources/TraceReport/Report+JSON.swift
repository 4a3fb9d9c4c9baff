import Foundation
import TaskEvents
import TraceAnalysis
import TraceStore

extension Report {
    /// The version of the JSON's keys and their meanings.
    package static let format = 1

    /// Writes the report as one JSON object, and a line break.
    ///
    /// Each task, executor, fault, hop and warning is an object on a line of its own, encoded when its turn comes, so that a long trace's report does
    /// not have to fit into memory. The outer object's keys are in the design's order. `JSONEncoder` gives the inner objects' keys in no
    /// order of its own: they are sorted, which makes two reports of one trace the same bytes. All keys are always there, with null for what
    /// did not happen. Tasks that were first seen after their creation was lost have a `created_ns` of null; `lost` counts the records.
    package func writeJSON(to output: inout some TextOutputStream) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = { (element: any Encodable) in String(decoding: try encoder.encode(element), as: UTF8.self) }

        output.write(#"{"format":\#(Self.format),"program":\#(try line(program)),"duration_ns":\#(store.now),"#)
        output.write(#""events":\#(store.toldCount),"lost":\#(store.lostCount)"#)
        let faults = FaultAnalysis(store, readers: ErrorReaders(store))
        try write("tasks", store.rows.lazy.map { ReportedTask(store[$0], in: store, faults) }, to: &output, line)
        try write("executors", store.executors.lazy.map { ReportedExecutor($0) }, to: &output, line)
        try write("faults", faults.faults().lazy.map { ReportedFault($0, in: store) }, to: &output, line)
        try write("hops", HopAnalysis(store).hops().lazy.map { ReportedHop($0, in: store) }, to: &output, line)
        try write("warnings", warnings.findings.lazy.map { ReportedWarning($0, of: warnings, in: store) }, to: &output, line)
        output.write("}\n")
    }

    private func write<Element: Encodable>(
        _ key: String, _ elements: some Sequence<Element>, to output: inout some TextOutputStream, _ line: (any Encodable) throws -> String
    ) throws {
        output.write(",\n\"\(key)\":[")
        var separator = "\n"
        for element in elements {
            output.write(separator)
            output.write(try line(element))
            separator = ",\n"
        }
        output.write(separator == "\n" ? "]" : "\n]")
    }
}
