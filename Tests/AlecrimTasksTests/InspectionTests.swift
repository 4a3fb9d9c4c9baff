import AlecrimTasks
import Foundation
import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// The store's view of AlecrimTasks: states, links and error paths.
@Suite(.serialized)
struct InspectionTests {
    /// A recording's tasks by name.
    private struct Picture {
        let store = TraceStore()

        init(of recording: EventRecording) {
            store.entries = recording.entries
            store.apply(recording.events)
        }

        func task(_ name: String) throws -> TaskView {
            try #require(store.rows.lazy.map { store[$0] }.first { $0.label.name == name })
        }

        func role(_ name: String) throws -> FaultRole? { FaultAnalysis(store).role(of: try task(name)) }

        var verdicts: [Verdict] { FaultAnalysis(store).faults().map(\.verdict) }
    }

    @Test func aWaitingTaskIsSuspendedAndRunsAfterwards() async throws {
        let condition = MutuallyExclusiveTaskCondition("inspected")
        let kept = Cell<[Task<Void>]>([])
        let waiting = try await EventRecording.of { _ in
            let begun = Barrier()
            let holder: Task<Void> = asyncEx(condition: condition, name: "holder") { _ in begun.open() }
            pass(begun)
            let waiter: Task<Void> = async(condition: condition, name: "waiter") {}
            let silent: Task<Void> = async(condition: TaskCondition { _ in }, name: "silent") {}
            kept.value = [holder, waiter, silent]
        }
        let picture = Picture(of: waiting)
        #expect(try picture.task("waiter").state == .suspended)
        #expect(try picture.task("waiter").waitsFor == picture.task("holder").id)
        #expect(try picture.task("silent").state == .suspended || picture.task("silent").state == .pending)
        for task in kept.value { task.cancel() }
    }

    @Test func waitingTimeIsNotBusyTime() async throws {
        let recording = try await EventRecording.of { _ in
            let task: Task<Void> = async(condition: BooleanTaskCondition(1 < 2), name: "task") {}
            try value(of: task)
        }
        let task = try Picture(of: recording).task("task")
        #expect(task.state == .succeeded && task.startManner == .dequeued)
        #expect(task.queued != nil && task.started != nil)
    }

    @Test func anErrorPassesDependenciesAndWaitsUntilAHandlerRecovers() async throws {
        let completions = OperationQueue()
        let recording = try await EventRecording.of { _ in
            let (log, isAdded) = (Log(), Barrier())
            let condition = TaskCondition(
                dependencyTask: async(name: "origin") {
                    isAdded.pass()
                    throw Boom()
                }
            ) { $0(.Satisfied) }
            let dependent: Task<Void> = async(condition: condition, name: "dependent") {}
            let awaiting: Task<Void> = async(name: "awaiting") { try `await`(dependent) }
            runTask(awaiting, completionQueue: completions, name: "handler") { _, error in log.add("\(error!)") }
            isAdded.open()
            #expect(await eventually { log.lines == ["boom"] })
            flush(completions)
        }
        let picture = Picture(of: recording)
        #expect(picture.verdicts == [.recovered])
        #expect(try picture.role("origin") == .thrown)
        #expect(try picture.role("dependent") == .forwarded)
        #expect(try picture.role("awaiting") == .forwarded)
        #expect(try picture.role("handler") == .recovered)
        #expect(try picture.task("dependent").firstAntecedent == picture.task("origin").id)
    }

    private func pass(_ barrier: Barrier) { barrier.pass() }

    private func flush(_ queue: OperationQueue) { queue.waitUntilAllOperationsAreFinished() }
}
