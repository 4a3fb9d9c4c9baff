import Testing
import TraceTestKit

@testable import TaskRuntime

/// Chains of a million links on a stack of 8 MiB, or a tenth of both in a debug build: eight bytes of stack for each link.
@Suite(.serialized, .unrecorded)
struct LongChainTests {
    #if DEBUG
        static let length = 100_000
    #else
        static let length = 1_000_000
    #endif
    static let stack = length * 8 + 128 * 1024

    /// The kind of link, and the last outcome of a chain of such links that begins with 0.
    enum Link: String, CaseIterable {
        case continueWith, onImmediate, finishedTask, skippedError, skippedCancellation

        func go(on task: ChainTask<Int>) -> ChainTask<Int> {
            switch self {
            case .continueWith: task.continueWith { ($0.result ?? -1) + 1 }
            case .onImmediate: task.continueOnSuccessWith(on: .immediate) { $0 + 1 }
            case .finishedTask: task.continueOnSuccessWithTask { ChainTask($0 + 1) }
            case .skippedError, .skippedCancellation: task.continueOnSuccessWith { $0 + 1 }
            }
        }

        var last: String {
            switch self {
            case .continueWith, .onImmediate, .finishedTask: "success \(LongChainTests.length)"
            case .skippedError: "faulted boom"
            case .skippedCancellation: "cancelled"
            }
        }
    }

    @Test(arguments: Link.allCases)
    func aLongChainEndsWithoutGrowingTheStack(_ link: Link) {
        let summary = Cell<String>()
        onThread(stack: Self.stack) {
            let source = TaskCompletionSource<Int>()
            var task = source.task
            for _ in 0..<Self.length { task = link.go(on: task) }
            switch link {
            case .skippedError: source.set(error: Boom())
            case .skippedCancellation: source.setCancelled()
            case .continueWith, .onImmediate, .finishedTask: source.set(0)
            }
            summary.value = task.summary
        }
        #expect(summary.value == link.last)
    }

    /// Every link returns a pending task and ends with the one before it.
    @Test func aLongChainOfPendingInnerTasksEnds() {
        let summary = Cell<String>()
        onThread(stack: Self.stack) {
            let gate = TaskCompletionSource<Int>(), source = TaskCompletionSource<Int>()
            var task = source.task
            for _ in 0..<Self.length {
                task = task.continueOnSuccessWithTask { value in gate.task.continueWith { _ in value + 1 } }
            }
            source.set(0)
            gate.set(0)
            summary.value = task.summary
        }
        #expect(summary.value == "success \(Self.length)")
    }

    /// Each task waits for the next; the end of the last one ends all.
    @Test func aLongChainOfReturnedTasksEnds() {
        let summary = Cell<String>()
        onThread(stack: Self.stack) {
            let innermost = TaskCompletionSource<Int>()
            var task = innermost.task
            for _ in 0..<Self.length {
                let inner = task
                task = ChainTask(0).continueWithTask { _ in inner }
            }
            innermost.set(Self.length)
            summary.value = task.summary
        }
        #expect(summary.value == "success \(Self.length)")
    }

    // MARK: Releasing

    @Test(arguments: [false, true])
    func aChainThatNeverRanIsReleased(isFlattened: Bool) {
        final class Witness: Sendable {}
        let isGone = Cell<Bool>()
        onThread(stack: Self.stack) {
            var witness: Witness? = Witness()
            weak let lastBody = witness
            let manual = ManualExecutor()
            var task: ChainTask<Int>? = ChainTask(on: manual.executor) { 0 }
            for _ in 0..<Self.length {
                task = isFlattened ? task?.continueWithTask { _ in ChainTask(1) } : task?.continueWith { _ in 1 }
            }
            task?.continueWith { [witness] _ in _ = witness }
            (task, witness) = (nil, nil)
            precondition(lastBody != nil, "the chain holds its bodies")
            manual.dropAll()
            isGone.value = lastBody == nil
        }
        #expect(isGone.value == true)
    }
}
