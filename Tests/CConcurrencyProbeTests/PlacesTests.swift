import TaskEvents
import Testing
import TraceStore
import TraceTransport

/// The executors on which tasks run and wait, by name.
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
    func theFirstActorsOfATypeHaveDistinctNames() async throws {
        let run = try await Self.run()
        let store = run.store
        let visited = tasks("visitor", store).flatMap { $0.hops.map(\.to) }
        #expect(names(of: visited, store) == Set(["Counter", "Counter#9…"] + (2...8).map { "Counter#\($0)" }))
        let counters = store.executors.filter { $0.kind == .actor && $0.name.hasPrefix("Counter") }
        #expect(counters.count == 9)
        // The visitor takes each counter, and so does a task of the counter's own, at least before and after its suspension.
        #expect(counters.allSatisfy { $0.jobs >= ($0.name == "Counter#9…" ? 8 : 2) })
    }

    /// A task that has suspended inside an actor names that actor.
    @Test
    func aSuspendedTaskNamesTheActorThatItGivesUp() async throws {
        let run = try await Self.run()
        let slow = Set(tasks("slow", run.store).map(\.id))
        let givenUp = run.events.filter { $0.kind == .suspended && slow.contains($0.task) }.map(\.executor)
        #expect(names(of: givenUp, run.store).isSuperset(of: ["Counter", "Counter#8", "Counter#9…"]))
    }

    @Test
    func customExecutorsHaveTheirNames() async throws {
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
    func aTaskStatesItsPriority() async throws {
        let run = try await Self.run()
        #expect(tasks("urgent", run.store).map(\.priority) == [.high])
    }

    @Test("A task has the name that its code gives to it while it runs")
    func named() async throws {
        let run = try await Self.run()
        #expect(tasks("GET /orders/{number}", run.store).map(\.state) == [.succeeded])
        let names = run.events.filter { $0.kind == .mark && $0.detail == MarkManner.name.rawValue }
        #expect(names.map { run.entries.text($0.label) } == ["GET /prices", "GET /orders/{number}"])
    }

    @Test("The children of a task with a preferred executor run on that executor", arguments: ["child of host", "child of main"])
    func preferred(_ name: String) async throws {
        let run = try await Self.run()
        let children = Set(tasks(name, run.store).map(\.id))
        #expect(!children.isEmpty)
        let places = run.events.filter { children.contains($0.task) && ($0.kind == .enqueued || $0.kind == .started) }
        #expect(names(of: places.map(\.executor), run.store) == ["CrewExecutor"])
        #expect(names(of: tasks(name, run.store).map(\.executor), run.store) == ["CrewExecutor"])
    }

    /// No task of this run is created with a preference, and the main actor's tasks have none.
    @Test(
        "Children below a preference for a scope show the executor that it prefers",
        arguments: ["group child", "child of both", "async let"])
    func preferredByScope(_ name: String) async throws {
        let run = try await WatchedRun(ProgramBuild.debug.program("Places"), ["scopes"]).symbolized
        #expect(run.lost == 0)
        let store = run.store
        let found = store.rows.map { store[$0] }.filter { name == "async let" ? $0.kind == .asyncLet : $0.label.name == name }
        let children = Set(found.map(\.id))
        #expect(children.count == 1)
        let places = run.events.filter { children.contains($0.task) && ($0.kind == .enqueued || $0.kind == .started) }
        #expect(names(of: places.prefix(2).map(\.executor), store) == ["CrewExecutor"])
        #expect(names(of: found.map(\.executor), store) == ["CrewExecutor"])
    }

    @Test("A task in an actor's queue shows the actor that it waits for")
    func queued() async throws {
        let run = try await Self.run()
        let store = TraceStore()
        store.entries = run.entries
        var shown: Set<String> = []
        let waiting = Set(tasks("in the queue", run.store).map(\.id))
        for (event, lane) in zip(run.events, run.lanes) {
            store.apply(TraceBatch(events: [event], lanes: [lane]))
            guard event.kind == .enqueued, waiting.contains(event.task), let task = store.task(event.task) else { continue }
            #expect(task.state == .queued)
            #expect(task.executor == event.executor)
            shown.insert(store.description(of: task.executor).name)
        }
        #expect(shown == ["global", "Clerk"])
    }

    @Test("A thread that blocks in a task is reported with the calls on its stack")
    func blocking() async throws {
        let run = try await Self.run()
        let tasks = ["blocking", "sleeping"].flatMap { name in self.tasks(name, run.store).map(\.id) }
        // On a busy machine a block of Dispatch's own may wait for a lock, too.
        let waits = run.events.filter { ($0.kind == .waitBegan || $0.kind == .waitEnded) && !$0.otherTask.isBlock }
        // The trace has the semaphore that blocked, and not the one that was available at once.
        #expect(waits.map(\.kind) == [.waitBegan, .waitEnded, .waitBegan, .waitEnded])
        #expect(waits.map(\.otherTask) == tasks.flatMap { [$0, $0] })
        #expect(waits.allSatisfy { $0.task == .none && $0.detail == 0 })
        let entries = run.symbolized.entries
        let places = waits.filter { $0.kind == .waitBegan }.map { entries.label($0.label) }
        #expect(places.map { $0?.file } == ["Places.swift", "Places.swift"])
        #expect(places.last??.name == "rest()")
    }
}
