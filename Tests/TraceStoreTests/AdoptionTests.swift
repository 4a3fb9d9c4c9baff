import TaskEvents
import Testing
import TraceStore

/// A task that was there before the probe was loaded.
@Suite struct AdoptionTests {
    private let task = TaskID(rawValue: 7), parent = TaskID(rawValue: 3)

    private var adopted: TaskEvent {
        TaskEvent(.adopted, task: task, at: 10, other: parent.rawValue, detail: TaskKind.groupChild.rawValue)
    }

    private func store(of events: TaskEvent...) -> TraceStore {
        let store = TraceStore()
        store.apply(events)
        return store
    }

    @Test("It has its kind, its parent and its state, and no creation, in either order of its records")
    func state() throws {
        let suspended = TaskEvent(.suspended, task: task, at: 10, detail: SuspensionReason.continuation.rawValue)
        for store in [store(of: adopted, suspended), store(of: suspended, adopted)] {
            let row = try #require(store.task(task))
            #expect(row.isAdopted && row.isSynthesised && row.created == nil)
            #expect(row.kind == .groupChild && row.state == .suspended)
            #expect(Array(row.antecedents) == [parent])
            #expect(store.adoptedCount == 1 && store.synthesisedCount == 2)
        }
    }

    @Test("It goes on and ends as any other task")
    func course() throws {
        let store = store(
            of: adopted, TaskEvent(.suspended, task: task, at: 10, detail: SuspensionReason.continuation.rawValue),
            TaskEvent(.enqueued, task: task, at: 20), TaskEvent(.started, task: task, at: 30, detail: StartManner.slice.rawValue),
            TaskEvent(.completed, task: task, at: 40))
        let row = try #require(store.task(task))
        #expect(row.state == .succeeded && row.ended == 40 && row.isAdopted)
        // Its life is counted from the moment at which it was found, as its states are.
        #expect(row.firstKnown == 10 && row.suspendedTime == 10)
        store.forEachBlock { block in
            let index = (0..<block.count).first { block[$0].id == task }
            #expect(index.map { block.read(.total)[$0] } == 30)
        }
    }

    @Test("A task whose creation the trace has is none of those, whatever came first")
    func isNew() throws {
        let created = TaskEvent(.created, task: task, at: 20, detail: TaskKind.unstructured.rawValue)
        for store in [store(of: adopted, created), store(of: created, adopted)] {
            let row = try #require(store.task(task))
            #expect(!row.isAdopted && !row.isSynthesised && row.created == 20 && row.kind == .unstructured)
            #expect(store.adoptedCount == 0)
        }
    }
}
