import AlecrimTasks
import Foundation
import TaskEvents
import Testing

/// An error that equals another with the same text.
struct Boom: Error, Equatable, CustomStringConvertible {
    let text: String

    init(_ text: String = "boom") { self.text = text }

    var description: String { text }
}

/// A log of events from any thread, in order.
final class Log: Sendable {
    private let all = Guarded<[String]>([])

    var lines: [String] { all.withLock { $0 } }

    func add(_ line: String) { all.withLock { $0.append(line) } }
}

/// A number that any thread may change.
final class Counter: Sendable {
    private let number = Guarded(0)

    var value: Int { number.withLock { $0 } }

    @discardableResult
    func add(_ difference: Int) -> Int {
        number.withLock { number in
            number += difference
            return number
        }
    }
}

/// A value that any thread may change.
final class Cell<Value: Sendable>: Sendable {
    private let content: Guarded<Value>

    init(_ value: Value) { content = Guarded(value) }

    var value: Value {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }

    func change(_ change: (inout Value) -> Void) {
        content.withLock { change(&$0) }
    }
}

/// Blocks the bodies that pass it until it is opened. It is a task that the test finishes.
struct Barrier: Sendable {
    private let task: NonFailableTask<Void> = asyncEx(name: "barrier") { _ in }

    func pass() { `await`(task) }

    func open() { task.finish() }
}

/// Waits for tasks and describes their outcomes, for tables. This reads their errors.
func outcome<V>(of task: Task<V>) -> String {
    do {
        return "value \(try `await`(task))"
    } catch let error as NSError where type(of: error) == NSError.self {
        return "error \(error.domain) \(error.code)\(task.cancelled ? " cancelled" : "")"
    } catch {
        return "error \(error)\(task.cancelled ? " cancelled" : "")"
    }
}

let cancelled = "error com.alecrim.AlecrimAsyncKit 3072 cancelled"

/// The last words of a program that was expected to end.
func lastWords(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

/// Calls a blocking function from an asynchronous test, which may not block.
func value<V>(of task: Task<V>) throws -> V { try `await`(task) }

func value<V>(of task: NonFailableTask<V>) -> V { `await`(task) }
