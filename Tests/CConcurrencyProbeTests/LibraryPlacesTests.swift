import TaskEvents
import Testing
import TraceAnalysis
import TraceStore

@testable import CodeSymbols

/// The places of errors and waits that arise inside Swift's libraries: those of the program's own calls.
@Suite(.serialized)
struct LibraryPlacesTests {
    private static func place(_ comment: String) throws -> String {
        let source = try ProgramBuild.source("Library").split(separator: "\n", omittingEmptySubsequences: false)
        let line = try #require(source.firstIndex { $0.hasSuffix("  // \(comment)") })
        return "Library.swift:\(line + 1)"
    }

    @Test("A task that returns to its actor has the place of the await that it returns from", arguments: [ProgramBuild.debug, .release])
    func returns(_ build: ProgramBuild) async throws {
        let run = try await WatchedRun(build.program("Library"), ["waits"]).symbolized
        let store = run.store
        let task = try #require(store.rows.map { store[$0] }.first { $0.label.name == "home" })
        let changes = run.events.filter { $0.task == task.id && ($0.kind == .hopped || $0.kind == .suspended) }
        let places = changes.compactMap { store.symbol(ofCall: $0.label) }.filter { $0.name == "visit()" }.map(\.site)
        // The task comes to main as it begins, and returns once.
        #expect(try places.contains(Self.place("home")))
        #expect(try Set(places).isSubset(of: [Self.place("home"), Self.place("visit")]))
    }

    @Test(
        "A task without a name has that of the function that its closure calls, if it calls no other",
        arguments: [ProgramBuild.debug, .release])
    func bodies(_ build: ProgramBuild) async throws {
        let run = try await WatchedRun(build.program("Library"), ["waits"]).symbolized
        let store = run.store
        let names = store.rows.map { store[$0] }.filter { $0.kind == .detached && $0.label.isOfCode }.map(\.label.name)
        #expect(names == ["leak(_:)", "waits()"])
    }

    private static func tasks(_ mode: String, _ build: ProgramBuild) async throws -> (store: TraceStore, tasks: [String: TaskView]) {
        let run = try await WatchedRun(build.program("Library"), [mode]).symbolized
        #expect(run.status == 0)
        let store = run.store
        store.end = .exit
        return (store, Dictionary(store.rows.map { (store[$0].label.name, store[$0]) }) { first, _ in first })
    }

    @Test(
        "An error that a library throws has the place of the program's call",
        arguments: [
            ("resumed", ProgramBuild.release), ("resumed", .debug), ("resumed at once", .release), ("resumed at once", .debug),
            ("contents", .debug), ("contents", .release), ("attributes", .debug),
            ("attributes", .release), ("decoded", .debug), ("decoded", .release),
        ])
    func errors(_ name: String, _ build: ProgramBuild) async throws {
        let (store, tasks) = try await Self.tasks("errors", build)
        let task = try #require(tasks[name])
        #expect(task.state == .faulted)
        // A continuation that is resumed before its task awaits it has the place of that call.
        let places = [name] + (name == "resumed" ? ["resumption"] : [])
        #expect(try places.map(Self.place).contains(store.entries.error(task.error)?.site ?? "none"))
    }

    @Test(
        "A task that waits in a library has the place of the program's await", arguments: ["nap", "doze", "leak"],
        [ProgramBuild.debug, .release])
    func waits(_ name: String, _ build: ProgramBuild) async throws {
        let (store, tasks) = try await Self.tasks("waits", build)
        let task = try #require(tasks[name])
        let wait = try #require(WaitsFor(task, in: store))
        #expect(try store.entries.symbol(ofCall: wait.calls)?.site == Self.place(name))
    }

    @Test("Code that a macro makes has the file and the line of the macro's use")
    func macros() {
        let use = SwiftNames.expansion(
            "/tmp/swift-generated-sources/@__swiftmacro_22CConcurrencyProbeTests0022ErrorsTestsswift_tiAIefMX30_12_6expectfMf_.swift")
        #expect(use?.file == "ErrorsTests.swift")
        #expect(use?.line == 31)
        #expect(SwiftNames.expansion("/App/main.swift") == nil)
        #expect(SwiftNames.expansion("@__swiftmacro_x.swift") == nil)
    }
}
