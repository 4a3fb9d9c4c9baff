import TaskEvents
import Testing
import TraceStore
import TraceTestKit

@testable import TraceAnalysis

/// A query whose last word the user has not finished.
@Suite struct TypingTests {
    private func count(_ text: String, isTyping: Bool = true) throws -> Int {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let save = trace.root("save", on: main)
        trace.run(save)
        let load = trace.root("load")
        trace.fault(load, type: "Refused")
        _ = trace.source("gate")
        let store = trace.store()
        return TaskQueryMatcher(try TaskQuery(text, isTyping: isTyping), in: store).tasks().count
    }

    @Test(
        "It matches all that it can become",
        arguments: [
            ("sta", 3), ("state:", 3), ("state:f", 1), ("state:s", 1), ("state:faulted,", 1), ("state:faulted,p", 2), ("on:ma", 1),
            ("on:", 3), ("total>", 3), ("total>10m", 3), ("total>0ns", 1), ("-sa", 3), ("warn:n", 0), ("name:sa", 1), ("save", 1),
        ])
    func unfinished(text: String, expected: Int) throws {
        #expect(try count(text) == expected)
    }

    @Test("A finished word before it counts as it stands")
    func finishedWords() throws {
        #expect(try count("on:ma state:f") == 0)
        #expect(try count("state:p state:f") == 0)
    }

    @Test("A filter means the same while it is typed and when it is kept", arguments: ["state:pend", "state:s", "kind:jo", "warn:n"])
    func kept(text: String) throws {
        #expect(try TaskQuery(text, isTyping: true).terms == TaskQuery(text).terms)
    }

    @Test("A filter of events means the same while it is typed and when it is kept", arguments: ["event:faul", "event:sta"])
    func keptOfEvents(text: String) throws {
        #expect(try EventQuery(text, isTyping: true).kinds == EventQuery(text).kinds)
    }

    @Test("A value that nothing begins with is a mistake", arguments: ["state:x", "kind:q", "colour:red"])
    func mistakes(text: String) {
        #expect(throws: QueryError.self) { try self.count(text) }
    }
}
