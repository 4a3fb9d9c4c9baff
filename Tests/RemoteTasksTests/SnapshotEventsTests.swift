import CodeSymbols
import TaskEvents
import Testing
import TraceAnalysis
import TraceReport
import TraceStore
import TraceTestKit
import TraceTransport

@testable import RemoteTasks

/// Successive snapshots as events, and what the store makes of them.
@Suite(.timeLimit(.minutes(2)))
struct SnapshotEventsTests {
    /// Folds the events of snapshots into a store.
    private struct Course {
        var events = SnapshotEvents()
        let store = TraceStore()
        private var time: UInt64 = 0
        private(set) var kinds: [EventKind] = []
        private(set) var report: SnapshotReport?

        /// Places in the program's code have odd addresses.
        mutating func see(_ tasks: [RemoteTask], actors: [RemoteActor] = [], threads: [RemoteThread] = []) {
            let addresses = threads.flatMap(\.stack).map { ($0, CodeAddress(module: "/App", offset: UInt32($0))) }
            let snapshot = Snapshot(
                pid: 1, tasks: tasks, actors: actors, threads: threads,
                codeAddresses: Dictionary(addresses, uniquingKeysWith: { first, _ in first }))
            let symbols = Dictionary(
                addresses.map {
                    ($0.1, [CodeSymbol(function: "f\($0.0)()", file: "App.swift", line: UInt32($0.0), isMachinery: $0.0 % 2 == 0)])
                },
                uniquingKeysWith: { first, _ in first })
            time += 500_000_000
            let named = SnapshotSymbols(of: snapshot, symbols: symbols)
            report = SnapshotReport(snapshot, program: "App", route: .snapshot, symbols: named)
            let placed = events.events(of: snapshot, named, at: time)
            var table = EntryTable()
            for entry in events.entries { table.append(entry) }
            store.entries = table
            store.apply(TraceBatch(events: placed.map(\.event), lanes: placed.map { UInt16($0.lane) }))
            kinds = placed.compactMap(\.event.kind)
        }

        func state(_ id: UInt64) -> TaskState? { store.task(TaskID(rawValue: id))?.state }
    }

    private func task(_ id: UInt64, _ state: RemoteTask.State, _ wait: RemoteTask.Wait? = nil, frames: [UInt64] = [], name: String = "")
        -> RemoteTask
    {
        var task = RemoteTask(id: id, address: id * 4096)
        (task.state, task.wait, task.frames, task.name) = (state, wait, frames, name)
        return task
    }

    @Test("A task's states follow the snapshots; it is gone when two lack it, and how it ended is not said")
    func followsATask() {
        let actor = RemoteActor(address: 0x7000, type: "App.Ledger", state: .running)
        let queued = RemoteTask.Wait.executor(identity: actor.address, implementation: 0)
        var course = Course()
        course.see([task(1, .suspended, .continuation, frames: [1], name: "main")], actors: [actor])
        #expect(course.state(1) == .suspended)
        course.see([task(1, .suspended, .continuation, frames: [1]), task(2, .queued, queued)], actors: [actor])
        #expect(course.state(2) == .queued && course.kinds == [.created, .enqueued])
        let waiting = course.store.task(TaskID(rawValue: 2)).flatMap { WaitView($0, course.store) }
        #expect(waiting == WaitView(executor: "App.Ledger", kind: .actor))
        var thread = RemoteThread(id: 9)
        (thread.task, thread.actor) = (2 * 4096, actor.address)
        course.see([task(1, .suspended, .continuation, frames: [1]), task(2, .running)], actors: [actor], threads: [thread])
        #expect(course.state(2) == .running && course.kinds == [.started])
        course.see([task(1, .suspended, .continuation, frames: [1]), task(2, .suspended, .task(4096), frames: [2])], actors: [actor])
        #expect(course.state(2) == .suspended && course.kinds == [.suspended])
        #expect(course.store.task(TaskID(rawValue: 2))?.waitsFor == TaskID(rawValue: 1))
        // The same place and the same wait are no news; another place is.
        course.see([task(1, .suspended, .continuation, frames: [1]), task(2, .suspended, .task(4096), frames: [2])], actors: [actor])
        #expect(course.kinds.isEmpty)
        course.see([task(1, .suspended, .continuation, frames: [1]), task(2, .suspended, .task(4096), frames: [3])], actors: [actor])
        #expect(course.kinds == [.resumed, .suspended])
        course.see([task(1, .suspended, .continuation, frames: [1])], actors: [actor])
        #expect(course.kinds.isEmpty && course.state(2) == .suspended)
        course.see([task(1, .suspended, .continuation, frames: [1])], actors: [actor])
        #expect(course.state(2)?.hasEnded == true)
        #expect(course.store.task(TaskID(rawValue: 2))?.showsOutcome == false)
    }

    @Test("A task that is missing once and then back has not ended, and one that changes while it is read stays as it was known")
    func doubtsASingleAbsence() {
        var course = Course()
        course.see([task(1, .suspended, .continuation, frames: [1]), task(2, .running)])
        course.see([task(2, .changing)])
        #expect(course.kinds.isEmpty && course.state(1) == .suspended && course.state(2) == .running)
        course.see([task(1, .suspended, .continuation, frames: [1]), task(2, .running)])
        course.see([task(2, .running)])
        #expect(course.kinds.isEmpty && course.state(1) == .suspended)
    }

    @Test("A queue keeps its order, and a task that was queued and is suspended in the next snapshot has left the queue")
    func keepsQueues() {
        let actor = RemoteActor(address: 0x7000, type: "App.Ledger", state: .running)
        let queued = RemoteTask.Wait.executor(identity: actor.address, implementation: 0)
        var course = Course()
        course.see([task(1, .queued, queued), task(2, .queued, queued), task(3, .queued, queued)], actors: [actor])
        func queue() -> [UInt64] { course.store.executors.first.map { $0.queue.map(\.task.rawValue) } ?? [] }
        #expect(queue() == [1, 2, 3])
        course.see([task(1, .suspended, .continuation, frames: [1]), task(2, .queued, queued), task(3, .queued, queued)], actors: [actor])
        #expect(queue() == [2, 3] && course.state(1) == .suspended)
        course.see([task(1, .suspended, .continuation, frames: [1]), task(3, .queued, queued)], actors: [actor])
        course.see([task(1, .suspended, .continuation, frames: [1]), task(3, .queued, queued)], actors: [actor])
        #expect(queue() == [3] && course.state(2)?.hasEnded == true)
    }

    @Test("The cause of a wait is found through tasks, and through the actor's queue")
    func findsTheCause() {
        let actor = RemoteActor(address: 0x7000, type: "App.Ledger", state: .running)
        var thread = RemoteThread(id: 9)
        (thread.task, thread.actor) = (4 * 4096, actor.address)
        var course = Course()
        course.see(
            [
                task(1, .suspended, .task(2 * 4096)), task(2, .suspended, .continuation), task(4, .running),
                task(3, .queued, .executor(identity: actor.address, implementation: 0)), task(5, .suspended, .task(3 * 4096)),
            ], actors: [actor], threads: [thread])
        func chain(_ id: UInt64) -> WaitChain { WaitChain(of: .task(TaskID(rawValue: id)), in: course.store) }
        #expect(chain(1).links.map(\.subject) == [1, 2].map { .task(TaskID(rawValue: $0)) })
        #expect(chain(1).end == .unresumed(isLost: false))
        #expect(chain(5).links.map(\.subject) == [5, 3, 4].map { .task(TaskID(rawValue: $0)) })
        #expect(chain(5).end == .runs(mayBlock: true))
    }

    @Test("A task blocks its thread if two snapshots show the same stack, until the stack changes or the task suspends")
    func tellsBlockedThreads() {
        var course = Course()
        var thread = RemoteThread(id: 9)
        (thread.task, thread.call, thread.stack) = (4096, 202, [2, 3])
        func wait() -> WaitsFor? { course.store.task(TaskID(rawValue: 1)).flatMap { WaitsFor($0, in: course.store) } }
        course.see([task(1, .running)], threads: [thread])
        #expect(wait() == nil)
        course.see([task(1, .running)], threads: [thread])
        #expect(course.kinds == [.waitBegan] && wait()?.kind == .thread && wait()?.task == TaskID.none)
        #expect(course.store.entries.unknownAddresses().contains(CodeAddress(module: "/App", offset: 3)))
        course.see([task(1, .running)], threads: [thread])
        #expect(course.kinds.isEmpty)
        thread.stack = [4, 5]
        course.see([task(1, .running)], threads: [thread])
        #expect(course.kinds == [.waitEnded] && wait() == nil)
        course.see([task(1, .running)], threads: [thread])
        #expect(course.kinds == [.waitBegan])
        course.see([task(1, .suspended, .continuation, frames: [1])])
        #expect(course.kinds == [.waitEnded, .suspended])
        // A thread that runs, or that waits for its next job, does not block.
        (thread.call, thread.stack) = (nil, [2, 3])
        for _ in 0..<3 { course.see([task(1, .running)], threads: [thread]) }
        (thread.call, thread.stack) = (202, [2, 4])
        for _ in 0..<3 { course.see([task(1, .running)], threads: [thread]) }
        #expect(course.kinds.isEmpty && wait() == nil)
    }

    @Test("`ps --json` and a report of the events say the same of one snapshot, and an end without an outcome is stated as that")
    func psAndReport() throws {
        var actor = RemoteActor(address: 0x7000, type: "App.Ledger", state: .running)
        var child = task(4, .queued, .executor(identity: actor.address, implementation: 0), name: "child")
        (child.parent, child.kind) = (2 * 4096, .asyncLet)
        actor.queue = [child.address]
        let tasks = [
            task(1, .suspended, .task(2 * 4096), name: "one"), task(2, .suspended, .continuation, name: "two"), task(3, .running), child,
        ]
        var course = Course()
        course.see(tasks, actors: [actor])
        func reported() throws -> [JSONObject] {
            var text = ""
            Report(of: course.store, program: "App").writeJSON(to: &text)
            return try JSONObject(text).list("tasks")
        }
        func ps() throws -> [JSONObject] {
            var text = ""
            course.report?.writeJSON(to: &text)
            return try JSONObject(text).list("tasks")
        }
        let both = zip(try ps(), try reported())
        #expect(both.map { ps, _ in ps.number("id") } == [1, 2, 3, 4])
        for (ps, reported) in both {
            #expect(Set(ps.fields.keys) == Set(reported.fields.keys).union(["stack"]))
            for key in ["state", "name", "kind", "site", "where", "role"] { #expect(ps.text(key) == reported.text(key), "\(key)") }
            for key in ["chain", "ended_ns", "queued"] { #expect(ps.number(key) == reported.number(key), "\(key)") }
            #expect(ps.fields["antecedents"] as? [Int] == reported.fields["antecedents"] as? [Int])
            for key in ["kind", "executor"] {
                #expect(ps.object("waits_for").text(key) == reported.object("waits_for").text(key), "\(key)")
            }
            for key in ["task", "position"] {
                #expect(ps.object("waits_for").number(key) == reported.object("waits_for").number(key), "\(key)")
            }
        }
        for _ in 0..<2 { course.see([task(1, .changing, name: "one")]) }
        #expect(try ps().map { $0.text("state") } == ["unknown"])
        #expect(try reported().map { $0.text("state") } == ["suspended", "ended", "ended", "ended"])
    }

    @Test("The lanes of a running program give a store with all of its tasks, their names and states, and end with the program")
    func readsAProgram() throws {
        let program = try RunningProgram(try UnpreparedProgram.shapes.path(.debug))
        let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
        let lanes = try SnapshotLanes(ofProcess: program.pid, time: TimeSource())
        defer { lanes.stop() }
        #expect(lanes.words == "snapshots, 2 a second" && lanes.program == "Shapes-debug")
        let source = SymbolizedLanes(lanes)
        var merger = LaneMerger(source: source)
        let store = TraceStore()
        merger.drain { store.apply($0) }
        var entries = store.entries
        source.finish(&entries)
        store.entries = entries
        // A task that a snapshot before and one after show in different states, or that only one of them has, has moved in between.
        let later = try Snapshot(of: RemoteProcess(pid: program.pid))
        let states = Dictionary(later.tasks.map { ($0.id, $0.state) }, uniquingKeysWith: { first, _ in first })
        for task in snapshot.tasks where states[task.id] == task.state {
            let view = try #require(store.task(TaskID(rawValue: task.id)))
            #expect(view.state == TaskState.allCases.first { "\($0)" == task.state.rawValue })
            if !task.name.isEmpty { #expect(view.label.name == task.name) }
            if task.state == .suspended { #expect(!store.calls(of: view.awaitedCalls).isEmpty) }
        }
        // How tasks end is not known, so that no rule is checked that rests on it.
        #expect(store.swiftRoutes == [.names, .sampled])
        #expect(!lanes.hasEnded)
        program.end()
        while !lanes.hasEnded {}
    }

    @Test("The trace says a task's memory when it is first measured and when it changes")
    func saysTheMemory() {
        func waiting(_ memory: UInt64?) -> RemoteTask {
            var task = task(1, .suspended, .continuation, frames: [1])
            task.memory = memory
            return task
        }
        var course = Course()
        course.see([waiting(1024)])
        #expect(course.kinds == [.created, .memory, .suspended] && course.store.task(TaskID(rawValue: 1))?.memory == 1024)
        for same in [UInt64(1024), nil] {
            course.see([waiting(same)])
            #expect(course.kinds.isEmpty)
        }
        course.see([waiting(4096)])
        #expect(course.kinds == [.memory] && course.store.task(TaskID(rawValue: 1))?.memory == 4096)
        #expect(LiveSite.all(in: course.store).map(\.memory) == [4096])
        course.see([])
        course.see([])
        #expect(course.store.task(TaskID(rawValue: 1))?.memory == nil)
    }
}

/// The executor that a queued task waits for.
private struct WaitView: Equatable {
    let executor: String
    let kind: ExecutorKind

    init(executor: String, kind: ExecutorKind) {
        (self.executor, self.kind) = (executor, kind)
    }

    init?(_ task: TaskView, _ store: TraceStore) {
        guard let description = store.entries.executor(task.queuedOn) else { return nil }
        (executor, kind) = (description.name, description.kind)
    }
}
