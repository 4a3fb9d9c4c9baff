import Foundation
import TaskEvents
import Testing
import TraceTestKit

@testable import TaskRuntime

/// An error that equals another with the same text.
struct Boom: Error, Equatable, CustomStringConvertible {
    let text: String

    init(_ text: String = "boom") { self.text = text }

    var description: String { text }
}

/// An error that no handler of `Boom` accepts.
struct Thud: Error, CustomStringConvertible {
    var description: String { "thud" }
}

/// A log of events from any thread, in order.
final class Log: Sendable {
    private let all = Guarded<[String]>([])

    var lines: [String] { all.withLock { $0 } }

    func add(_ line: String) { all.withLock { $0.append(line) } }
}

extension ChainTask {
    /// The task's outcome as text, for tables. This reads its error.
    var summary: String {
        switch outcome {
        case .success(let value): "success \(value)"
        case .faulted(let error): "faulted \(error)"
        case .cancelled: "cancelled"
        case nil: "pending"
        }
    }
}

/// Distinguishes the calling thread from all other live threads.
func currentThread() -> UInt { UInt(pthread_self()) }

/// Calls `body` on a thread with a stack of that many bytes, and returns afterwards.
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

/// Makes a task and releases it before returning; `@inline(never)` keeps the optimiser from extending its life.
@inline(never)
func release(_ make: () -> AnyChainTask) { _ = make() }

/// A value that any thread may set later.
final class Cell<Value: Sendable>: Sendable {
    private let content = Guarded<Value?>(nil)

    var value: Value? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}

/// Runs a suite while no test records: its threads would otherwise fill the lanes of threads that it shares with a recording.
struct UnrecordedTrait: SuiteTrait, TestScoping {
    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        try await EventRecording.alone { try await function() }
    }
}

extension Trait where Self == UnrecordedTrait {
    static var unrecorded: UnrecordedTrait { UnrecordedTrait() }
}
