import Foundation
import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// Runtimes that are not as the toolchain's: stripped ones, which distributions ship, and ones that the probe does not know.
@Suite(.serialized)
struct OtherRuntimeTests {
    private static func run(_ name: String, _ change: RuntimeChange) async throws -> WatchedRun {
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

    /// Changes that a later or an earlier runtime makes, which leave all routes.
    private static var harmless: [[RuntimeChange]] {
        let version = "_swift_concurrency_debug_internal_layout_version", size = "_swift_concurrency_debug_asyncTaskSize"
        let stated: [[RuntimeChange]] = [
            [.variable(version, 2)], [.variable(version, 0x0100_0003)], [.variable(version, 0x0100_0003), .variable(size, 224)],
            [.variable(size, 216)], [.variable(size, 224)], [.without(size)], [.variable(size, 216), .stripped],
            [.without(size), .stripped],
        ]
        let unnamed: [[RuntimeChange]] = RuntimeCopy.isToolchainStripped ? [] : [[.without(futureAdapter), .without(otherAdapter)]]
        guard RuntimeCopy.changesCode else { return stated + unnamed }
        return stated + unnamed + [[.noBackPointer], [.childFragment(size: 32)], [.noBackPointer, .variable(version, 3)]]
    }

    private static let futureAdapter = "_swift_concurrency_debug_future_adapter"
    private static let otherAdapter = "_swift_concurrency_debug_non_future_adapter"

    private static func routes(of changes: [RuntimeChange]) -> TraceRoutes {
        changes.contains(.stripped) || RuntimeCopy.isToolchainStripped ? .all.subtracting([.cancellation, .continuations]) : .all
    }

    @Test("In a runtime with another version, another size or other records, the probe proves what it needs", arguments: harmless)
    func proves(changes: [RuntimeChange]) async throws {
        let runtime = try RuntimeCopy(changes)
        for (name, expected) in [("late", [Verdict.read, .recovered]), ("unread", [.unobserved])] {
            let run = try await WatchedRun(ProgramBuild.debug.program("ReadErrors"), [name], runtime: runtime)
            #expect(run.status == 0)
            #expect(run.entries.swiftRoutes == Self.routes(of: changes))
            let verdicts = Self.verdicts(run.store)
            #expect(verdicts.count == 1 && verdicts.allSatisfy { expected.contains($0) }, "\(name): \(verdicts)")
        }
    }

    @Test("In such a runtime no executor is invented, and each suspension has its reason", arguments: harmless.suffix(2))
    func inventsNothing(changes: [RuntimeChange]) async throws {
        let run = try await WatchedRun(ProgramBuild.debug.program("Places"), runtime: try RuntimeCopy(changes))
        let store = run.store
        let executors = run.events.filter { $0.kind == .enqueued }.map { store.description(of: $0.executor).name.prefix { $0 != "#" } }
        let known = ["main", "global", "line", "crew", "Counter", "Clerk", "CrewExecutor", "LineExecutor", "com.apple.root.default-qos"]
        #expect(Set(executors.map(String.init)).isSubset(of: known))
        #expect(executors.contains("CrewExecutor"))
        #expect(run.events.filter { $0.kind == .suspended }.allSatisfy { $0.detail != SuspensionReason.awaiting.rawValue })
    }

    @Test("A runtime in which tasks begin to run in another place than a trial job shows no start as a resumption")
    func splitRun() async throws {
        let library = try BuiltProbe.folder.program("libsplit-run.so") { path in
            let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Programs/SplitRun.c").path
            return ["clang", "-O2", "-fPIC", "-shared", "-o", path, source]
        }
        let program = try ProgramBuild.debug.program("ReadErrors")
        let (usual, split) = (try await WatchedRun(program, ["late"]), try await WatchedRun(program, ["late"], libraries: [library]))
        for run in [usual, split] {
            let slices = run.events.filter { $0.kind == .started || $0.kind == .resumed }
            let first = Dictionary(slices.map { ($0.task, $0.kind) }) { first, _ in first }
            #expect(!first.isEmpty && first.values.allSatisfy { $0 == .started })
        }
        #expect(split.entries.swiftRoutes == usual.entries.swiftRoutes)
    }

    @Test(
        "A real runtime of another version has all routes but those of a stripped one, or of names that it does not have",
        arguments: OtherRuntime.all)
    func real(_ other: OtherRuntime) async throws {
        let runtime = try RuntimeCopy([], of: other)
        for (name, expected) in [("late", [Verdict.read, .recovered]), ("unread", [.unobserved])] {
            let run = try await WatchedRun(ProgramBuild.debug.program("ReadErrors"), [name], runtime: runtime)
            #expect(run.status == 0)
            let missing = TraceRoutes.all.subtracting(run.entries.swiftRoutes)
            #expect(missing.isSubset(of: [.cancellation, .continuations]), "\(missing.names)")
            if name == "late" { print("\(other): all routes but \(missing.names.joined(separator: " and "))") }
            let verdicts = Self.verdicts(run.store)
            #expect(verdicts.count == 1 && verdicts.allSatisfy { expected.contains($0) }, "\(name): \(verdicts)")
        }
    }

    @Test(
        "In a runtime whose functions for cancelling have other names, some cancellations are not seen, and the trace says so",
        .enabled(if: !RuntimeCopy.isToolchainStripped, "a stripped runtime has no such names"),
        arguments: [("swift_task_cancelImpl", "swift_task_cancelWith"), ("_swift_taskGroup_cancel", "_swift_taskGroup_ceased")])
    func otherNames(name: String, later: String) async throws {
        let run = try await Self.run("late", .renamed(name, to: later))
        #expect(run.output == "answer 42\n")
        #expect(run.entries.swiftRoutes == TraceRoutes.all.subtracting(.cancellation))
        let notes = run.events.filter { $0.kind == .mark }.map { run.entries.text($0.label) }
        #expect(notes.contains("The Swift Concurrency probe cannot see: some cancellations."), "\(notes)")
        let verdicts = Self.verdicts(run.store)
        #expect(verdicts == [.read] || verdicts == [.recovered], "\(verdicts)")
    }

    @Test("In a runtime with another kind of record of names, tasks have their names and wait", .enabled(if: RuntimeCopy.changesCode))
    func otherNameRecords() async throws {
        let run = try await WatchedRun(ProgramBuild.debug.program("Named"), runtime: RuntimeCopy(.nameKind(9)))
        #expect(run.status == 0)
        #expect(run.entries.swiftRoutes == .all)
        let store = run.store
        let named = store.rows.map { store[$0] }.filter { !$0.label.name.isEmpty }
        let states = Dictionary(named.map { ($0.label.name, $0.state) }) { first, _ in first }
        for name in ["waiter", "owner", "member-0", "member-1"] { #expect(states[name] == .suspended, "\(states)") }
        let owner = named.first { $0.label.name == "owner" }
        #expect(named.filter { $0.label.name.hasPrefix("member-") }.allSatisfy { $0.structuredParent == owner?.id })
    }

    @Test("A runtime with priority escalation has another layout, so the probe is idle")
    func escalates() async throws {
        let change = RuntimeChange.variableIs(
            "_swift_concurrency_debug_supportsPriorityEscalation", "_swift_concurrency_debug_asyncTaskSize")
        let run = try await Self.run("late", change)
        #expect(run.output == "answer 42\n")
        #expect(run.entries.swiftRoutes == [])
        let note = run.events.last.map { run.entries.text($0.label) } ?? ""
        #expect(note.contains("has priority escalation"), "\(note)")
    }

    @Test(
        "The probe is idle in a runtime that lacks what it relies on, and the trace says why",
        arguments: [
            ([.without("_swift_concurrency_debug_internal_layout_version")], "does not state its layout"),
            ([.without("swift_task_getPreferredTaskExecutor")], "has no swift_task_getPreferredTaskExecutor"),
            ([.without("swift_task_getJobTaskId")], "has no swift_task_getJobTaskId"),
            ([.without("swift_task_switch")], "has no swift_task_switch"),
            // The symbol table has the adapters too.
            ([.without(futureAdapter), .stripped], "has no \(futureAdapter)"),
            ([.without(otherAdapter), .stripped], "has no \(otherAdapter)"),
        ] as [([RuntimeChange], String)])
    func idle(changes: [RuntimeChange], reason: String) async throws {
        // The other program calls this function.
        let program = changes == [.without("swift_task_switch")] ? "Unswitched" : "ReadErrors"
        let run = try await WatchedRun(ProgramBuild.debug.program(program), ["late"], runtime: try RuntimeCopy(changes))
        #expect(run.status == 0)
        #expect(run.output == "answer 42\n")
        #expect(run.entries.swiftRoutes == [])
        #expect(run.events.map(\.kind) == [.thread, .mark])
        let note = run.events.last.map { run.entries.text($0.label) } ?? ""
        #expect(note.contains(reason), "\(note)")
    }
}
