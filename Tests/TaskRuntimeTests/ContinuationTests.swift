import Testing
import TraceTestKit

@testable import TaskRuntime

/// Which continuations run after which outcomes, and their own outcomes.
@Suite(.explored) struct ContinuationTests {
    /// The ways in which a task ends.
    enum End: String, CaseIterable {
        case success, boom, thud, cancelled

        func apply(to source: TaskCompletionSource<Int>) {
            switch self {
            case .success: source.set(4)
            case .boom: source.set(error: Boom())
            case .thud: source.set(error: Thud())
            case .cancelled: source.setCancelled()
            }
        }
    }

    /// A form of continuation, and its outcome after each end. Its body logs "ran".
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let after: [End: String]
        let runsAfter: Set<End>
        let go: @Sendable (ChainTask<Int>, ChainExecutor, Log) -> ChainTask<Int>
    }

    static let all = Set(End.allCases)
    static let forwarded: [End: String] = [.success: "success 4", .boom: "faulted boom", .thud: "faulted thud", .cancelled: "cancelled"]

    static func after(_ ends: Set<End>, _ summary: String) -> [End: String] {
        forwarded.merging(ends.map { ($0, summary) }) { $1 }
    }

    static let ways: [Way] = [
        Way(testDescription: "continueWith", after: after(all, "success 9"), runsAfter: all) { task, executor, log in
            task.continueWith(on: executor) { _ in
                log.add("ran")
                return 9
            }
        },
        Way(testDescription: "continueWith throwing", after: after(all, "faulted other"), runsAfter: all) { task, executor, log in
            task.continueWith(on: executor) { _ -> Int in
                log.add("ran")
                throw Boom("other")
            }
        },
        Way(testDescription: "continueWith throwing CancellationError", after: after(all, "cancelled"), runsAfter: all) {
            task, executor, log in
            task.continueWith(on: executor) { _ -> Int in
                log.add("ran")
                throw CancellationError()
            }
        },
        Way(testDescription: "continueWithTask", after: after(all, "success 8"), runsAfter: all) { task, executor, log in
            task.continueWithTask(on: executor) { _ in
                log.add("ran")
                return ChainTask(8)
            }
        },
        Way(testDescription: "continueWithTask to a failed one", after: after(all, "faulted inner"), runsAfter: all) {
            task, executor, log in
            task.continueWithTask(on: executor) { _ in
                log.add("ran")
                return ChainTask(error: Boom("inner"))
            }
        },
        Way(testDescription: "continueWithTask to a cancelled one", after: after(all, "cancelled"), runsAfter: all) { task, executor, log in
            task.continueWithTask(on: executor) { _ in
                log.add("ran")
                return .cancelled()
            }
        },
        Way(testDescription: "continueOnSuccessWith", after: after([.success], "success 5"), runsAfter: [.success]) { task, executor, log in
            task.continueOnSuccessWith(on: executor) { value in
                log.add("ran")
                return value + 1
            }
        },
        Way(testDescription: "continueOnSuccessWith throwing", after: after([.success], "faulted other"), runsAfter: [.success]) {
            task, executor, log in
            task.continueOnSuccessWith(on: executor) { _ -> Int in
                log.add("ran")
                throw Boom("other")
            }
        },
        Way(testDescription: "continueOnSuccessWithTask", after: after([.success], "success 6"), runsAfter: [.success]) {
            task, executor, log in
            task.continueOnSuccessWithTask(on: executor) { value in
                log.add("ran")
                return ChainTask(value + 2)
            }
        },
        Way(testDescription: "continueOnErrorWith", after: after([.boom, .thud], "success 0"), runsAfter: [.boom, .thud]) {
            task, executor, log in
            task.continueOnErrorWith(on: executor) { _ in
                log.add("ran")
                return 0
            }
        },
        Way(testDescription: "continueOnErrorWith Boom", after: after([.boom], "success 1"), runsAfter: [.boom]) { task, executor, log in
            task.continueOnErrorWith(on: executor) { (error: Boom) in
                log.add("ran")
                return error.text == "boom" ? 1 : 2
            }
        },
        Way(testDescription: "continueOnErrorWith rethrowing", after: forwarded, runsAfter: [.boom, .thud]) { task, executor, log in
            task.continueOnErrorWith(on: executor) { error in
                log.add("ran")
                throw error
            }
        },
        Way(testDescription: "continueOnErrorWithTask", after: after([.boom, .thud], "success 7"), runsAfter: [.boom, .thud]) {
            task, executor, log in
            task.continueOnErrorWithTask(on: executor) { _ in
                log.add("ran")
                return ChainTask(7)
            }
        },
        Way(testDescription: "continueOnErrorWithTask Thud", after: after([.thud], "cancelled"), runsAfter: [.thud]) {
            task, executor, log in
            task.continueOnErrorWithTask(on: executor) { (_: Thud) in
                log.add("ran")
                return .cancelled()
            }
        },
    ]

    @Test(arguments: ways, End.allCases)
    func aContinuationRunsOrIsSkippedByItsAntecedentsOutcome(_ way: Way, after end: End) {
        let source = TaskCompletionSource<Int>(), log = Log()
        let task = way.go(source.task, .immediate, log)
        #expect(task.summary == "pending")
        end.apply(to: source)
        #expect(task.summary == way.after[end])
        #expect(log.lines == (way.runsAfter.contains(end) ? ["ran"] : []))
    }

    @Test(arguments: ways, End.allCases)
    func aLateContinuationRunsOrIsSkippedInTheSameWay(_ way: Way, after end: End) {
        let source = TaskCompletionSource<Int>(), log = Log()
        end.apply(to: source)
        let task = way.go(source.task, .default, log)
        #expect(task.summary == way.after[end])
        #expect(log.lines == (way.runsAfter.contains(end) ? ["ran"] : []))
    }

    @Test(arguments: ways, End.allCases)
    func aSkipUsesNoExecutor(_ way: Way, after end: End) {
        let source = TaskCompletionSource<Int>(), log = Log(), manual = ManualExecutor()
        let task = way.go(source.task, manual.executor, log)
        end.apply(to: source)
        let runs = way.runsAfter.contains(end)
        #expect(manual.count == (runs ? 1 : 0))
        #expect(task.isCompleted == !runs)
        #expect(log.lines == [])
        manual.runAll()
        #expect(task.summary == way.after[end])
    }

    // MARK: Order

    @Test func continuationsRunInRegistrationOrder() {
        let source = TaskCompletionSource<Int>(), log = Log()
        for number in 0..<10 {
            source.task.continueWith(on: number.isMultiple(of: 2) ? .immediate : .default) { _ in log.add("\(number)") }
        }
        source.set(1)
        #expect(log.lines == (0..<10).map(String.init))
    }

    @Test func setReturnsAfterAllInlineContinuations() {
        let source = TaskCompletionSource<Int>(), log = Log()
        source.task.continueWith { _ in log.add("a") }.continueWith { _ in log.add("a.a") }
        source.task.continueWith { _ in log.add("b") }
        source.set(1)
        log.add("returned")
        #expect(log.lines == ["a", "a.a", "b", "returned"])
    }

    @Test func aContinuationAddedByAContinuationRunsBeforeWaitingOnes() {
        let source = TaskCompletionSource<Int>(), log = Log()
        source.task.continueWith { task in
            log.add("a")
            task.continueWith { _ in log.add("added in a") }
            log.add("a goes on")
        }
        source.task.continueWith { _ in log.add("b") }
        source.set(1)
        #expect(log.lines == ["a", "added in a", "a goes on", "b"])
    }

    @Test func noLockIsHeldWhileContinuationsRun() {
        let source = TaskCompletionSource<Int>(), log = Log()
        source.task.continueWith { task in
            onThread {
                log.add(task.summary)
                task.continueWith { _ in log.add("from another thread") }
            }
        }
        source.set(1)
        #expect(log.lines == ["success 1", "from another thread"])
    }

    @Test func aBodyReceivesItsAntecedent() {
        let root = ChainTask(1)
        #expect(root.continueWith { $0 === root }.result == true)
    }

    // MARK: Flattening

    @Test(arguments: End.allCases)
    func aContinuationEndsAsTheTaskThatItsBodyReturned(_ end: End) {
        let inner = TaskCompletionSource<Int>()
        let tasks = [
            ChainTask(0).continueWithTask { _ in inner.task },
            ChainTask(0).continueOnSuccessWithTask { _ in inner.task },
            ChainTask<Int>(error: Boom()).continueOnErrorWithTask { _ in inner.task },
            ChainTask<Int>(error: Boom()).continueOnErrorWithTask { (_: Boom) in inner.task },
            ChainTask.flattening { inner.task },
        ]
        for task in tasks { #expect(task.summary == "pending") }
        end.apply(to: inner)
        for task in tasks { #expect(task.summary == Self.forwarded[end]) }
    }

    @Test func aContinuationThatReturnsItselfNeverEnds() {
        let own = Cell<ChainTask<Int>>()
        let source = TaskCompletionSource<Int>()
        let task = source.task.continueWithTask { _ in own.value! }
        own.value = task
        let after = task.continueWith { _ in 1 }
        source.set(1)
        #expect(task.summary == "pending" && after.summary == "pending")
    }
}
