import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// The program's asynchronous `main` is a task like any other of Swift's.
@Suite struct MainTaskTests {
    private func begun(_ swift: inout SwiftTrace) -> TaskID {
        let main = swift.task("main", .main)
        swift.beginMain(main)
        return main
    }

    @Test("Main that goes to and fro is told, as any Swift task is, with the place of its hops")
    func bounce() throws {
        var swift = SwiftTrace()
        let main = begun(&swift)
        let place = swift.trace.code(CodeSymbol(function: "run()", file: "App.swift", line: 14))
        for _ in 0..<8 {
            for (from, to) in [(swift.main, swift.global), (swift.global, swift.main)] {
                swift.leave(main, from: from, to: to, at: place)
                swift.wait(milliseconds: 5)
                swift.begin(main, on: to, lane: 60)
                swift.wait(microseconds: 10)
            }
        }
        let list = Warned(swift.trace).list
        let finding = try #require(list.findings.first { $0.rule == "hop-bounce" })
        #expect(list.site(of: finding, in: swift.trace.store()) == "App.swift:14")
    }

    @Test("A stall of main by a task's later slice names the await after which it ran")
    func placeOfAStall() throws {
        var swift = SwiftTrace()
        let task = swift.task("draw", .detached)
        let place = swift.trace.code(CodeSymbol(function: "draw()", file: "App.swift", line: 25))
        swift.enqueue(task, on: swift.main)
        swift.begin(task, on: swift.main)
        swift.suspend(task, on: swift.main, at: place)
        swift.wait(milliseconds: 10)
        swift.enqueue(task, on: swift.main)
        swift.begin(task, on: swift.main)
        swift.wait(milliseconds: 300)
        swift.complete(task)
        #expect(Warned(swift.trace).messages == ["`draw` kept main busy for 300.0 ms after the await at App.swift:25."])
    }
}
