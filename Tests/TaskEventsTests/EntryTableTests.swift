import Testing
import TraceTestKit

@testable import TaskEvents

/// Names, call sites and errors. Other suites' names may be in the table too, so each test looks for its own.
@Suite(.serialized)
struct EntryTableTests {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static func record<Result>(
        _ bus: EventBus, _ body: () throws -> Result
    ) rethrows -> Result {
        bus.start()
        defer { bus.stop() }
        return try body()
    }

    @Test(arguments: ["upload", "", "…", "名前", "a\u{0}b", String(repeating: "x", count: 4095)])
    func aLabelIsReadBackUnchanged(name: String) async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small()
            let id = Self.record(bus) { Emit.label(name: name, or: "not this", fileID: "Module/File.swift", line: 12) }
            let label = try #require(bus.entries.label(id))
            #expect(label == Label(name: name, file: "Module/File.swift", line: 12))
            #expect(label.site == "Module/File.swift:12")
        }
    }

    /// A thread remembers the labels that it has asked for: fewer than these, some in the same place, and none of an earlier recording.
    @Test func aRememberedLabelIsTheOneThatWasAskedFor() async throws {
        try await EventRecording.alone {
            let names = (0..<300).map { "name \($0)" } + (37...42).map { String(repeating: "x", count: $0) } + [""]
            for recording in 0..<2 {
                let bus = try EventBus.small()
                if recording == 1 { _ = Self.record(bus) { Emit.label(name: "first", or: "", fileID: "F.swift", line: 7) } }
                let ids = Self.record(bus) {
                    (0..<3).flatMap { _ in names.map { Emit.label(name: $0, or: "", fileID: "F.swift", line: 1) } }
                }
                #expect(ids.map { bus.entries.label($0)?.name } == names + names + names)
                let lines = Self.record(bus) { (1...2).map { Emit.label(name: "name 1", or: "", fileID: "F.swift", line: $0) } }
                #expect(lines.map { bus.entries.label($0)?.line } == [1, 2])
            }
        }
    }

    @Test func aTaskWithoutANameUsesTheLiteral() async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small()
            let ids = Self.record(bus) {
                [
                    Emit.label(name: nil, or: "function()", fileID: "F.swift", line: 1),
                    Emit.label(name: "function()", or: "", fileID: "F.swift", line: 1),
                ]
            }
            #expect(bus.entries.label(ids[0])?.name == "function()")
            #expect(ids[0] == ids[1])
        }
    }

    @Test func equalTextsAreOneEntry() async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small()
            let ids = Self.record(bus) { () -> [EntryID] in
                (0..<100).map { _ in Emit.label(name: ["up", "load"].joined(), or: "", fileID: "F.swift", line: 1) }
                    + [
                        Emit.label(name: "upload", or: "", fileID: "F.swift", line: 2),
                        Emit.label(name: "upload", or: "", fileID: "G.swift", line: 1),
                    ]
            }
            #expect(Set(ids).count == 3)
            let table = bus.entries
            #expect((0..<table.count).count { table.text(EntryID(rawValue: $0)) == "upload" } == 1)
        }
    }

    @Test func anErrorEntryHasTypeAndText() async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small()
            let ids = Self.record(bus) {
                [
                    Emit.error(Failure(description: "out of bounds")), Emit.error(CancellationError()),
                    Emit.error(Failure(description: "out of bounds")),
                ]
            }
            #expect(bus.entries.error(ids[0]) == ErrorDescription(type: "Failure", message: "out of bounds"))
            #expect(bus.entries.error(ids[1]) == ErrorDescription(type: "CancellationError", message: "CancellationError()"))
            #expect(ids[0] == ids[2] && ids[0] != ids[1])
        }
    }

    /// A text is kept up to a page and cut between characters.
    @Test(arguments: ["x", "é", "名", "🙂"])
    func aLongTextIsCut(character: String) async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small()
            let text = String(repeating: character, count: 5000)
            let id = Self.record(bus) { Emit.error(Failure(description: text)) }
            let kept = try #require(bus.entries.error(id)).message
            #expect(text.hasPrefix(kept))
            #expect((4093...4096).contains(kept.utf8.count))
        }
    }

    @Test func pastTheEntryLimitThereIsAnEllipsisAndACount() async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small(entryLimit: 1000)
            let ids = Self.record(bus) {
                (0..<2000).map { Emit.label(name: "name \($0)", or: "", fileID: "F.swift", line: 1) }
            }
            let table = bus.entries
            #expect(table.count == 1000)
            #expect(bus.entriesRefused > 0)
            #expect(table.label(ids[0])?.name == "name 0")
            #expect(table.label(ids[1999]) == Label(name: "…", file: "…", line: 0))
            // Texts in the table are found although it is full.
            let again = Self.record(bus) { Emit.label(name: "name 0", or: "", fileID: "F.swift", line: 1) }
            #expect(again == ids[0])
            let error = Self.record(bus) { Emit.error(Failure(description: "too late")) }
            #expect(bus.entries.error(error)?.message == "…")
        }
    }

    @Test func pastTheByteLimitThereIsAnEllipsisAndACount() async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small(entryBytes: 16 << 10)
            let ids = Self.record(bus) {
                (0..<20).map { Emit.label(name: String(repeating: "\($0 % 10)", count: 2000 + $0), or: "", fileID: "F.swift", line: 1) }
            }
            #expect(bus.entriesRefused > 0)
            #expect(bus.entries.label(ids[0])?.name.count == 2000)
            #expect(bus.entries.label(ids[19])?.name == "…")
        }
    }

    @Test func laterBusesKnowEarlierExecutors() async throws {
        try await EventRecording.alone {
            let before = Emit.register(executor: "made before", kind: .pool)
            let bus = try EventBus.small()
            let during = Self.record(bus) { Emit.register(executor: "made during", kind: .custom) }
            #expect(bus.entries.executor(before) == ExecutorDescription(name: "made before", kind: .pool))
            #expect(bus.entries.executor(during) == ExecutorDescription(name: "made during", kind: .custom))
            #expect(bus.entries.executor(.none) == nil)
        }
    }

    @Test("A bus does not know executors that ended before it was made, and one that ended during it keeps its number")
    func endedExecutors() async throws {
        try await EventRecording.alone {
            let ended = Emit.register(executor: "ended before", kind: .pool)
            let during = Self.record(try EventBus.small()) { Emit.register(executor: "ended during", kind: .pool) }
            Emit.end(ended)
            let bus = try EventBus.small()
            Emit.end(during)
            let others = Self.record(bus) {
                (0..<8).map { _ in
                    let other = Emit.register(executor: "other", kind: .pool)
                    Emit.end(other)
                    return other
                }
            }
            #expect(Set(others).count == 8 && !others.contains(during))
            #expect(others.allSatisfy { bus.entries.executor($0)?.name == "other" })
            let names = (1...others.map(\.rawValue).max()!).compactMap { bus.entries.executor(ExecutorID(rawValue: $0))?.name }
            #expect(!names.contains { $0.hasPrefix("ended ") })
        }
    }

    @Test("A process can make any number of executors one after the other") func manyExecutors() async throws {
        try await EventRecording.alone {
            for _ in 0..<70_000 {
                let executor = Emit.register(executor: "of a request", kind: .queue)
                #expect(executor != .overflow)
                Emit.end(executor)
            }
            let bus = try EventBus.small()
            let label = Self.record(bus) { Emit.label(name: "task", or: "", fileID: "F.swift", line: 1) }
            #expect(bus.entries.label(label)?.name == "task" && bus.entriesRefused == 0)
        }
    }

    @Test("All routes count as present until the trace removes some") func routesAreStated() {
        var table = EntryTable()
        #expect(table.routes(of: .unstructured) == .all)
        table.append(.swiftRoutes([.created, .ends, .read]))
        table.append(.swiftRoutes([.created, .ends, .waits]))
        #expect(table.routes(of: .unstructured).names == ["created", "ends"])
        #expect(table.routes(of: .continuation) == .all)
    }

    @Test func aMarkKeepsItsText() async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small()
            Self.record(bus) { onThread { Emit.mark("here") } }
            let events = (0..<bus.laneCount).flatMap { bus.all(lane: $0).events }.filter { $0.kind == .mark }
            #expect(events.map { bus.entries.text($0.label) } == ["here"])
        }
    }

    @Test func aTableIsCopiedInPieces() async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small()
            var table = EntryTable()
            let ids = Self.record(bus) {
                (0..<10).map { number in
                    let id = Emit.label(name: "name \(number)", or: "", fileID: "F.swift", line: 1)
                    bus.copyEntries(to: &table)
                    return (id, table.label(id)?.name)
                }
            }
            #expect(ids.map(\.1) == (0..<10).map { "name \($0)" })
            #expect(table.label(EntryID(rawValue: .max)) == nil && table.text(EntryID(rawValue: .max)) == "")
            #expect(table.label(.none) == nil && table.error(ids[0].0) == nil)
        }
    }

    /// Threads that intern the same names at the same time get the same ids.
    @Test func threadsShareTheTable() async throws {
        try await EventRecording.alone {
            let bus = try EventBus.small()
            Self.record(bus) {
                onThreads(
                    (0..<4).map { _ in
                        {
                            for number in 0..<500 {
                                Emit.created(
                                    task(UInt64(number)), kind: .root,
                                    label: Emit.label(name: "name \(number % 50)", or: "", fileID: "F.swift", line: 1))
                            }
                        }
                    })
            }
            let table = bus.entries
            let events = (0..<bus.laneCount).flatMap { bus.all(lane: $0).events }.filter { $0.kind == .created && $0.task >= task(0) }
            #expect(events.count == 2000)
            #expect(events.allSatisfy { table.label($0.label)?.name == "name \(($0.task.rawValue - task(0).rawValue) % 50)" })
            #expect(Set(events.map(\.label)).count == 50)
        }
    }

    @Test func aPlaceIsTheInnermostCallOfTheUsersOwnCode() {
        var table = EntryTable()
        table.append(.none)
        table.append(.text("/program"))
        let addresses = (1...3).map { AddressRecord(module: EntryID(rawValue: 1), offset: $0) }
        table.append(.code(.calls, addresses))
        table.append(.label(name: EntryID(rawValue: 2), file: EntryID(rawValue: 2), line: 0))
        table.append(.code(.calls, [addresses[1]]))
        func symbol(_ name: String, isMachinery: Bool = false, library: String = "") -> CodeSymbol {
            CodeSymbol(function: name, file: "\(name).swift", line: 1, isMachinery: isMachinery, library: library)
        }
        table.learn([
            CodeAddress(module: "/program", offset: 1): symbol("runtime", isMachinery: true),
            CodeAddress(module: "/program", offset: 2): symbol("library", library: "package"),
            CodeAddress(module: "/program", offset: 3): symbol("user"),
        ])
        #expect(table.label(EntryID(rawValue: 3)) == Label(name: "user", file: "user.swift", line: 1, isOfCode: true))
        #expect(table.label(EntryID(rawValue: 3))?.fullName == "user user.swift:1")
        #expect(table.calls(of: EntryID(rawValue: 2)).map(\.function) == ["library", "user"])
        // Without a call of the user's, the library's is better than none.
        #expect(table.symbol(ofCall: EntryID(rawValue: 4))?.function == "library")
    }

    @Test(
        "A function's name leaves out its closures and its place in another function",
        arguments: [
            ("closure #1 in closure #2 in static Server.run()", "Server.run()"), ("handle(_:)", "handle(_:)"),
            ("implicit closure #1 in Shop.pay()", "Shop.pay()"), ("handle #1 (_:) in static Main.main()", "handle(_:)"),
            ("closure #1 in handle #2 (_:) in start()", "handle(_:)"), ("$defer #1 () in start()", "start()"), ("main", "main"),
        ])
    func functionNames(function: String, name: String) {
        #expect(CodeSymbol(function: function).name == name)
    }

    @Test("A task that only a library's code made has the library's name; the handler that it awaits is the outermost of the own calls")
    func namesOfLibraries() {
        var table = EntryTable()
        for entry in [Entry.none, .text("/program")] { table.append(entry) }
        let places = (1...4).map { AddressRecord(module: EntryID(rawValue: 1), offset: $0) }
        table.append(.code(.calls, [places[0]]))
        table.append(.label(name: .none, file: EntryID(rawValue: 2), line: 0))
        table.append(.code(.resumes, places))
        #expect((2...4).allSatisfy { table.owner(of: EntryID(rawValue: $0)) == .unknown } && !table.hasLibraries)
        func symbol(_ name: String, line: UInt32, library: String = "") -> CodeSymbol {
            CodeSymbol(function: name, file: "App.swift", line: line, library: library)
        }
        table.learn([
            CodeAddress(module: "/program", offset: 1): symbol("Server.run()", line: 1, library: "hummingbird"),
            CodeAddress(module: "/program", offset: 2): symbol("confirm()", line: 2),
            CodeAddress(module: "/program", offset: 3): symbol("closure #2 in routes()", line: 3),
            CodeAddress(module: "/program", offset: 4): symbol("Router.respond()", line: 4, library: "hummingbird"),
        ])
        #expect(table.label(ofTask: EntryID(rawValue: 3))?.fullName == "hummingbird: Server.run() App.swift:1")
        #expect(table.label(ofTask: EntryID(rawValue: 4))?.fullName == "closure in routes() App.swift:3")
        #expect(table.owner(of: EntryID(rawValue: 3)) == .library && table.owner(of: EntryID(rawValue: 4)) == .program)
        // A call without a source, which the compiler made, says nothing of the owner beside one with a source.
        table.append(.code(.resumes, [AddressRecord(module: EntryID(rawValue: 1), offset: 5), places[3]]))
        table.learn([CodeAddress(module: "/program", offset: 5): CodeSymbol(function: "Storage.next()")])
        #expect(table.owner(of: EntryID(rawValue: 5)) == .library)
        #expect(table.symbol(ofCall: EntryID(rawValue: 5))?.function == "Router.respond()")
        #expect(table.hasLibraries)
    }

    @Test(
        "A task without a name is called after the one function that its closure calls",
        arguments: [
            (waits: [[1, 2, 3]], name: "handle(_:)"), ([[1, 2, 3], [2, 3]], "handle(_:)"), ([[1, 2, 3], [4, 3]], "Server.run()"),
            ([[1, 2, 3], [3]], "Server.run()"), ([[3]], "Server.run()"), ([[2]], "handle(_:)"), ([[2, 7]], "Server.run()"),
            ([[5, 3]], "Server.run()"), ([[1, 8, 3]], "Server.run()"), ([[1, 9, 3]], "Shop.confirm()"),
            ([], "Server.run()"),
        ])
    func bodies(waits: [[UInt32]], name: String) {
        var table = EntryTable()
        for entry in [Entry.none, .text("/program")] { table.append(entry) }
        func code(_ places: [UInt32], _ kind: CodeKind) -> EntryID {
            table.append(.code(kind, places.map { AddressRecord(module: EntryID(rawValue: 1), offset: $0) }))
            return EntryID(rawValue: table.count - 1)
        }
        let maker = code([6], .calls)
        table.append(.label(name: maker, file: maker, line: 0))
        let label = EntryID(rawValue: table.count - 1)
        for wait in waits { table.noteWait(in: code(wait, .resumes), ofTasks: label) }
        let names = [
            "Shop.confirm()", "handle(_:)", "closure #1 in static Server.run()", "refuse(_:)", "Client.get()", "static Server.run()",
            "closure #1 in Library.each()", "Order.total.getter", "protocol witness for Shop.confirm() in conformance Market",
        ]
        let symbols = names.enumerated().map { number, name in
            let symbol = CodeSymbol(function: name, file: "App.swift", line: UInt32(number), library: number == 4 ? "client" : "")
            return (CodeAddress(module: "/program", offset: UInt32(number + 1)), symbol)
        }
        // A copy with more symbols takes over what the events have shown.
        var named = EntryTable()
        for id in 0..<table.count { named.append(table[EntryID(rawValue: id)]) }
        named.learn(Dictionary(uniqueKeysWithValues: symbols))
        named.takeOverBodies(of: table)
        #expect(named.label(label)?.fullName == "\(name) App.swift:5")
        table.learn(Dictionary(uniqueKeysWithValues: symbols))
        #expect(table.label(label)?.name == name)
    }

    @Test("A name of tasks from several places is known as one") func sharedNames() {
        var table = EntryTable()
        for text in ["", "main()", "save", "a/main.swift", "/program"] { table.append(.text(text)) }
        func label(_ name: UInt32, line: UInt32) {
            table.append(.label(name: EntryID(rawValue: name), file: EntryID(rawValue: 3), line: line))
        }
        label(1, line: 12)
        label(2, line: 14)
        label(2, line: 14)
        #expect(!table.isShared("main()") && !table.isShared("save"))
        label(1, line: 13)
        #expect(table.isShared("main()") && !table.isShared("save"))

        // A task that is called after its code has the place in its name, so no other task shares that name.
        let addresses = (1...2).map { AddressRecord(module: EntryID(rawValue: 4), offset: $0) }
        for address in addresses {
            let code = EntryID(rawValue: table.count)
            table.append(.code(.calls, [address]))
            table.append(.label(name: code, file: code, line: 0))
        }
        table.learn([CodeAddress(module: "/program", offset: 1): CodeSymbol(function: "run()", file: "run.swift", line: 3)])
        #expect(!table.isShared("run()"))
        table.learn([CodeAddress(module: "/program", offset: 2): CodeSymbol(function: "run()", file: "run.swift", line: 5)])
        #expect(!table.isShared("run()") && table.isShared("main()"))
    }
}
