import TaskEvents
import Testing
import TraceStore
import TraceTestKit

@testable import TraceAnalysis

@Suite struct SlowestTasksTests {
    @Test("The tasks of libraries, which live as long as a server, count only if there are no others, or for their place")
    func libraries() {
        var trace = TraceBuilder()
        let library = trace.label(code: trace.code(CodeSymbol(function: "Server.run()", file: "Server.swift", line: 3, library: "server")))
        func run(_ task: TaskID, milliseconds: UInt64) {
            trace.start(task, .slice)
            trace.advance(milliseconds: milliseconds)
            trace.complete(task)
        }
        func slowest(madeAt place: String? = nil) -> [TaskID] {
            let store = trace.store()
            return store.slowestTasks(madeAt: place).map { store[$0].id }
        }
        let server = trace.reserveTask()
        trace.emit(TaskEvent(.created, task: server, label: library, detail: TaskKind.detached.rawValue))
        run(server, milliseconds: 900)
        #expect(slowest() == [server])
        let requests = (1...3).map { number in
            let request = trace.create(.unstructured, "request", line: 10)
            run(request, milliseconds: number == 2 ? 30 : 5)
            return request
        }
        _ = trace.create(.unstructured, "open", line: 10)
        #expect(slowest() == [requests[1], requests[0], requests[2]])
        #expect(slowest(madeAt: "main.swift:10") == slowest())
        #expect(slowest(madeAt: "Server.swift:3") == [server])
        #expect(slowest(madeAt: "ain.swift:10").isEmpty)
    }
}
