import AlecrimTasks
import Foundation
import TaskRuntime
import Testing
import TraceTestKit

/// Nothing keeps an ended task, whichever way it ended.
@Suite(.serialized)
struct LeftoverTests {
    enum Kind: String, CaseIterable, Sendable {
        case succeeded, failed, nonFailable, finishedFromOutside, finishedBeforeItsBody, cancelledBeforeItsBody
        case conditions, refused, dependency, cancelledByTimeout
        case exclusive, cancelledInLine, cancelledByNobodyButWaiting, following, handedOn

        /// Makes tasks of the kind, ends them, and returns them.
        func play() -> [AnyChainTask] {
            switch self {
            case .succeeded: return [ended(async(observers: [TaskObserver().didFinish { _ in }]) { 4 })]
            case .failed: return [ended(async { throw Boom() })]
            case .nonFailable:
                let task: NonFailableTask<Int> = async { 4 }
                _ = `await`(task)
                return [task.chainTask]
            case .finishedFromOutside:
                let task: Task<Int> = asyncEx { _ in }
                task.finishWithValue(4)
                return [task.chainTask]
            case .finishedBeforeItsBody: return onSuspendedQueue { $0.finishWithValue(4) }
            case .cancelledBeforeItsBody: return onSuspendedQueue { $0.cancel() }
            case .conditions: return [ended(async(conditions: [BooleanTaskCondition(1 < 2), BooleanTaskCondition(2 < 3)]) { 4 })]
            case .refused: return [ended(async(conditions: [BooleanTaskCondition(1 > 2), BooleanTaskCondition(2 < 3)]) { 4 })]
            case .dependency:
                let dependency: Task<Void> = async {}
                let task = ended(async(condition: TaskCondition(dependencyTask: dependency) { $0(.Satisfied) }) { 4 })
                return [dependency.chainTask, task]
            case .cancelledByTimeout:
                let timers = VirtualTimers()
                let begun = Barrier()
                let observer = Timers.$current.withValue(timers) { TimeoutTaskObserver(timeout: 1) }
                let task: Task<Int> = asyncEx(observers: [observer]) { _ in begun.open() }
                begun.pass()
                timers.advance(by: .seconds(1))
                return [ended(task)]
            case .exclusive:
                return (0..<3).map { _ in async(condition: MutuallyExclusiveTaskCondition("released")) { 4 } as Task<Int> }.map(ended)
            case .cancelledInLine:
                let holder: Task<Int> = asyncEx(condition: MutuallyExclusiveTaskCondition("released in line")) { _ in }
                let waiting: Task<Int> = async(condition: MutuallyExclusiveTaskCondition("released in line")) { 4 }
                waiting.cancel()
                holder.finishWithValue(4)
                return [holder, waiting].map(ended)
            case .cancelledByNobodyButWaiting:
                let asked = Barrier()
                let task: Task<Int> = async(condition: TaskCondition { _ in asked.open() }) { 4 }
                asked.pass()
                task.cancel()
                return [ended(task)]
            case .following:
                let first: Task<Int> = async { 4 }
                return [ended(asyncEx { $0.continueWithTask(first) }), first.chainTask]
            case .handedOn:
                let (task, done) = (async { 4 } as Task<Int>, Barrier())
                runTask(task, completionQueue: OperationQueue()) { _, _ in done.open() }
                done.pass()
                return [task.chainTask]
            }
        }

        private func ended(_ task: Task<Int>) -> AnyChainTask {
            _ = outcome(of: task)
            return task.chainTask
        }

        private func onSuspendedQueue(_ end: (Task<Int>) -> Void) -> [AnyChainTask] {
            let queue = OperationQueue()
            queue.isSuspended = true
            let task: Task<Int> = async(queue) { 4 }
            end(task)
            queue.isSuspended = false
            queue.waitUntilAllOperationsAreFinished()
            return [task.chainTask]
        }
    }

    private final class Reference {
        weak var task: AnyChainTask?

        init(_ task: AnyChainTask) { self.task = task }
    }

    @Test(arguments: Kind.allCases)
    func anEndedTaskIsReleased(kind: Kind) async {
        let references = (0..<20).flatMap { _ in kind.play().map(Reference.init) }
        #expect(!references.isEmpty)
        #expect(await eventually { references.allSatisfy { $0.task == nil } })
    }

    /// In a process that does nothing else. The queues' threads make it slow.
    @Test func endedTasksLeaveNothingBehind() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            await Leftovers.report(Kind.allCases.map { kind in ("\(kind)", { kind.play().count }) }, everyDay: 100_000)
        }
        #expect(lastWords(result) == "")
    }
}
