import AWSTasks
import Dispatch
import Foundation
import SwiftTasks
import TaskEvents
import TaskRuntime
import Testing

/// A log of events, in the order they happened.
final class Log: Sendable {
    private let written = Guarded<[String]>([])

    var lines: [String] { written.withLock { $0 } }

    func write(_ line: String) {
        written.withLock { $0.append(line) }
    }
}

/// A serial queue that is suspended until the test opens it, and that identifies its own jobs.
final class HeldQueue: Sendable {
    private static let key = DispatchSpecificKey<String>()
    let queue: DispatchQueue

    init(_ label: String = "held") {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: Self.key, value: label)
        queue.suspend()
    }

    func open() {
        queue.resume()
    }

    /// The label of the caller's queue.
    static var current: String { DispatchQueue.getSpecific(key: key) ?? "none" }
}

typealias Value = SwiftTaskCompletionValue
typealias Source = SwiftTaskCompletionSource

let failure = NSError(domain: "example.com", code: -1)
let otherFailure = NSError(domain: "example.org", code: -2)

/// The error that a block throws.
struct Thrown: Error {}

/// Returns the task when it has ended.
@discardableResult
func ended(_ task: SwiftTask) async -> SwiftTask {
    await withCheckedContinuation { ended in task.bftask().chain.onEnd { ended.resume() } }
    return task
}

/// An outcome as one word, for tables.
func outcome(_ task: SwiftTask) -> String {
    switch task.completionValue {
    case .NotDone: "not done"
    case .Result(let result): "result \(result.map { "\($0)" } ?? "nil")"
    case .Error(let error): "error \(error.code)"
    case .Exception(let thrown): "exception \(thrown)"
    case .Cancelled: "cancelled"
    }
}

/// The standard error output of a program that ended.
func errorText(_ result: ExitTest.Result?) -> String {
    guard let content = result?.standardErrorContent else { return "" }
    return String(decoding: content, as: UTF8.self)
}
