import AWSTasks
import Foundation
import TaskEvents
import TaskRuntime
import Testing

/// What happened, in the order it did.
final class Log: Sendable {
    private let written = Guarded<[String]>([])

    var lines: [String] { written.withLock { $0 } }

    func write(_ line: String) {
        written.withLock { $0.append(line) }
    }
}

/// Closures that wait until the test runs them, and the executor that collects them.
final class Jobs: Sendable {
    private let waiting = Guarded<[@Sendable () -> Void]>([])

    var count: Int { waiting.withLock { $0.count } }

    func executor(name: String = "jobs") -> AWSExecutor {
        AWSExecutor(block: { job in self.waiting.withLock { $0.append(job) } }, name: name)
    }

    /// Runs what waits; what is added meanwhile waits for the next time.
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

/// Returns when the task has ended, and what continues from it inline has run.
func end<Result>(of task: AWSTask<Result>) async {
    await withCheckedContinuation { ended in task.chain.onEnd { ended.resume() } }
}

/// An end in a word, for tables.
func outcome<Result>(_ task: AWSTask<Result>) -> String {
    guard task.isCompleted else { return "pending" }
    if task.isCancelled { return "cancelled" }
    if let error = task.error { return "error \((error as NSError).code)" }
    return "result \(task.result.map { "\($0)" } ?? "nil")"
}

extension String {
    /// The string as the object that a result is.
    var object: AnyObject { self as AnyObject }
}

/// What a program said before it ended.
func errorText(_ result: ExitTest.Result?) -> String {
    guard let content = result?.standardErrorContent else { return "" }
    return String(decoding: content, as: UTF8.self)
}
