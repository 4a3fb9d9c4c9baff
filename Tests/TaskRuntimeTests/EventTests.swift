import Foundation
import TaskEvents
import Testing
import TraceTestKit

@testable import TaskRuntime

/// The events that the runtime emits, in order. A line is: the event, the task, its fields.
@Suite(.serialized)
struct EventTests {
    struct Scenario: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lines: [String]
        let run: @Sendable (ManualExecutor) -> Void

        init(_ name: String, _ lines: [String], _ run: @escaping @Sendable (ManualExecutor) -> Void) {
            testDescription = name
            self.lines = lines
            self.run = run
        }
    }

    @Test(arguments: tasks + continuations + errors + flattenings + joins + tokens + sources)
    func everyActionEmitsTheEventsOfTheContract(_ scenario: Scenario) async throws {
        let recording = try await EventRecording.of { _ in scenario.run(ManualExecutor()) }
        #expect(recording.lines == scenario.lines)
    }

    // MARK: Roots and finished tasks

    static let tasks = [
        Scenario("finished", ["created a root on - after -", "completed a"]) { _ in _ = ChainTask(1, name: "a") },
        Scenario("failed", ["created a root on - after -", "faulted a thrown boom from -", "released a"]) { _ in
            _ = ChainTask<Int>(error: Boom(), name: "a")
        },
        Scenario(
            "failed with a cancellation", ["created a root on - after -", "faulted a thrown CancellationError() from -", "released a"]
        ) {
            _ in _ = ChainTask<Int>(error: CancellationError(), name: "a")
        },
        Scenario("cancelled", ["created a root on - after -", "cancelled a asked from -"]) { _ in _ = ChainTask<Int>.cancelled(name: "a") },
        Scenario("root inline", ["created a root on default after -", "started a on default inline", "completed a"]) { _ in
            _ = ChainTask(name: "a") { 1 }
        },
        Scenario("root on immediate", ["created a root on immediate after -", "started a on immediate inline", "completed a"]) { _ in
            _ = ChainTask(on: .immediate, name: "a") { 1 }
        },
        Scenario(
            "root that throws",
            ["created a root on default after -", "started a on default inline", "faulted a thrown boom from -", "released a"]
        ) { _ in _ = ChainTask<Int>(name: "a") { throw Boom() } },
        Scenario(
            "root that throws CancellationError",
            ["created a root on default after -", "started a on default inline", "cancelled a thrown from -"]
        ) { _ in _ = ChainTask<Int>(name: "a") { throw CancellationError() } },
        Scenario(
            "root through a queue",
            [
                "created a root on manual after -", "enqueued a on manual", "started a on manual dequeued", "completed a",
                "jobEnded a on manual",
            ]
        ) { manual in
            let task = ChainTask(on: manual.executor, name: "a") { 1 }
            manual.runAll()
            _ = task
        },
        Scenario(
            "root that never ran", ["created a root on manual after -", "enqueued a on manual", "released a"]
        ) { manual in
            _ = ChainTask(on: manual.executor, name: "a") { 1 }
            manual.dropAll()
        },
    ]

    // MARK: Continuations

    static let root = ["created a root on - after -", "completed a"]
    static let failure = ["created a root on - after -", "faulted a thrown boom from -"]

    static let continuations = [
        Scenario("inline", root + ["created b continuation on default after a", "started b on default inline", "completed b"]) { _ in
            ChainTask(1, name: "a").continueWith(name: "b") { _ in }
        },
        Scenario(
            "in order",
            [
                "created a source on - after -", "created b continuation on default after a", "created c continuation on immediate after a",
                "completed a by set", "started b on default inline", "completed b", "started c on immediate inline", "completed c",
            ]
        ) { _ in
            let source = TaskCompletionSource<Int>(name: "a")
            source.task.continueWith(name: "b") { _ in }
            source.task.continueWith(on: .immediate, name: "c") { _ in }
            source.set(1)
        },
        Scenario(
            "through a queue, from a thread of none",
            root + [
                "created b continuation on manual after a", "hopped b from - to manual dispatched", "enqueued b on manual",
                "started b on manual dequeued", "completed b", "jobEnded b on manual",
            ]
        ) { manual in
            ChainTask(1, name: "a").continueWith(on: manual.executor, name: "b") { _ in }
            manual.runAll()
        },
        Scenario(
            "redundantly, through inline ones that change nothing",
            [
                "created a root on manual after -", "enqueued a on manual", "created b continuation on default after a",
                "created c continuation on immediate after b", "created d continuation on manual after c", "started a on manual dequeued",
                "completed a", "started b on default inline", "completed b", "started c on immediate inline", "completed c",
                "hopped d from manual to manual dispatched", "enqueued d on manual", "jobEnded a on manual", "started d on manual dequeued",
                "completed d", "jobEnded d on manual",
            ]
        ) { manual in
            ChainTask(on: manual.executor, name: "a") { 1 }.continueWith(name: "b") { _ in }.continueWith(on: .immediate, name: "c") { _ in
            }
            .continueWith(on: manual.executor, name: "d") { _ in }
            manual.runAll()
        },
        Scenario(
            "from one executor to another",
            [
                "created a root on manual after -", "enqueued a on manual", "created b continuation on other after a",
                "started a on manual dequeued", "completed a", "hopped b from manual to other dispatched", "enqueued b on other",
                "jobEnded a on manual", "started b on other dequeued", "completed b", "jobEnded b on other",
            ]
        ) { manual in
            let other = ManualExecutor(name: "other")
            ChainTask(on: manual.executor, name: "a") { 1 }.continueWith(on: other.executor, name: "b") { _ in }
            manual.runAll()
            other.runAll()
        },
        Scenario(
            "added inside of a body",
            [
                "created a root on manual after -", "enqueued a on manual", "started a on manual dequeued", "created b root on - after -",
                "completed b", "created c continuation on manual after b", "hopped c from manual to manual dispatched",
                "enqueued c on manual",
                "created d continuation on default after b", "started d on default inline", "completed d", "completed a",
                "jobEnded a on manual", "started c on manual dequeued", "completed c", "jobEnded c on manual",
            ]
        ) { manual in
            let executor = manual.executor
            let task = ChainTask(on: executor, name: "a") {
                let inner = ChainTask(1, name: "b")
                inner.continueWith(on: executor, name: "c") { _ in }
                inner.continueWith(name: "d") { _ in }
            }
            manual.runAll()
            _ = task
        },
        Scenario(
            "skipped after an error",
            failure + [
                "created b continuation on manual after a", "skipped b after a", "faulted b forwarded boom from a", "released b",
                "released a",
            ]
        ) { manual in
            let task = ChainTask<Int>(error: Boom(), name: "a")
            withExtendedLifetime(task) { release { task.continueOnSuccessWith(on: manual.executor, name: "b") { $0 } } }
            precondition(manual.count == 0)
        },
        Scenario(
            "skipped after a cancellation",
            [
                "created a root on - after -", "cancelled a asked from -", "created b continuation on default after a", "skipped b after a",
                "cancelled b forwarded from a",
            ]
        ) { _ in ChainTask<Int>.cancelled(name: "a").continueOnSuccessWithTask(name: "b") { ChainTask($0) } },
        Scenario(
            "skipped after a success",
            root + ["created b continuation on default after a", "skipped b after a", "completed b"]
        ) { _ in ChainTask(1, name: "a").continueOnErrorWith(name: "b") { _ in 2 } },
        Scenario(
            "skipped by another type of error, unread",
            failure + [
                "created b continuation on default after a", "skipped b after a", "faulted b forwarded boom from a", "released b",
                "released a",
            ]
        ) { _ in
            let task = ChainTask<Int>(error: Boom(), name: "a")
            withExtendedLifetime(task) { release { task.continueOnErrorWith(name: "b") { (_: Thud) in 2 } } }
        },
    ]

    // MARK: Errors

    /// `b` continues the failed `a` with `body`, and `a` is released afterwards.
    private static func after(
        _ name: String, _ lines: [String], released: [String], _ body: @escaping @Sendable (ChainTask<Int>) throws -> Int
    ) -> Scenario {
        Scenario(name, failure + ["created b continuation on default after a", "started b on default inline"] + lines + released) { _ in
            let task = ChainTask<Int>(error: Boom(), name: "a")
            withExtendedLifetime(task) { release { task.continueWith(name: "b", body) } }
        }
    }

    static let errors = [
        after("read and recovered", ["errorRead a by b", "completed b"], released: []) { $0.error == nil ? 1 : 2 },
        after("read as an outcome", ["errorRead a by b", "completed b"], released: []) { task in
            _ = task.outcome
            _ = task.error
            return 1
        },
        after("read and cancelled", ["errorRead a by b", "cancelled b thrown from -"], released: []) { task in
            _ = task.error
            throw CancellationError()
        },
        after("looked at without reading", ["completed b"], released: ["released a"]) { task in
            task.isFaulted && !task.isCancelled && task.isCompleted && task.result == nil ? 1 : 2
        },
        after("thrown again", ["errorRead a by b", "faulted b forwarded boom from a"], released: ["released b"]) { task in throw task.error!
        },
        after("transformed", ["errorRead a by b", "faulted b transformed thud from a"], released: ["released b"]) { task in
            _ = task.error
            throw Thud()
        },
        after("thrown anew, the old one unread", ["faulted b thrown thud from -"], released: ["released b", "released a"]) { _ in
            throw Thud()
        },
        Scenario(
            "handed",
            failure + ["created b continuation on default after a", "started b on default inline", "errorRead a by b", "completed b"]
        ) { _ in ChainTask<Int>(error: Boom(), name: "a").continueOnErrorWith(name: "b") { _ in 1 } },
        Scenario(
            "handed and thrown again",
            failure + [
                "created b continuation on default after a", "started b on default inline", "errorRead a by b",
                "faulted b forwarded boom from a", "released b",
            ]
        ) { _ in ChainTask<Int>(error: Boom(), name: "a").continueOnErrorWith(name: "b") { throw $0 } },
        Scenario(
            "handed and transformed",
            failure + [
                "created b continuation on default after a", "started b on default inline", "errorRead a by b",
                "faulted b transformed thud from a", "released b",
            ]
        ) { _ in ChainTask<Int>(error: Boom(), name: "a").continueOnErrorWith(name: "b") { (_: Boom) in throw Thud() } },
        Scenario("read from outside, once", failure + ["errorRead a by -"]) { _ in
            let task = ChainTask<Int>(error: Boom(), name: "a")
            _ = task.error
            _ = task.outcome
        },
        Scenario(
            "read by a body of another chain",
            failure + [
                "created b root on default after -", "started b on default inline", "errorRead a by b", "faulted b transformed thud from a",
                "released b",
            ]
        ) { _ in
            let task = ChainTask<Int>(error: Boom(), name: "a")
            _ = ChainTask<Int>(name: "b") {
                _ = task.error
                throw Thud()
            }
        },
        Scenario(
            "read by the inner of two bodies",
            failure + [
                "created b root on default after -", "started b on default inline", "created c root on default after -",
                "started c on default inline", "errorRead a by c", "completed c", "completed b",
            ]
        ) { _ in
            let task = ChainTask<Int>(error: Boom(), name: "a")
            _ = ChainTask(name: "b") { _ = ChainTask(name: "c") { _ = task.error } }
        },
        Scenario(
            "one of several thrown again",
            failure + [
                "created b root on - after -", "faulted b thrown thud from -", "created c root on default after -",
                "started c on default inline", "errorRead a by c", "errorRead b by c", "faulted c forwarded thud from b", "released c",
            ]
        ) { _ in
            let tasks = [ChainTask<Int>(error: Boom(), name: "a"), ChainTask<Int>(error: Thud(), name: "b")]
            _ = ChainTask<Int>(name: "c") {
                _ = tasks[0].error
                throw tasks[1].error!
            }
        },
    ]

    // MARK: Flattening

    static let flattenings = [
        Scenario(
            "returned an ended task",
            root + [
                "created b continuation on default after a", "started b on default inline", "created c root on - after -", "completed c",
                "antecedent b inner c", "completed b",
            ]
        ) { _ in ChainTask(1, name: "a").continueWithTask(name: "b") { _ in ChainTask(2, name: "c") } },
        Scenario(
            "returned a pending task",
            [
                "created c source on - after -", "created b root on default after -", "started b on default inline", "antecedent b inner c",
                "suspended b innerTask c", "faulted c thrown boom from -", "resumed b", "faulted b forwarded boom from c", "released b",
                "released c",
            ]
        ) { _ in
            let source = TaskCompletionSource<Int>(name: "c")
            withExtendedLifetime(source) {
                let task = ChainTask.flattening(name: "b") { source.task }
                withExtendedLifetime(task) { source.set(error: Boom()) }
            }
        },
        Scenario(
            "returned a cancelled task",
            [
                "created b root on default after -", "started b on default inline", "created c root on - after -",
                "cancelled c asked from -",
                "antecedent b inner c", "cancelled b forwarded from c",
            ]
        ) { _ in _ = ChainTask<Int>.flattening(name: "b") { .cancelled(name: "c") } },
        Scenario(
            "returned another error than it had read",
            failure + [
                "created b continuation on default after a", "started b on default inline", "errorRead a by b",
                "created c root on - after -",
                "faulted c thrown thud from -", "antecedent b inner c", "faulted b forwarded thud from c", "released b", "released c",
            ]
        ) { _ in
            let inner = Cell<ChainTask<Int>>()
            ChainTask<Int>(error: Boom(), name: "a").continueOnErrorWithTask(name: "b") { _ in
                inner.value = ChainTask(error: Thud(), name: "c")
                return inner.value!
            }
            inner.value = nil
        },
        Scenario(
            "threw",
            root + [
                "created b continuation on default after a", "started b on default inline", "faulted b thrown thud from -", "released b",
            ]
        ) { _ in ChainTask(1, name: "a").continueOnSuccessWithTask(name: "b") { _ -> ChainTask<Int> in throw Thud() } },
    ]

    // MARK: Joins

    static let joins = [
        Scenario(
            "inputs in order",
            [
                "created a root on - after -", "completed a", "created b root on - after -", "completed b", "created c source on - after -",
                "created all join on - after a", "antecedent all input b", "antecedent all input a", "antecedent all input c",
                "completed c by set", "completed all",
            ]
        ) { _ in
            let one = ChainTask(1, name: "a"), two = ChainTask(2, name: "b"), source = TaskCompletionSource<Int>(name: "c")
            let all = ChainTask.whenAllResults([one, two, one, source.task], name: "all")
            source.set(3)
            _ = all
        },
        Scenario("of nothing", ["created all join on - after -", "completed all"]) { _ in _ = ChainTask<Int>.whenAll([], name: "all") },
        Scenario(
            "any of nothing", ["created any join on - after -", "faulted any thrown AggregateError() from -", "released any"]
        ) { _ in _ = ChainTask<Int>.whenAny([], name: "any") },
        Scenario(
            "one error", failure + ["created all join on - after a", "faulted all forwarded boom from a", "released all", "released a"]
        ) { _ in
            let task = ChainTask<Int>(error: Boom(), name: "a")
            withExtendedLifetime(task) { release { ChainTask.whenAll([task], name: "all") } }
        },
        Scenario(
            "two errors",
            failure + [
                "created all join on - after a", "antecedent all input a", "faulted all transformed AggregateError(boom, boom) from -",
                "released all", "released a",
            ]
        ) { _ in
            let task = ChainTask<Int>(error: Boom(), name: "a")
            withExtendedLifetime(task) { release { ChainTask.whenAny([task, task], name: "all") } }
        },
        Scenario(
            "cancelled",
            root + [
                "created b root on - after -", "cancelled b asked from -", "created all join on - after a", "antecedent all input b",
                "cancelled all forwarded from b",
            ]
        ) { _ in _ = ChainTask.whenAll([ChainTask(1, name: "a"), .cancelled(name: "b")], name: "all") },
        Scenario(
            "the first success",
            failure + [
                "created b root on - after -", "completed b", "created any join on - after a", "antecedent any input b", "completed any",
                "released a",
            ]
        ) { _ in
            let task = ChainTask<Int>(error: Boom(), name: "a")
            withExtendedLifetime(task) { release { ChainTask.whenAny([task, ChainTask(2, name: "b")], name: "any") } }
        },
    ]

    // MARK: Tokens, sources, waits

    static let tokens = [
        Scenario(
            "cancelled before it was added", root + ["created b continuation on manual after a", "cancelled b token from -"]
        ) { manual in
            let cancellation = CancellationTokenSource()
            cancellation.cancel()
            ChainTask(1, name: "a").continueWith(on: manual.executor, name: "b", cancellation: cancellation.token) { _ in }
        },
        Scenario(
            "cancelled in the queue",
            root + [
                "created b continuation on manual after a", "hopped b from - to manual dispatched", "enqueued b on manual",
                "cancelled b token from -",
            ]
        ) { manual in
            let cancellation = CancellationTokenSource()
            let executor = manual.executor
            ChainTask(1, name: "a").continueWith(on: executor, name: "b", cancellation: cancellation.token) { _ in }
            cancellation.cancel()
            manual.runAll()
        },
        Scenario(
            "cancelled in the queue by an action of its own, with an error to hand",
            failure + [
                "created b continuation on manual after a", "hopped b from - to manual dispatched", "enqueued b on manual",
                "cancelled b token from -", "released a",
            ]
        ) { manual in
            let cancellation = CancellationTokenSource()
            cancellation.token.onCancel { manual.runAll() }
            let task = ChainTask<Int>(error: Boom(), name: "a")
            task.continueOnErrorWith(on: manual.executor, name: "b", cancellation: cancellation.token) { _ in 1 }
            cancellation.cancel()
        },
        Scenario(
            "cancelled while it waits for the inner task",
            [
                "created c source on - after -", "created a root on - after -", "completed a", "created b continuation on default after a",
                "started b on default inline", "antecedent b inner c", "suspended b innerTask c", "cancelled b token from -",
                "completed c by set",
            ]
        ) { _ in
            let source = TaskCompletionSource<Int>(name: "c"), cancellation = CancellationTokenSource()
            ChainTask(1, name: "a").continueWithTask(name: "b", cancellation: cancellation.token) { _ in source.task }
            cancellation.cancel()
            source.set(1)
        },
        Scenario(
            "a delay", ["created a delay on - after -", "completed a", "created b delay on - after -", "cancelled b token from -"]
        ) { _ in
            let timers = VirtualTimers(), cancellation = CancellationTokenSource()
            Timers.$current.withValue(timers) {
                _ = ChainTask.delay(.seconds(1), name: "a")
                timers.advance(by: .seconds(1))
                let delay = ChainTask.delay(.seconds(1), cancellation: cancellation.token, name: "b")
                cancellation.cancel()
                _ = delay
            }
        },
    ]

    static let sources = [
        Scenario("set", ["created a source on - after -", "completed a by set"]) { _ in TaskCompletionSource<Int>(name: "a").set(1) },
        Scenario("cancelled by its source", ["created a source on - after -", "cancelled a asked from -"]) { _ in
            TaskCompletionSource<Int>(name: "a").setCancelled()
        },
        Scenario(
            "tried twice",
            [
                "created a source on - after -", "completed a by set", "completedTwice a tried by set", "completedTwice a tried by set",
                "completedTwice a tried by set",
            ]
        ) { _ in
            let source = TaskCompletionSource<Int>(name: "a")
            source.trySet(1)
            source.trySet(2)
            source.trySet(error: Boom())
            source.trySetCancelled()
        },
        Scenario(
            "broken",
            ["created a source on - after -", "faulted a thrown the source of 'a' was released before it was set from -", "released a"]
        ) { _ in _ = TaskCompletionSource<Int>(name: "a") },
        Scenario(
            "waited for in vain, from outside and from a body",
            [
                "created a source on - after -", "waitBegan a by -", "waitEnded a by - in vain", "created b root on default after -",
                "started b on default inline", "waitBegan a by b", "waitEnded a by b in vain", "completed b", "completed a by set",
            ]
        ) { _ in
            let source = TaskCompletionSource<Int>(name: "a")
            _ = source.task.wait(timeout: .zero)
            _ = ChainTask(name: "b") { source.task.wait(timeout: .zero) }
            source.set(1)
            source.task.wait()
        },
    ]

    // MARK: Events that need more than a table

    @Test func aTrapEmitsItsEventFirst() async {
        await #expect(processExitsWith: .failure) {
            let bus = try EventBus(.init(laneLimit: 4, laneCapacity: 255, entryBytes: 1 << 16))
            bus.start()
            let source = TaskCompletionSource<Int>(name: "a")
            source.set(1)
            source.set(2)
        }
    }

    /// Past its depth `default` goes through the global queue, and the event has the reason.
    @Test func theDepthGuardIsEmitted() async throws {
        let recording = try await EventRecording.of { _ in
            let sources = (0...22).map { TaskCompletionSource<Int>(name: "s\($0)") }
            for level in 0..<22 { sources[level].task.continueWith(name: "c\(level)") { _ in sources[level + 1].set(level) } }
            let after = sources[22].task.continueWith(on: .queue(DispatchQueue(label: "own")), name: "after") { _ in }
            sources[0].set(0)
            try await after.value
        }
        #expect(recording.lines(.hopped) == ["hopped c21 from - to default depthGuard", "hopped after from default to own dispatched"])
        #expect(
            recording.lines(of: "c20") == [
                "created c20 continuation on default after s20", "started c20 on default inline", "completed c20",
            ])
        #expect(
            recording.lines(of: "c21").prefix(4) == [
                "created c21 continuation on default after s21", "hopped c21 from - to default depthGuard", "enqueued c21 on default",
                "started c21 on default dequeued",
            ])
    }

    @Test func executorsHaveTheirNames() async throws {
        let recording = try await EventRecording.of { _ in
            let operations = OperationQueue()
            operations.name = "operations"
            let executors: [ChainExecutor] = [
                .queue(DispatchQueue(label: "queue")), .operationQueue(operations), .pool(name: "pool", width: 2), .immediate, .default,
                .main,
            ]
            for executor in executors { try await ChainTask(on: executor, name: "a") {}.value }
        }
        #expect(
            recording.lines(.started) == [
                "started a on queue dequeued", "started a on operations dequeued", "started a on pool dequeued",
                "started a on immediate inline",
                "started a on default inline", "started a on main dequeued",
            ])
    }

    @Test func closuresAreJobsWithoutATask() async throws {
        let recording = try await EventRecording.of { _ in
            let manual = ManualExecutor(name: "closures")
            manual.executor.execute { ChainTask(1, name: "a").continueWith(on: manual.executor, name: "b") { _ in } }
            manual.runAll()
        }
        #expect(recording.linesOfJobs(on: "closures") == ["started - on closures dequeued", "jobEnded - on closures"])
        #expect(recording.lines(.hopped) == ["hopped b from closures to closures dispatched"])
        let ends = recording.events.filter { $0.task == .none && [.started, .jobEnded].contains($0.kind) }
        #expect(ends.map { recording.entries.label($0.label)?.name } == ["closuresAreJobsWithoutATask()", "closuresAreJobsWithoutATask()"])
    }

    @Test func asynchronousBodiesReadErrors() async throws {
        let recording = try await EventRecording.of { _ in
            let failed = ChainTask<Int>(error: Boom(), name: "a")
            let task = ChainTask<Int>(
                name: "b",
                operation: {
                    await Task.yield()
                    return try await failed.value
                })
            _ = try? await task.value
            let recovered = ChainTask(name: "c", operation: { (try? await failed.value) ?? 4 })
            _ = try await recovered.value
        }
        #expect(
            recording.lines == [
                "created a root on - after -", "faulted a thrown boom from -", "created b root on - after -", "started b on - dequeued",
                "errorRead a by b", "faulted b forwarded boom from a", "errorRead b by -", "created c root on - after -",
                "started c on - dequeued", "errorRead a by c", "completed c",
            ])
    }
}
