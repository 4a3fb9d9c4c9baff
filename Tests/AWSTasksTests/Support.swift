import AWSTasks
import Foundation
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

/// Collects closures until the test runs them, and makes the executor that collects them.
final class Jobs: Sendable {
    private let waiting = Guarded<[@Sendable () -> Void]>([])

    var count: Int { waiting.withLock { $0.count } }

    func executor(name: String = "jobs") -> AWSExecutor {
        AWSExecutor(block: { job in self.waiting.withLock { $0.append(job) } }, name: name)
    }

    /// Runs the collected closures; closures added meanwhile stay for the next call.
    func run() {
        let jobs = waiting.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        for job in jobs { job() }
    }
}

typealias Task = AWSTask<AnyObject>
typealias Source = AWSTaskCompletionSource<AnyObject>

let failure = NSError(domain: "example.com", code: -1)
let otherFailure = NSError(domain: "example.org", code: -2)

/// Returns when the task has ended and its inline continuations have run.
func end<Result>(of task: AWSTask<Result>) async {
    await withCheckedContinuation { ended in task.chain.onEnd { ended.resume() } }
}

/// An outcome as one word, for tables.
func outcome<Result>(_ task: AWSTask<Result>) -> String {
    guard task.isCompleted else { return "pending" }
    if task.isCancelled { return "cancelled" }
    if let error = task.error { return "error \((error as NSError).code)" }
    return "result \(task.result.map { "\($0)" } ?? "nil")"
}

extension String {
    /// The string as the object type that results have.
    var object: AnyObject { self as AnyObject }
}

/// The standard error output of a program that ended.
func errorText(_ result: ExitTest.Result?) -> String {
    guard let content = result?.standardErrorContent else { return "" }
    return String(decoding: content, as: UTF8.self)
}
