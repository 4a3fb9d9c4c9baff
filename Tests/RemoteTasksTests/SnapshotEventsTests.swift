import CodeSymbols
import InspectorTestKit
import TaskEvents
import Testing
import TraceFile
import TraceStore

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

        mutating func see(_ tasks: [RemoteTask], actors: [RemoteActor] = [], threads: [RemoteThread] = []) {
            let snapshot = Snapshot(pid: 1, tasks: tasks, actors: actors, threads: threads)
            time += 500_000_000
            let placed = events.events(of: snapshot, SnapshotSymbols(of: snapshot, symbols: [:]), at: time)
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

    @Test("The lanes of a running program give a store with all of its tasks, their names and states, and end with the program")
    func readsAProgram() throws {
        let program = try RunningProgram(try UnpreparedProgram.shapes.path(.debug))
        let snapshot = try Snapshot(of: RemoteProcess(pid: program.pid))
        let lanes = try SnapshotLanes(ofProcess: program.pid)
        defer { lanes.stop() }
        #expect(lanes.words == "snapshots, 2 a second" && lanes.program == "Shapes-debug")
        let source = SymbolizedLanes(lanes)
        var merger = LaneMerger(source: source)
        let store = TraceStore()
        merger.drain { store.apply($0) }
        var entries = store.entries
        source.finish(&entries)
        store.entries = entries
        #expect(store.taskCount == snapshot.tasks.count)
        // A task that a snapshot before and one after show in different states has moved in between.
        let later = try Snapshot(of: RemoteProcess(pid: program.pid))
        let states = Dictionary(later.tasks.map { ($0.id, $0.state) }, uniquingKeysWith: { first, _ in first })
        for task in snapshot.tasks where states[task.id] == task.state {
            let view = try #require(store.task(TaskID(rawValue: task.id)))
            #expect(view.state == TaskState.allCases.first { "\($0)" == task.state.rawValue })
            if !task.name.isEmpty { #expect(view.label.name == task.name) }
            if task.state == .suspended { #expect(!store.calls(of: view.awaitedCalls).isEmpty) }
        }
        // How tasks end is not known, so that no rule is checked that rests on it.
        #expect(store.swiftRoutes == .names)
        #expect(!lanes.hasEnded)
        program.end()
        while !lanes.hasEnded {}
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
