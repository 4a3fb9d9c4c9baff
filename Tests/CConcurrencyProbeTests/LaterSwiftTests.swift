import Foundation
import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// Swift 6.4 adds cancellation shields, and continuations that must be resumed. Here a library has them, with the symbols of Swift 6.4's
/// runtime. The program that uses it is compiled as Swift 6.4 compiles it.
@Suite(
    .serialized,
    .enabled(if: TraceRoutes.offered.isSuperset(of: [.cancellation, .continuations]), "a stripped runtime lacks the routes"))
struct LaterSwiftTests {
    private static func source(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Programs/\(name)").path
    }

    /// The library, with these options of the C compiler.
    private static func library(_ name: String, _ options: [String] = []) throws -> String {
        let object = try BuiltProbe.folder.program("\(name)-c.o") { path in
            ["clang", "-O2", "-fPIC", "-c", "-o", path, source("LaterRuntime.c")] + options
        }
        return try BuiltProbe.folder.program("lib\(name).so") { path in
            let module = (path as NSString).deletingLastPathComponent + "/LaterRuntime.swiftmodule"
            return [
                "swiftc", "-swift-version", "6", "-O", "-suppress-warnings", "-parse-as-library", "-parse-stdlib", "-module-name",
                "LaterRuntime", "-module-abi-name", "Swift", "-emit-module", "-emit-module-path", module, "-emit-library", "-o", path,
                source("LaterRuntime.swift"), object,
            ]
        }
    }

    private static func program(_ build: ProgramBuild) throws -> String {
        let library = try library("LaterRuntime")
        return try BuiltProbe.folder.program("LaterSwift-\(build.rawValue)") { path in
            [
                "swiftc", "-swift-version", "6", "-parse-as-library", build == .release ? "-O" : "-Onone", "-g", "-I",
                (path as NSString).deletingLastPathComponent, "-o", path, source("LaterSwift.swift"), "-Xlinker", library,
            ]
        }
    }

    private static func run(_ shape: String, _ build: ProgramBuild = .debug, libraries: [String] = []) async throws -> WatchedRun {
        try await WatchedRun(program(build), [shape], libraries: libraries).symbolized
    }

    private static func findings(_ run: WatchedRun, _ rule: String) -> [(finding: Finding, text: String)] {
        let store = run.store
        let list = WarningEngine().list(in: store, isOver: true)
        return list.groups.filter { $0.rule == rule }.flatMap(\.findings).map { ($0, list.message(of: $0, in: store)) }
    }

    private static func line(of text: String) throws -> Int { try ProgramBuild.line(of: "// \(text)", in: "LaterSwift") }

    private static func task(_ name: String, in store: TraceStore) -> TaskView? {
        store.rows.map { store[$0] }.first { $0.label.name == name }
    }

    @Test(
        "Work in a cancellation shield is not late, whether the shield or the cancellation is first",
        arguments: [ProgramBuild.debug, .release])
    func inShield(_ build: ProgramBuild) async throws {
        for shape in ["shielded", "shielded later"] {
            let run = try await Self.run(shape, build)
            #expect(run.status == 0)
            let task = try #require(Self.task("cleaner", in: run.store))
            #expect(task.isAskedToStop && task.shield == nil)
            #expect(task.shieldedTime >= 200_000_000, "\(shape): \(task.shieldedTime)")
            #expect(Self.findings(run, "late-cancel").map(\.text) == [], "\(shape)")
            let manners = run.events.filter { $0.kind == .shielded }.map { ShieldManner(rawValue: $0.detail) }
            #expect(manners == (shape == "shielded" ? [.began, .found, .ended] : [.began, .ended]), "\(shape)")
        }
    }

    @Test("Work after the shield is late, and only that counts", arguments: [ProgramBuild.debug, .release])
    func afterShield(_ build: ProgramBuild) async throws {
        let run = try await Self.run("shielded and late", build)
        let found = try #require(Self.findings(run, "late-cancel").first)
        let task = try #require(Self.task("cleaner", in: run.store))
        let cancelled = try #require(task.requestedCancellation), ended = try #require(task.ended)
        #expect(found.finding.task == task.id && found.finding.measure >= 200_000_000)
        #expect(found.finding.measure <= ended - cancelled.at - task.shieldedTime)
    }

    @Test("A shield tells its place, and a task that does not leave it is in it at the end", arguments: [ProgramBuild.debug, .release])
    func place(_ build: ProgramBuild) async throws {
        let store = try await Self.run("shielded at end", build).store
        let task = try #require(Self.task("cleaner", in: store))
        #expect(task.shield != nil && task.isAskedToStop)
        let place = try #require(task.shieldPlace)
        #expect(place.name == "tidy()")
        #expect(try place.line == UInt32(Self.line(of: "tidies")))
    }

    @Test("Where the shield is another bit of a task's status, no cancellation is told to be late")
    func movedBit() async throws {
        let moved = try Self.library("LaterRuntimeMoved", ["-DMOVED_BIT"])
        _ = try Self.program(.debug)
        let run = try await Self.run("shielded", libraries: [moved])
        #expect(run.status == 0)
        #expect(Self.findings(run, "late-cancel").map(\.text) == [])
    }

    @Test("A continuation of Swift 6.4 shows who resumed it", arguments: [ProgramBuild.debug, .release])
    func resumed(_ build: ProgramBuild) async throws {
        let run = try await Self.run("resumed", build)
        #expect(run.status == 0 && run.output == "answer 42\n")
        let store = run.store
        let (asker, answerer) = (try #require(Self.task("asker", in: store)), try #require(Self.task("answerer", in: store)))
        let resumption = run.events.last { $0.kind == .enqueued && $0.task == asker.id }
        #expect(resumption?.otherTask == answerer.id)
        #expect(Array(asker.resumers) == [answerer.id])
        #expect(Self.findings(run, "never-completed").isEmpty)
    }

    @Test("A continuation of Swift 6.4 that is dropped is told with its task and line before it ends the program")
    func dropped() async throws {
        for (shape, mark) in [("forgotten", "drops at once"), ("forgotten later", "drops later")] {
            let run = try await Self.run(shape)
            #expect(run.status == 128 + SIGILL || run.status == 128 + SIGTRAP)
            let found = Self.findings(run, "never-completed")
            let line = try Self.line(of: mark)
            #expect(found.count == 1)
            let words = "was dropped at LaterSwift.swift:\(line) before it was resumed: that ended the program."
            #expect(found.first?.text == "`asker` awaits a continuation that \(words)")
            if shape == "forgotten later" {
                let place = found.first.flatMap { run.store.symbol(ofCall: $0.finding.site) }
                #expect(try place?.line == UInt32(Self.line(of: "waits in vain")))
            }
        }
    }
}
