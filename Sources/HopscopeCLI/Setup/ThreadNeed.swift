import Dispatch
import TaskEvents
import TraceTransport

/// The number of threads that a command needs.
///
/// Dispatch asks for ever for a thread that the system does not make, and prints nothing, so a command without threads would hang.
enum ThreadNeed {
    /// The number for a scenario: its own thread, the threads of its queues, and the inspector's threads.
    static let scenario = 8

    /// Makes `count` threads at once and ends them. Throws if the system refuses one of them.
    static func check(_ count: Int) throws(UserError) {
        let gate = DispatchSemaphore(value: 0)
        var threads: [WorkerThread] = []
        defer {
            for _ in threads { gate.signal() }
            for thread in threads { thread.join() }
        }
        while threads.count < count {
            do throws(TraceProblem) {
                threads.append(try WorkerThread { gate.wait() })
            } catch {
                throw UserError("It needs \(count) threads, and only \(threads.count) can be made. \(error.description)", .cannotStart)
            }
        }
    }
}
