import TaskRuntime
import Testing
import TraceTestKit

/// A task keeps small values in itself and larger ones in a box, which no caller notices.
@Suite(.explored) struct ValueTests {
    private final class Counted: Sendable {}

    private struct Large: Sendable, Equatable {
        var name = "a name that is too long for a small string"
        var numbers = [1, 2, 3]
        var more = (0 as Int, 1 as Int, 2 as Int)

        static func == (one: Large, other: Large) -> Bool {
            one.name == other.name && one.numbers == other.numbers && one.more == other.more
        }
    }

    private func check<Value: Sendable & Equatable>(_ value: Value) {
        let source = TaskCompletionSource<Value>()
        let next = source.task.continueOnSuccessWith(on: .immediate) { $0 }
        #expect(next.result == nil)
        source.set(value)
        #expect(source.task.result == value)
        #expect(next.result == value)
        #expect(ChainTask(value).result == value)
        #expect(ChainTask.whenAllResults([source.task, next]).result == [value, value])
        #expect(ChainTask.whenAny([source.task, next]).result == value)
    }

    @Test("Values of every size and alignment arrive as they were")
    func sizes() {
        check(7 as UInt8)
        check(7)
        check("short")
        check("a string that does not fit into two words, and lives in an object")
        check([1, 2, 3])
        check(Optional("value"))
        check(Int?.none)
        check(Large())
        check(SIMD4<Double>(1, 2, 3, 4))
        check(SIMD2<Double>(1, 2))
        let nothing = TaskCompletionSource<Void>()
        #expect(nothing.task.result == nil)
        nothing.set(())
        #expect(nothing.task.result != nil)
    }

    @Test("A value is released with its task, neither earlier nor later")
    func lifetimes() {
        weak var small: Counted?
        weak var large: Counted?
        do {
            let objects = (Counted(), Counted())
            (small, large) = objects
            let one = ChainTask(objects.0)
            let other = ChainTask((objects.1, 1, 2, 3))
            withExtendedLifetime((one, other)) {
                #expect(one.result === small)
                #expect(other.result?.0 === large)
            }
        }
        #expect(small == nil)
        #expect(large == nil)
    }

    @Test("A body's value is released, too, if the task was cancelled while the body ran")
    func overruled() {
        let kept = Kept()
        do {
            let cancellation = CancellationTokenSource()
            let task = ChainTask(0).continueOnSuccessWith(on: .immediate, cancellation: cancellation.token) { _ in
                let object = Counted()
                kept.object = object
                cancellation.cancel()
                return object
            }
            #expect(task.isCompleted)
        }
        #expect(kept.object == nil)
    }
}

private final class Kept: @unchecked Sendable {
    // Unchecked: one thread uses it.
    weak var object: AnyObject?
}
