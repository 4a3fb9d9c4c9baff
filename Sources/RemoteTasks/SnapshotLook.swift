import TaskEvents
import TraceStore
import TraceTransport

/// Takes snapshots of a running process, each within a time limit. Any thread may use it.
///
/// Each snapshot is taken on a thread of its own. It ends at the limit, unless a read blocks in the kernel: the page may come from another
/// program (userfaultfd, FUSE) or over a network, and no signal ends the wait for it. Such a thread is left. It ends with the read, or with
/// this program.
package final class SnapshotLook: Sendable {
    /// The limits in nanoseconds.
    package enum Limit {
        /// For a process that the user has named. Far more than the largest processes take.
        package static let named: UInt64 = 60_000_000_000
        /// For each process of several.
        package static let listed: UInt64 = 3_000_000_000
        /// For a program that has not ended in time and waits to be ended.
        package static let hung: UInt64 = 20_000_000_000
    }

    private let pid: Int32
    private let running = Guarded<Attempt?>(nil)

    package init(ofProcess pid: Int32) {
        self.pid = pid
    }

    /// A snapshot's result, once there is one.
    private final class Attempt: Sendable {
        let alarm = Alarm()
        let result = Guarded<Result<Snapshot, SnapshotProblem>?>(nil)

        func run(_ pid: Int32, limit: UInt64, findsHolders: Bool) {
            let taken = Result { () throws(SnapshotProblem) in
                let process = try RemoteProcess(pid: pid)
                process.setLimit(nanoseconds: limit)
                return try Snapshot(of: process, findsHolders: findsHolders)
            }
            result.withLock { $0 = taken }
            alarm.ring()
        }
    }

    /// Takes a snapshot. Throws if that takes longer than the limit in nanoseconds, and while an earlier one has not returned.
    ///
    /// - Parameter findsHolders: Whether to search for what holds the continuations that tasks wait for.
    package func snapshot(within limit: UInt64, findsHolders: Bool = false) throws(SnapshotProblem) -> Snapshot {
        let late = SnapshotProblem(.tookTooLong, of: "Process \(pid)")
        if let earlier = running.withLock({ $0 }), earlier.result.withLock({ $0 == nil }) { throw late }
        let attempt = Attempt()
        do throws(TraceProblem) {
            try WorkerThread(name: "hopscope look") { [pid] in attempt.run(pid, limit: limit, findsHolders: findsHolders) }.detach()
        } catch {
            throw SnapshotProblem(.noThread, of: "Process \(pid)")
        }
        running.withLock { $0 = attempt }
        // The thread's own limit comes first.
        attempt.alarm.wait(nanoseconds: min(limit, .max - Self.grace) + Self.grace)
        guard let result = attempt.result.withLock({ $0 }) else { throw late }
        return try result.get()
    }

    private static let grace: UInt64 = 500_000_000
}
