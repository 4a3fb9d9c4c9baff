import TaskEvents
import Testing
import TraceStore

/// Where tasks run and wait, by the executors' names.
@Suite(.serialized)
struct PlacesTests {
    private static func run() async throws -> WatchedRun {
        let run = try await WatchedRun(ProgramBuild.debug.program("Places"))
        #expect(run.status == 0)
        #expect(run.lost == 0)
        return run
    }

    private func names(of executors: some Sequence<ExecutorID>, _ store: TraceStore) -> Set<String> {
        Set(executors.map { store.description(of: $0).name })
    }

    private func tasks(_ name: String, _ store: TraceStore) -> [TaskView] {
        store.rows.filter { store[$0].label.name == name }.map { store[$0] }
    }

    @Test
    func theFirstActorsOfATypeAreToldApart() async throws {
        let run = try await Self.run()
        let store = run.store
        let visited = tasks("visitor", store).flatMap { $0.hops.map(\.to) }
        #expect(names(of: visited, store) == Set(["Counter", "Counter#9…"] + (2...8).map { "Counter#\($0)" }))
        let counters = store.executors.filter { $0.kind == .actor }
        #expect(counters.count == 9)
        // Each is taken by the visitor, and by a task of its own at least before it is given up and after.
        #expect(counters.allSatisfy { $0.jobs >= ($0.name == "Counter#9…" ? 8 : 2) })
    }

    /// A task that has suspended inside an actor says which it was.
    @Test
    func aTaskSaysWhatItGivesUp() async throws {
        let run = try await Self.run()
        let slow = Set(tasks("slow", run.store).map(\.id))
        let givenUp = run.events.filter { $0.kind == .suspended && slow.contains($0.task) }.map(\.executor)
        #expect(names(of: givenUp, run.store).isSuperset(of: ["Counter", "Counter#8", "Counter#9…"]))
    }

    @Test
    func executorsOfTheProgramsOwnHaveTheirNames() async throws {
        let run = try await Self.run()
        let store = run.store
        let queues = run.events.filter { $0.kind == .enqueued }
        func queued(_ name: String) -> Set<String> {
            let tasks = Set(tasks(name, store).map(\.id))
            return names(of: queues.filter { tasks.contains($0.task) }.map(\.executor), store)
        }
        #expect(queued("customer") == ["global", "LineExecutor"])
        #expect(queued("member") == ["CrewExecutor"])
        #expect(queued("child of member") == ["CrewExecutor"])
        #expect(queued("guest") == ["global", "CrewExecutor"])
        #expect(store.executors.first { $0.name == "LineExecutor" }?.kind == .custom)
    }

    @Test
    func aTaskSaysHowUrgentItIs() async throws {
        let run = try await Self.run()
        #expect(tasks("urgent", run.store).map(\.priority) == [.high])
    }

    /// A semaphore that does not come at once, and one that does.
    @Test
    func aThreadThatBlocksIsTold() async throws {
        let run = try await Self.run()
        let blocking = tasks("blocking", run.store).map(\.id)
        let waits = run.events.filter { $0.kind == .waitBegan || $0.kind == .waitEnded }
        #expect(waits.map(\.kind) == [.waitBegan, .waitEnded])
        #expect(waits.map(\.otherTask) == blocking + blocking)
        #expect(waits.allSatisfy { $0.task == .none && $0.detail == 0 })
    }
}
