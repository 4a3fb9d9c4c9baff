import Dispatch
import Synchronization
import TaskEvents
import Testing
import TraceTestKit

@testable import TaskRuntime

/// Threads race for the same tasks. The winner differs from run to run; each task is decided exactly once.
@Suite(.serialized, .unrecorded)
struct StressTests {
    static let threads = 4

    /// Pseudo-random numbers that are the same in every run.
    struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33 | state << 31
        }
    }

    /// Calls `body` with a number on several threads at a time; returns when all are done.
    private static func race(_ body: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for thread in 0..<threads {
            DispatchQueue(label: "racer \(thread)").async(group: group) { body(thread) }
        }
        group.wait()
    }

    /// A continuation that counts how often its body and its end ran.
    private final class Watched: Sendable {
        enum Bodies {
            case one, oneAfterSuccess, oneAfterFailure, oneAtMost, none

            /// How often the body is expected to run, by its antecedent's outcome.
            func count(after task: ChainTask<Int>) -> ClosedRange<Int> {
                switch self {
                case .one: 1...1
                case .oneAfterSuccess: task.result == nil ? 0...0 : 1...1
                case .oneAfterFailure: task.isFaulted ? 1...1 : 0...0
                case .oneAtMost: 0...1
                case .none: 0...0
                }
            }
        }

        let expected: Bodies
        let bodies = Counter()
        let ends = Counter()

        init(_ expected: Bodies) { self.expected = expected }

        func runs() { bodies.add() }
    }

    /// A source that several threads try to set, and its continuations.
    private final class Subject: Sendable {
        let source = TaskCompletionSource<Int>()
        let cancellation = CancellationTokenSource()
        let wins = Counter()
        private let all = Guarded<[Watched]>([])

        var watched: [Watched] { all.withLock { $0 } }

        func note(_ hasWon: Bool) {
            if hasWon { wins.add() }
        }

        /// Counts the ends of a continuation in a further continuation.
        func watch<Value>(_ expected: Watched.Bodies, _ make: (Watched) -> ChainTask<Value>) {
            let watched = Watched(expected)
            all.withLock { $0.append(watched) }
            make(watched).continueWith(on: .immediate) { _ in watched.ends.add() }
        }
    }

    private static func act(on subject: Subject, _ choice: UInt64, _ executors: [ChainExecutor]) {
        let source = subject.source, task = source.task, token = subject.cancellation.token
        let executor = executors[Int(choice >> 8) % executors.count]
        switch choice % 12 {
        case 0: subject.note(source.trySet(1))
        case 1: subject.note(source.trySet(error: Boom()))
        case 2: subject.note(source.trySetCancelled())
        case 3: subject.cancellation.cancel()
        case 4, 5: subject.watch(.one) { watched in task.continueWith(on: executor) { _ in watched.runs() } }
        case 6: subject.watch(.oneAfterSuccess) { watched in task.continueOnSuccessWith(on: executor) { _ in watched.runs() } }
        case 7: subject.watch(.oneAfterFailure) { watched in handle(task, on: executor, watched) }
        case 8: subject.watch(.oneAtMost) { watched in task.continueWith(on: executor, cancellation: token) { _ in watched.runs() } }
        case 9: subject.watch(.oneAtMost) { watched in follow(task, on: executor, token, watched) }
        case 10: subject.watch(.none) { _ in ChainTask.whenAny([task, ChainTask(error: Thud())]) }
        default: subject.watch(.none) { _ in ChainTask.whenAllResults([task, task]) }
        }
    }

    private static func handle(_ task: ChainTask<Int>, on executor: ChainExecutor, _ watched: Watched) -> ChainTask<Int> {
        task.continueOnErrorWith(on: executor) { _ in
            watched.runs()
            return 1
        }
    }

    private static func follow(
        _ task: ChainTask<Int>, on executor: ChainExecutor, _ token: CancellationToken, _ watched: Watched
    ) -> ChainTask<Int> {
        task.continueWithTask(on: executor, cancellation: token) { _ in
            watched.runs()
            return task
        }
    }

    @Test func everyTaskEndsOnce() {
        let executors: [ChainExecutor] = [.immediate, .default, .queue(DispatchQueue(label: "stress")), .pool(name: "stress", width: 2)]
        let turn = 1000
        for round in 0..<max(1, Stress.operations(everyDay: 60_000) / turn / Self.threads) {
            let subjects = (0..<64).map { _ in Subject() }
            Self.race { thread in
                var numbers = Numbers(state: UInt64(round * Self.threads + thread))
                for _ in 0..<turn {
                    Self.act(on: subjects[Int(numbers.next() % 64)], numbers.next(), executors)
                }
            }
            for subject in subjects {
                subject.note(subject.source.trySet(2))
                #expect(subject.wins.count == 1)
                for watched in subject.watched {
                    let hasEnded = eventuallyBlocking { watched.ends.count > 0 }
                    #expect(hasEnded)
                    #expect(watched.ends.count == 1)
                    #expect(watched.expected.count(after: subject.source.task).contains(watched.bodies.count))
                }
            }
        }
    }

    /// A continuation that is added while the task ends runs once, on the adding thread or on the ending thread.
    @Test func noContinuationIsLostOrRunTwice() {
        for _ in 0..<2000 {
            let source = TaskCompletionSource<Int>()
            let runs = (0..<40).map { _ in Counter() }
            Self.race { thread in
                for index in 0..<10 {
                    if thread == 0, index == 5 { source.set(1) }
                    let counter = runs[thread * 10 + index]
                    source.task.continueWith(on: .immediate) { _ in counter.add() }
                }
            }
            #expect(runs.map(\.count).allSatisfy { $0 == 1 })
        }
    }

    /// A token races with the body: either the body ran and its outcome stands, or the task is cancelled.
    @Test func aTokenRacesWithABody() {
        let pool = ChainExecutor.pool(name: "stress", width: 2)
        for round in 0..<300 {
            let cancellation = CancellationTokenSource()
            let ran = (0..<20).map { _ in Counter() }
            let tasks = ran.map { counter in
                ChainTask(1).continueWith(on: pool, cancellation: cancellation.token) { _ in
                    counter.add()
                    return 5
                }
            }
            for _ in 0..<(round % 50) * 20 { _ = cancellation.token.isCancellationRequested }
            cancellation.cancel()
            ChainTask.whenAll(tasks).wait()
            for (task, counter) in zip(tasks, ran) {
                #expect(task.isCancelled ? counter.count == 0 : counter.count == 1 && task.result == 5)
            }
        }
    }

    /// Waiting threads and timeouts race with the end.
    @Test func everyWaiterReturns() {
        for round in 0..<500 {
            let source = TaskCompletionSource<Int>()
            Self.race { thread in
                switch thread {
                case 0: source.set(1)
                case 1: source.task.wait()
                default: while !source.task.wait(timeout: .microseconds(round % 20)) {}
                }
            }
            #expect(source.task.isCompleted)
        }
    }

    private final class Counter: Sendable {
        private let runs = Atomic<Int>(0)

        var count: Int { runs.load(ordering: .relaxed) }

        func add() { runs.add(1, ordering: .relaxed) }
    }
}
