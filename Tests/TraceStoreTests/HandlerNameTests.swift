import TaskEvents
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

/// The names of tasks that a library made, as a server's requests are: each is called after the user's function that it runs.
@Suite struct HandlerNameTests {
    /// The entries of a program without the names of its code: the label of the library's tasks, and code in which they wait.
    private struct Server {
        var entries = EntryTable()
        let request = EntryID(rawValue: 3), inHandler = EntryID(rawValue: 4), inOther = EntryID(rawValue: 5), idle = EntryID(rawValue: 6)
        let audit = EntryID(rawValue: 7)

        init() {
            let places = (1...4).map { AddressRecord(module: EntryID(rawValue: 1), offset: $0) }
            for entry in [
                Entry.none, .text("/program"), .code(.calls, [places[0]]), .label(name: .none, file: EntryID(rawValue: 2), line: 0),
                .code(.resumes, [places[1], places[0]]), .code(.resumes, [places[2], places[0]]), .code(.resumes, [places[3], places[0]]),
                .label(name: .none, file: EntryID(rawValue: 4), line: 0),
            ] { entries.append(entry) }
        }

        mutating func learn() {
            func name(_ function: String, _ library: String, _ line: UInt32 = 1) -> CodeSymbol {
                CodeSymbol(function: function, file: "App.swift", line: line, library: library)
            }
            let names = [
                name("Server.run()", "hummingbird"), name("orders(_:)", "", 2), name("mail(_:)", ""), name("Channel.read()", "swift-nio"),
            ]
            entries.learn(
                Dictionary(
                    uniqueKeysWithValues: names.enumerated().map {
                        (CodeAddress(module: "/program", offset: UInt32($0 + 1)), $1)
                    }))
        }

        /// One that ended, one that waits for its next request, one that goes to an actor, one that answers one request after another,
        /// and one whose code has nothing of the user's.
        func batch() -> TraceBatch {
            var trace = TraceBuilder()
            func wait(_ task: UInt64, _ code: EntryID) {
                trace.emit(TaskEvent(.resumed, task: TaskID(rawValue: task)))
                trace.emit(TaskEvent(.suspended, task: TaskID(rawValue: task), label: code, detail: SuspensionReason.continuation.rawValue))
            }
            for task in UInt64(1)...5 {
                trace.emit(TaskEvent(.created, task: TaskID(rawValue: task), label: request, detail: TaskKind.detached.rawValue))
            }
            wait(1, inHandler)
            trace.emit(TaskEvent(.completed, task: TaskID(rawValue: 1)))
            wait(2, inHandler)
            wait(2, idle)
            wait(3, idle)
            trace.emit(TaskEvent(.hopped, task: TaskID(rawValue: 3), executor: ExecutorID(rawValue: 1), label: inHandler))
            wait(4, inHandler)
            wait(4, inOther)
            wait(5, idle)
            // One that makes a task in the handler, and waits for nothing there.
            trace.emit(TaskEvent(.created, task: TaskID(rawValue: 6), label: request, detail: TaskKind.detached.rawValue))
            trace.emit(
                TaskEvent(
                    .created, task: TaskID(rawValue: 7), other: 6, label: audit, detail: TaskKind.unstructured.rawValue))
            trace.emit(TaskEvent(.mark))
            return trace.batch
        }
    }

    private func names(_ store: TraceStore) -> [String] {
        (UInt64(1)...6).map { store.task(TaskID(rawValue: $0))?.label.name ?? "" }
    }

    private let expected = ["orders(_:)", "orders(_:)", "orders(_:)", "mail(_:)", "hummingbird: Server.run()", "orders(_:)"]

    @Test("A request has its handler's name, whether the names of code are known before the events or only after them")
    func namedLate() {
        var server = Server()
        let store = TraceStore(retention: Retention())
        store.entries = server.entries
        store.apply(server.batch())
        server.learn()
        store.entries = server.entries
        #expect(names(store) == expected)

        let early = TraceStore(retention: Retention())
        early.entries = server.entries
        early.apply(server.batch())
        #expect(names(early) == expected)
    }

    @Test("A task has the name that its own code gives to it last, also after its end, unless it was created with one")
    func marked() {
        var server = Server()
        server.learn()
        let (orders, mails, given) = (EntryID(rawValue: 8), EntryID(rawValue: 9), EntryID(rawValue: 10))
        for entry in [Entry.text("GET /orders"), .text("GET /mails"), .label(name: orders, file: .none, line: 0)] {
            server.entries.append(entry)
        }
        var trace = TraceBuilder()
        func name(_ task: UInt64, _ text: EntryID) {
            trace.emit(TaskEvent(.mark, task: TaskID(rawValue: task), label: text, detail: MarkManner.name.rawValue))
        }
        for (task, label) in [(UInt64(1), server.request), (2, server.request), (3, given), (4, .none)] {
            trace.emit(TaskEvent(.created, task: TaskID(rawValue: task), label: label, detail: TaskKind.detached.rawValue))
            name(task, mails)
        }
        name(1, orders)
        trace.emit(TaskEvent(.resumed, task: TaskID(rawValue: 1)))
        trace.emit(
            TaskEvent(
                .suspended, task: TaskID(rawValue: 1), label: server.inHandler, detail: SuspensionReason.continuation.rawValue))
        trace.emit(TaskEvent(.completed, task: TaskID(rawValue: 1)))
        trace.emit(TaskEvent(.mark, task: TaskID(rawValue: 2), label: orders))
        let store = TraceStore(retention: Retention())
        store.entries = server.entries
        store.apply(trace.batch)
        let labels = (UInt64(1)...4).compactMap { store.task(TaskID(rawValue: $0))?.label }
        #expect(labels.map(\.fullName) == ["GET /orders", "GET /mails", "GET /orders", "GET /mails"])
        // The place is still that of the code.
        #expect(labels.map(\.site) == ["App.swift:2", "App.swift:1", "", ""])
        #expect(labels.allSatisfy { $0.givenName != nil })
    }

    @Test("The past has the names, too")
    func past() {
        var server = Server()
        let history = TraceHistory()
        history.latest.entries = server.entries
        history.apply(server.batch())
        server.learn()
        history.latest.entries = server.entries
        history.seek(to: history.eventCount - 1)
        #expect(names(history.store) == expected)
    }
}
