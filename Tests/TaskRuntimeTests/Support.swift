import Foundation
import InspectorTestKit
import TaskEvents
import Testing

@testable import TaskRuntime

/// An error that is equal by its text.
struct Boom: Error, Equatable, CustomStringConvertible {
    let text: String

    init(_ text: String = "boom") { self.text = text }

    var description: String { text }
}

/// An error that no handler of `Boom` takes.
struct Thud: Error, CustomStringConvertible {
    var description: String { "thud" }
}

/// What happened, in that order, from any thread.
final class Log: Sendable {
    private let all = Guarded<[String]>([])

    var lines: [String] { all.withLock { $0 } }

    func add(_ line: String) { all.withLock { $0.append(line) } }
}

extension ChainTask {
    /// What the task came to, for tables. This reads its error.
    var summary: String {
        switch outcome {
        case .success(let value): "success \(value)"
        case .faulted(let error): "faulted \(error)"
        case .cancelled: "cancelled"
        case nil: "pending"
        }
    }
}

/// Whether the condition came true before a generous deadline.
func eventually(_ condition: () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
        if condition() { return true }
        await Task.yield()
    }
    return condition()
}

/// What tells the calling thread from every other that is alive.
func currentThread() -> UInt { UInt(pthread_self()) }

/// Calls `body` on a thread with a stack of that many bytes, and returns when it has.
func onThread(stack bytes: Int = 8 << 20, _ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    thread.stackSize = bytes
    thread.start()
    done.wait()
}

/// Makes a task and lets go of it before it returns, wherever the optimiser would.
@inline(never)
func letGo(_ make: () -> AnyChainTask) { _ = make() }

/// A place that is filled later, from any thread.
final class Cell<Value: Sendable>: Sendable {
    private let content = Guarded<Value?>(nil)

    var value: Value? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}

/// Runs a suite while nobody records: its threads would fill the lanes of the threads that they share with others' recordings.
struct UnrecordedTrait: SuiteTrait, TestScoping {
    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        try await Recording.alone { try await function() }
    }
}

extension Trait where Self == UnrecordedTrait {
    static var unrecorded: UnrecordedTrait { UnrecordedTrait() }
}
