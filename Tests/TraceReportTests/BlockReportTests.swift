import TaskEvents
import Testing
import TraceStore
import TraceTestKit

@testable import TraceReport

/// Blocks in a report: the table of their places, and the cause of a wait for the executor that a block holds.
@Suite struct BlockReportTests {
    private static func trace() -> TraceBuilder {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.create(.detached, "load", line: 3)
        for milliseconds: UInt64 in [30, 10] {
            let block = trace.block("load", on: main, by: task, line: 4)
            trace.advance(milliseconds: 1)
            trace.start(block, .slice, on: main)
            trace.advance(milliseconds: milliseconds)
            trace.complete(block)
        }
        let long = trace.block("load", on: main, by: task, line: 9, operation: "resize")
        trace.start(long, .slice, on: main)
        trace.enqueue(task, on: main)
        trace.advance(milliseconds: 5)
        trace.mark("now")
        return trace
    }

    @Test func jsonHasTheBlocksByPlaceAndTheCauseOfAWait() throws {
        let json = SampleTrace.json(of: Self.trace())
        #expect(
            json.contains(
                """
                "blocks":{"count":3,"places":[{"busy_ns":40000000,"count":2,"executor":"main","longest_ns":30000000,"operation":null,"wait_p99_ns":1000000,\
                "where":"App/main.swift:4"},{"busy_ns":5000000,"count":1,"executor":"main","longest_ns":5000000,"operation":"resize","wait_p99_ns":0,\
                "where":"App/main.swift:9"}]}
                """))
        #expect(json.contains(#""cause":{"kind":"block","where":"App/main.swift:9"}"#))
        #expect(!json.contains(#""kind":"block","name""#))
    }

    @Test func textHasATableOfBlocks() throws {
        var text = ""
        Report(of: Self.trace().store(), program: "app").writeText(to: &text)
        #expect(text.contains("3 blocks"))
        #expect(text.contains("App/main.swift:4  "))
        #expect(text.contains("App/main.swift:9 resize  "))
        #expect(text.contains("1 task "))
    }
}
