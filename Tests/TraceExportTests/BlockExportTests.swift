import Foundation
import TaskEvents
import Testing
import TraceExport
import TraceTestKit

/// Blocks of Dispatch in exports.
@Suite struct BlockExportTests {
    /// A task makes two blocks, one of which makes a task.
    private static func trace() -> ExportedTrace {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let load = trace.create(.detached, "load", line: 3)
        let (first, second) = (trace.block("first", on: main, by: load, line: 4), trace.block("second", on: main, by: load, line: 9))
        trace.start(first, .slice, on: main)
        trace.advance(milliseconds: 30)
        _ = trace.create(.unstructured, "show", of: [first], line: 5)
        trace.complete(first)
        trace.start(second, .slice, on: main)
        trace.advance(milliseconds: 10)
        trace.complete(second)
        return ExportedTrace(trace)
    }

    @Test func tablesHaveARowForEachPlace() throws {
        let rows = Self.trace().text(.tables).split(separator: "\n").filter { $0.contains(#""table":"block""#) }
        #expect(rows.count == 2)
        let row = try #require(rows.first { $0.contains("main.swift:9") })
        #expect(
            row.hasSuffix(
                #""operation":null,"executor":"main","count":1,"busy_ns":10000000,"longest_ns":10000000,"wait_p99_ns":30000000}"#))
    }

    @Test func aBlockIsASpan() {
        let text = Self.trace().text(.otlp)
        #expect(text.components(separatedBy: #""stringValue":"block""#).count == 3)
        #expect(text.contains(#""name":"App/main.swift:4""#))
    }

    @Test func aGraphGoesOnThroughTheBlockThatResumedATask() {
        var trace = TraceBuilder()
        let queue = trace.executor("db", .queue)
        let load = trace.create(.detached, "load", line: 3)
        let block = trace.block("load", on: queue, by: load, line: 4)
        trace.start(block, .slice, on: queue)
        trace.enqueue(load, on: queue, by: block)
        trace.complete(block)
        trace.complete(load)
        let text = ExportedTrace(trace).text(.dot)
        #expect(text.contains("t1 -> t\(block.rawValue)"))
        #expect(text.contains("t\(block.rawValue) -> t1 [") && text.contains("resumed"), "\(text)")
    }

    @Test func aGraphGoesOnThroughTheBlockThatMadeATask() {
        let text = Self.trace().text(.dot)
        let block = TaskID.firstBlock + 1
        #expect(text.contains("t1 -> t\(block)"))
        #expect(text.contains("t\(block) -> t2"))
        #expect(text.contains("block 1: first"))
        #expect(!text.contains("second") && !text.contains("unknown"))
        #expect(!Self.trace().text(.mermaid).contains("second"))
    }
}
