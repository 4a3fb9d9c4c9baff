import TaskEvents
import Testing
import TextOutput
import TraceStore
import TraceTestKit

@testable import TraceReport

/// The causes for which tasks have not ended, in the order of their likeliness.
@Suite struct WaitCauseTests {
    private func causes(_ trace: TraceBuilder) throws -> [JSONObject] {
        try ReportedWaitCause.all(in: trace.store()).map { cause in
            var line = JSONLine()
            line.object { cause.write(to: &$0) }
            return try JSONObject(line.text)
        }
    }

    @Test("A library that waits for longer than a request does stands behind it")
    func putsLibrariesLast() throws {
        var trace = TraceBuilder()
        let loop = trace.create(.unstructured, "server", on: .none)
        trace.start(loop, .slice)
        trace.suspend(
            loop, .continuation, in: trace.code(CodeSymbol(function: "Server.run()", file: "Server.swift", line: 3, library: "server")))
        trace.advance(milliseconds: 1_000)
        let request = trace.create(.unstructured, "request", on: .none)
        trace.start(request, .slice)
        trace.suspend(request, .continuation, in: trace.code(CodeSymbol(function: "answer()", file: "App.swift", line: 8)))
        trace.advance(milliseconds: 1_000)
        trace.mark("later")
        let found = try causes(trace)
        #expect(found.map { $0.number("task") } == [2, 1])
        #expect(found.first?.text("where")?.hasSuffix("App.swift:8") == true)
    }

    @Test("Tasks that wait alike are one cause, which shows one that it holds up; a task that has ended is none")
    func countsAlike() throws {
        var trace = TraceBuilder()
        let actor = trace.executor("Store", .actor)
        let holder = trace.root("holder", on: actor)
        trace.enqueue(holder)
        trace.start(holder)
        for number in 0..<5 { trace.enqueue(trace.root("caller \(number)", on: actor, line: UInt32(number + 2))) }
        let ended = trace.root("ended")
        trace.start(ended)
        trace.complete(ended)
        trace.advance(milliseconds: 10)
        trace.mark("later")
        let found = try causes(trace)
        #expect(found.count == 1 && found.first?.number("tasks_waiting") == 6)
        #expect(found.first?.list("chain").map { $0.text("name") } == ["`caller 0`", "`holder`"])
        #expect(ReportedWaitCause(of: try #require(trace.store().task(ended)), ReportRows(trace.store())) == nil)
    }
}
