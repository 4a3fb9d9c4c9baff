import AlecrimTasks
import Foundation
import TaskEvents
import TaskRuntime
import Testing
import TraceTestKit

/// The events that AlecrimTasks emits.
@Suite(.serialized)
struct EventTests {
    /// A queue of several operations at a time; the default pool cannot report whether its jobs have returned.
    private let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "work"
        return queue
    }()

    @Test func aTaskIsARootOnItsQueue() async throws {
        let recording = try await EventRecording.of { _ in
            let task: Task<Int> = async(queue, name: "task") { 4 }
            _ = try value(of: task)
            await settle(task)
        }
        #expect(
            course(of: "task", in: recording) == [
                "created task root on work after -", "enqueued task on work", "started task on work dequeued",
                "completed task", "jobEnded task on work",
            ])
    }

    @Test func aTaskIsNamedAfterItsFunctionAndCallSite() async throws {
        let recording = try await EventRecording.of { _ in
            _ = try value(of: asyncCalculate())
            let nonFailable: NonFailableTask<Int> = async(name: "named") { 4 }
            _ = value(of: nonFailable)
        }
        #expect(recording.labels.map(\.name) == ["asyncCalculate()", "named"])
        #expect(recording.labels.allSatisfy { $0.file == "AlecrimTasksTests/EventTests.swift" })
    }

    private func asyncCalculate() -> Task<Int> { async { 4 } }

    // MARK: Waiting for conditions

    @Test func aTaskIsSuspendedUntilItsConditionsAreSatisfied() async throws {
        let timers = VirtualTimers()
        let recording = try await EventRecording.of { _ in
            let delay = Timers.$current.withValue(timers) { DelayTaskCondition(timeInterval: 1) }
            let named = TaskCondition(name: "is open") { $0(.Satisfied) }
            let task: Task<Int> = async(queue, conditions: [delay, named], name: "task") { 4 }
            #expect(await eventually { timers.count == 1 })
            timers.advance(by: .seconds(1))
            _ = try value(of: task)
            await settle(task)
        }
        #expect(
            course(of: "task", in: recording) == [
                "created task root on work after -",
                "suspended task condition - for DelayTaskCondition", "condition task DelayTaskCondition satisfied",
                "suspended task condition - for is open", "condition task is open satisfied", "resumed task",
                "enqueued task on work", "started task on work dequeued", "completed task", "jobEnded task on work",
            ])
    }

    @Test(arguments: [
        (TaskConditionResult.NotSatisfied, "notSatisfied", "cancelled task asked from -"),
        (.Failed(Boom()), "failed", "faulted task thrown boom from -"),
    ])
    func aTaskWhoseConditionsAreNotMetNeverStarts(result: TaskConditionResult, word: String, end: String) async throws {
        let recording = try await EventRecording.of { _ in
            let task: Task<Int> = async(queue, condition: TaskCondition { $0(result) }, name: "task") { 4 }
            #expect(await eventually { task.finished })
        }
        #expect(
            course(of: "task", in: recording) == [
                "created task root on work after -", "suspended task condition - for TaskCondition",
                "condition task TaskCondition \(word)", "resumed task", end,
            ])
    }

    /// A dependency is an antecedent, and the task forwards its error.
    @Test func aDependencyIsAnAntecedentWhoseErrorIsForwarded() async throws {
        let recording = try await EventRecording.of { _ in
            let condition = TaskCondition(dependencyTask: async(name: "dependency") { throw Boom() }, name: "condition") { $0(.Satisfied) }
            let task: Task<Int> = async(queue, condition: condition, name: "task") { 4 }
            #expect(await eventually { task.finished })
        }
        #expect(
            course(of: "task", in: recording) == [
                "created task root on work after -", "antecedent task input dependency",
                "suspended task condition dependency for condition", "resumed task", "faulted task forwarded boom from dependency",
            ])
        #expect(recording.lines(.errorRead).isEmpty)
    }

    @Test func aTaskIsSuspendedUntilItsCategoryIsFree() async throws {
        let recording = try await EventRecording.of { _ in
            let condition = MutuallyExclusiveTaskCondition("category")
            let begun = Barrier()
            let first: Task<Void> = asyncEx(queue, condition: condition, name: "first") { _ in begun.open() }
            pass(begun)
            let second: Task<Void> = async(queue, condition: condition, name: "second") {}
            let third: Task<Void> = async(queue, condition: condition, name: "third") {}
            third.cancel()
            first.finish()
            try value(of: second)
            await settle(second)
        }
        #expect(
            course(of: "second", in: recording) == [
                "created second root on work after -", "suspended second condition first for category",
                "suspended second condition - for category", "condition second category satisfied", "resumed second",
                "enqueued second on work", "started second on work dequeued", "completed second",
                "jobEnded second on work",
            ])
        #expect(
            recording.lines(of: "third") == [
                "created third root on work after -", "suspended third condition second for category", "cancelled third asked from -",
            ])
    }

    // MARK: Waiting for tasks, and their errors

    @Test(arguments: [
        ("rethrows", "faulted outer forwarded boom from inner"), ("throws another", "faulted outer transformed other from inner"),
        ("finishes with it", "faulted outer forwarded boom from inner"), ("recovers", "completed outer"),
        ("continues with it", "faulted outer forwarded boom from inner"),
    ])
    func anErrorThatABodyGetsByWaitingIsReadAndForwarded(how: String, end: String) async throws {
        let recording = try await EventRecording.of { _ in
            let failing: Task<Int> = async(queue, name: "inner") { throw Boom() }
            #expect(await eventually { failing.finished })
            let outer: Task<Int> =
                switch how {
                case "rethrows": async(queue, name: "outer") { try `await`(failing) }
                case "throws another": async(queue, name: "outer") { do { return try `await`(failing) } catch { throw Boom("other") } }
                case "recovers": async(queue, name: "outer") { (try? `await`(failing)) ?? 0 }
                case "finishes with it":
                    asyncEx(queue, name: "outer") { task in
                        do { task.finishWithValue(try `await`(failing)) } catch { task.finishWithError(error) }
                    }
                default: asyncEx(queue, name: "outer") { $0.continueWithTask(failing) }
                }
            #expect(await eventually { outer.finished })
        }
        #expect(recording.lines(of: "outer").contains(end))
        let isFollowing = how == "continues with it"
        #expect(recording.lines(.errorRead) == (isFollowing ? [] : ["errorRead inner by outer"]))
        #expect(recording.lines(of: "outer").contains("antecedent outer inner inner") == isFollowing)
    }

    @Test func aBlockedThreadEmitsItsWait() async throws {
        let recording = try await EventRecording.of { _ in
            let begun = Barrier()
            let inner: Task<Int> = asyncEx(queue, name: "inner") { _ in }
            let outer: Task<Int> = async(queue, name: "outer") {
                begun.open()
                return try `await`(inner)
            }
            pass(begun)
            // The thread may not have begun to wait; then it finds the task ended.
            #expect(await eventually { !outer.finished })
            inner.finishWithValue(4)
            #expect(await eventually { outer.finished })
        }
        let waits = recording.lines(of: "inner").filter { $0.hasPrefix("wait") }
        #expect(waits == ["waitBegan inner by outer", "waitEnded inner by outer"] || waits.isEmpty)
        #expect(recording.lines(of: "inner").contains("completed inner by finishWithValue"))
    }

    @Test func accessingAnErrorReadsIt() async throws {
        let recording = try await EventRecording.of { _ in
            let task: Task<Int> = async(queue, name: "task") { throw Boom() }
            #expect(await eventually { task.finished })
            _ = (task.value, task.cancelled, task.chainTask.isFaulted)
            #expect(task.error != nil)
            #expect(task.error != nil)
        }
        #expect(recording.lines(.errorRead) == ["errorRead task by -"])
    }

    @Test func anUnreadErrorIsSeenAsReleased() async throws {
        let recording = try await EventRecording.of { _ in
            func drop() async {
                let task: Task<Int> = async(queue, name: "task") { throw Boom() }
                #expect(await eventually { task.finished })
                await settle(task)
            }
            let before = AnyChainTask.liveCount
            await drop()
            // The job that ran the task may hold the last reference.
            #expect(await eventually { AnyChainTask.liveCount <= before })
        }
        #expect(recording.lines(of: "task").last == "released task")
    }

    /// A second finish is ignored and emitted; a finish by a body that was not told of the cancellation is not emitted.
    @Test func finishingATaskTwiceIsEmitted() async throws {
        let recording = try await EventRecording.of { _ in
            let task: Task<Int> = asyncEx(queue, name: "task") { task in
                task.finishWithValue(4)
                task.finishWithError(Boom())
                task.cancel()
            }
            let cancelled: Task<Int> = asyncEx(queue, name: "cancelled") { task in
                task.cancel()
                task.finishWithValue(4)
            }
            await settle(task)
            await settle(cancelled)
        }
        #expect(recording.lines(.completedTwice) == ["completedTwice task tried by finishWithError"])
    }

    // MARK: runTask

    @Test func theHandlerOfRunTaskIsAContinuation() async throws {
        let completions = OperationQueue()
        completions.name = "completions"
        let recording = try await EventRecording.of { _ in
            let (log, isAdded) = (Log(), Barrier())
            let task: Task<Int> = async(queue, name: "task") {
                isAdded.pass()
                throw Boom()
            }
            runTask(task, completionQueue: completions, name: "handler") { _, error in log.add("\(error!)") }
            isAdded.open()
            #expect(await eventually { log.lines == ["boom"] })
            flush(completions)
        }
        #expect(
            recording.lines(of: "handler") == [
                "created handler continuation on completions after task", "hopped handler from work to completions dispatched",
                "enqueued handler on completions", "started handler on completions dequeued", "completed handler",
                "jobEnded handler on completions",
            ])
        #expect(recording.lines(.errorRead) == ["errorRead task by handler"])
    }

    @Test @MainActor func aHandlerOnMainHopsOntoMain() async throws {
        let recording = try await EventRecording.of { _ in
            let log = Log()
            let task: Task<Int> = async(queue, name: "task") { 4 }
            await settle(task)
            runTask(task, name: "handler") { _, _ in log.add("ran") }
            while log.lines.isEmpty { await _Concurrency.Task.yield() }
        }
        #expect(recording.lines(of: "handler").contains("enqueued handler on main"))
        #expect(recording.lines(of: "handler").contains("started handler on main dequeued"))
    }

    /// Waits until the task has ended and its job has returned.
    private func settle(_ task: any TaskType, _ queue: OperationQueue? = nil) async {
        #expect(await eventually { task.finished })
        flush(queue ?? self.queue)
    }

    /// A task's events without the waits for it and its release, whose times depend on other threads.
    private func course(of task: String, in recording: EventRecording) -> [String] {
        recording.lines(of: task).filter { !$0.hasPrefix("wait") && !$0.hasPrefix("released") }
    }

    private func flush(_ queue: OperationQueue) { queue.waitUntilAllOperationsAreFinished() }

    private func pass(_ barrier: Barrier) { barrier.pass() }
}
