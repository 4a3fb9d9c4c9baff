import TaskEvents
import Testing
import TraceStore
import TraceTestKit
import TraceTransport

@testable import TraceAnalysis

/// Findings about tasks whose code had no name yet when they were made, as the first requests of a server.
@Suite struct LateNameTests {
    private let request = EntryID(rawValue: 3), inHandler = EntryID(rawValue: 4)

    private func entries(haveNames: Bool) -> EntryTable {
        var entries = EntryTable()
        let places = (1...2).map { AddressRecord(module: EntryID(rawValue: 1), offset: $0) }
        for entry in [
            Entry.none, .text("/program"), .code(.calls, [places[0]]), .label(name: .none, file: EntryID(rawValue: 2), line: 0),
            .code(.resumes, [places[1], places[0]]),
        ] { entries.append(entry) }
        guard haveNames else { return entries }
        let names = [
            CodeSymbol(function: "Server.run()", file: "Server.swift", line: 121, library: "hummingbird"),
            CodeSymbol(function: "report(_:)", file: "Shop.swift", line: 68, library: ""),
        ]
        entries.learn(
            Dictionary(
                uniqueKeysWithValues: names.enumerated().map { (CodeAddress(module: "/program", offset: UInt32($0 + 1)), $1) }))
        return entries
    }

    @Test("A finding made before its task's code had a name is at the place of the later ones, under the same name")
    func joins() throws {
        var trace = TraceBuilder()
        for task in UInt64(1)...2 {
            trace.emit(TaskEvent(.created, task: TaskID(rawValue: task), label: request, detail: TaskKind.detached.rawValue))
            trace.emit(TaskEvent(.resumed, task: TaskID(rawValue: task)))
            trace.emit(
                TaskEvent(.suspended, task: TaskID(rawValue: task), label: inHandler, detail: SuspensionReason.continuation.rawValue))
        }
        let store = TraceStore(retention: Retention())
        store.entries = entries(haveNames: false)
        store.apply(trace.batch)
        var book = WarningBook(limit: 10)
        func find(_ task: UInt64) {
            let id = TaskID(rawValue: task)
            book.add(Finding(MainStall(), store.task(id), at: task, measure: 400_000_000, evidence: [Evidence(.started, of: id, at: task)]))
        }
        find(1)
        store.entries = entries(haveNames: true)
        find(2)
        let early = try #require(book.entries.values.first { $0.newest.task == TaskID(rawValue: 1) })
        #expect(early.newest.label == request && book.entries.count == 2)
        let list = WarningList(book, [MainStall()], WarningSettings(), in: store, missedEvents: 0)
        let group = try #require(list.groups.first)
        #expect(list.groups.count == 1 && group.count == 2 && group.site == "Shop.swift:68")
        for finding in group.findings {
            #expect(list.site(of: finding, in: store) == "Shop.swift:68")
            #expect(list.message(of: finding, in: store).hasPrefix("`report(_:) Shop.swift:68` "))
        }
    }

    /// A server's task answers one request after another.
    @Test("A finding keeps the name and the place that its task had then")
    func keeps() throws {
        var entries = entries(haveNames: true)
        let (first, second) = (EntryID(rawValue: 5), EntryID(rawValue: 6))
        let inOther = EntryID(rawValue: 7)
        let place = AddressRecord(module: EntryID(rawValue: 1), offset: 3)
        for entry in [Entry.text("GET /report"), .text("GET /mail"), .code(.resumes, [place])] { entries.append(entry) }
        entries.learn([CodeAddress(module: "/program", offset: 3): CodeSymbol(function: "mail(_:)", file: "Shop.swift", line: 90)])
        let id = TaskID(rawValue: 1)
        let store = TraceStore(retention: Retention())
        store.entries = entries
        var book = WarningBook(limit: 10)
        func serve(_ name: EntryID, _ code: EntryID) {
            var trace = TraceBuilder()
            if name == first {
                trace.emit(TaskEvent(.created, task: id, label: request, detail: TaskKind.detached.rawValue))
            }
            trace.emit(TaskEvent(.mark, task: id, label: name, detail: MarkManner.name.rawValue))
            trace.emit(TaskEvent(.resumed, task: id))
            trace.emit(TaskEvent(.suspended, task: id, label: code, detail: SuspensionReason.continuation.rawValue))
            store.apply(trace.batch)
            book.add(
                Finding(
                    MainStall(), store.task(id), at: UInt64(name.rawValue), measure: 1, evidence: [Evidence(.started, of: id, at: 1)]))
        }
        serve(first, inHandler)
        serve(second, inOther)
        let list = WarningList(book, [MainStall()], WarningSettings(), in: store, missedEvents: 0)
        #expect(list.groups.map(\.site) == ["Shop.swift:68", "Shop.swift:90"])
        let messages = list.findings.map { list.message(of: $0, in: store) }
        #expect(zip(messages, ["`GET /report` ", "`GET /mail` "]).allSatisfy { $0.hasPrefix($1) })
    }
}
