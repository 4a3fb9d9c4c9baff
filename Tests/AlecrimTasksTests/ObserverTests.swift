import AlecrimTasks
import Foundation
import TaskRuntime
import Testing
import TraceTestKit

/// The starts and finishes that observers are told of, and the moments of these calls.
@Suite(.explored) struct ObserverTests {
    private func observer(_ name: String, _ log: Log) -> TaskObserver {
        TaskObserver()
            .didStart { log.add("\(name) start 1\($0.finished ? " finished" : "")") }
            .didStart { _ in log.add("\(name) start 2") }
            .didFinish { log.add("\(name) finish 1\($0.finished ? "" : " pending")") }
            .didFinish { _ in log.add("\(name) finish 2") }
    }

    static let order = [
        "a start 1", "a start 2", "b start 1", "b start 2", "body", "a finish 1", "a finish 2", "b finish 1", "b finish 2",
    ]

    @Test(arguments: ["async", "asyncEx", "async non-failable", "asyncEx non-failable", "with a condition", "throwing", "cancelled"])
    func observersAreCalledInTheirOrder(how: String) async {
        let log = Log()
        let observers = [observer("a", log), observer("b", log)]
        let task: any TaskType
        switch how {
        case "async": task = async(observers: observers) { log.add("body") } as Task<Void>
        case "asyncEx":
            task =
                asyncEx(observers: observers) { task in
                    log.add("body")
                    task.finish()
                } as Task<Void>
        case "async non-failable": task = async(observers: observers) { log.add("body") } as NonFailableTask<Void>
        case "asyncEx non-failable":
            task =
                asyncEx(observers: observers) { task in
                    log.add("body")
                    task.finish()
                } as NonFailableTask<Void>
        case "with a condition":
            task = async(condition: BooleanTaskCondition(1 < 2), observers: observers) { log.add("body") } as Task<Void>
        case "throwing":
            task =
                async(observers: observers) {
                    log.add("body")
                    throw Boom()
                } as Task<Void>
        default:
            task =
                asyncEx(observers: observers) { task in
                    log.add("body")
                    task.cancel()
                } as Task<Void>
        }
        #expect(await eventually { task.finished && log.lines.count == Self.order.count })
        #expect(log.lines == Self.order)
    }

    @Test(arguments: [false, true])
    func aTaskWhoseConditionsAreNotSatisfiedCallsNoObserver(fails: Bool) {
        let log = Log()
        let condition = TaskCondition { $0(fails ? .Failed(Boom()) : .NotSatisfied) }
        let task: Task<Void> = async(condition: condition, observers: [observer("a", log)]) { log.add("body") }
        #expect(outcome(of: task) == (fails ? "error boom" : cancelled))
        #expect(log.lines.isEmpty)
    }

    /// The finishing thread calls the observer after it has released the waiters and before the finishing call returns.
    @Test func theFinishingThreadCallsTheObserver() {
        let (log, begun) = (Log(), Barrier())
        let observer = TaskObserver().didFinish { task in log.add("told, \(task.finished)") }
        let task: Task<Int> = asyncEx(observers: [observer]) { _ in begun.open() }
        begun.pass()
        task.finishWithValue(4)
        log.add("finished")
        task.finishWithValue(5)
        #expect(log.lines == ["told, true", "finished"])
    }

    /// Matrix row "lock held while continuations run": no; other threads may read the task meanwhile, and finish it without effect.
    @Test func observersAreCalledWithNoLockHeld() async {
        let log = Log()
        let task = Cell<Task<Int>?>(nil)
        let observer = TaskObserver().didFinish { _ in
            let other: NonFailableTask<Void> = async {
                task.value?.finishWithValue(5)
                log.add("\(task.value?.value ?? 0) \(task.value?.finished ?? false)")
            }
            value(of: other)
            log.add("told")
        }
        let begun = Barrier()
        task.value = asyncEx(observers: [observer]) { _ in begun.open() }
        pass(begun)
        // The body has begun, so the observer will be told of the finish.
        task.value?.finishWithValue(4)
        #expect(await eventually { log.lines.count == 2 })
        #expect(log.lines == ["4 true", "told"])
    }

    private func pass(_ barrier: Barrier) { barrier.pass() }

    @Test func anObserverMayCancelItsTaskAtTheStart() async {
        let log = Log()
        let observer = TaskObserver()
            .didStart { task in (task as? any FailableTaskType)?.cancel() }
            .didFinish { _ in log.add("finish") }
        let task: Task<Void> = async(observers: [observer]) { log.add("body") }
        #expect(await eventually { log.lines.count == 2 })
        #expect(log.lines == ["finish", "body"] && task.cancelled)
    }

    @Test func oneObserverMayObserveManyTasks() async {
        let finished = Counter()
        let observer = TaskObserver().didFinish { _ in finished.add(1) }
        let tasks: [NonFailableTask<Int>] = (0..<50).map { number in async(observers: [observer]) { number } }
        #expect(await eventually { finished.value == 50 })
        #expect(tasks.allSatisfy { $0.finished })
    }

    // MARK: Timeouts

    @Test func aTimeoutCancelsATaskThatIsNotFinishedInTime() async {
        let timers = VirtualTimers()
        let observer = Timers.$current.withValue(timers) { TimeoutTaskObserver(timeout: 10) }
        let slow: Task<Int> = asyncEx(observers: [observer]) { _ in }
        let quick: Task<Int> = async(observers: [observer]) { 4 }
        #expect(await eventually { timers.count == 2 && quick.finished })
        timers.advance(by: .milliseconds(9_999))
        #expect(!slow.finished)
        timers.advance(by: .milliseconds(1))
        #expect(outcome(of: slow) == cancelled)
        #expect(outcome(of: quick) == "value 4")
    }

    @Test func theTimeoutDoesNotCountTheTimeOfConditions() async {
        let timers = VirtualTimers()
        let (observer, condition) = Timers.$current.withValue(timers) {
            (TimeoutTaskObserver(timeout: 10), DelayTaskCondition(timeInterval: 60))
        }
        let task: Task<Int> = asyncEx(condition: condition, observers: [observer]) { _ in }
        #expect(await eventually { timers.count == 1 })
        timers.advance(by: .seconds(60))
        #expect(await eventually { timers.count == 1 })
        #expect(!task.finished)
        timers.advance(by: .seconds(10))
        #expect(outcome(of: task) == cancelled)
    }

    #if DEBUG
        @Test func aTimeoutNeedsATaskThatCanBeCancelled() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let task: NonFailableTask<Void> = async(observers: [TimeoutTaskObserver(timeout: 10)]) {}
                value(of: task)
            }
            #expect(lastWords(result).contains("The timeout observer only works on failable tasks."))
        }
    #endif
}
