import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// Runtimes that are not as the toolchain's: stripped ones, which distributions ship, and ones that the probe does not know.
@Suite(.serialized)
struct OtherRuntimeTests {
    private static func run(_ name: String, _ change: RuntimeCopy.Change) async throws -> WatchedRun {
        let run = try await WatchedRun(ProgramBuild.debug.program("ReadErrors"), [name], runtime: try RuntimeCopy(change))
        #expect(run.status == 0)
        return run
    }

    private static func verdicts(_ store: TraceStore) -> [Verdict] {
        FaultAnalysis(store, isOver: true).faults().filter { store.task($0.origin)?.label.name == "failing" }.map(\.verdict)
    }

    @Test("The probe sees in a stripped runtime who reads the value of a task that has ended")
    func lateReader() async throws {
        let run = try await Self.run("late", .stripped)
        #expect(run.output == "answer 42\n")
        #expect(run.entries.swiftRoutes == TraceRoutes.all.subtracting([.cancellation, .continuations]))
        let verdicts = Self.verdicts(run.store)
        #expect(verdicts == [.read] || verdicts == [.recovered], "\(verdicts)")
        #expect(WarningEngine().list(in: run.store, isOver: true).groups.allSatisfy { $0.rule != "unobserved-fault" })
    }

    @Test("An error that nothing reads is told in a stripped runtime too")
    func unread() async throws {
        let run = try await Self.run("unread", .stripped)
        #expect(Self.verdicts(run.store) == [.unobserved])
    }

    @Test(
        "A stripped runtime shows the preferred executor of a task that is enqueued",
        arguments: [("child of host", [String]()), ("group child", ["scopes"])])
    func preferredExecutor(of name: String, arguments: [String]) async throws {
        let run = try await WatchedRun(ProgramBuild.debug.program("Places"), arguments, runtime: try RuntimeCopy(.stripped))
        let store = run.store
        let tasks = Set(store.rows.map { store[$0] }.filter { $0.label.name == name }.map(\.id))
        let queues = run.events.filter { $0.kind == .enqueued && tasks.contains($0.task) }.map(\.executor)
        #expect(Set(queues.map { store.description(of: $0).name }) == ["CrewExecutor"])
    }

    @Test("A runtime whose tasks have an unknown size shows neither waits nor reads, and no error is told")
    func unknownSize() async throws {
        let run = try await Self.run("late", .without("_swift_concurrency_debug_asyncTaskSize"))
        #expect(run.entries.swiftRoutes.isDisjoint(with: [.waits, .queues, .read]))
        #expect(Self.verdicts(run.store).allSatisfy { $0 != .unobserved })
    }

    @Test(
        "The probe is idle in a runtime that lacks what it relies on, and the trace says why",
        arguments: [
            ("_swift_concurrency_debug_internal_layout_version", "does not state its layout"),
            ("swift_task_getJobTaskId", "has no swift_task_getJobTaskId"),
        ])
    func idle(symbol: String, reason: String) async throws {
        let run = try await Self.run("late", .without(symbol))
        #expect(run.output == "answer 42\n")
        #expect(run.entries.swiftRoutes == [])
        #expect(run.events.map(\.kind) == [.thread, .mark])
        let note = run.events.last.map { run.entries.text($0.label) } ?? ""
        #expect(note.contains(reason), "\(note)")
    }
}
