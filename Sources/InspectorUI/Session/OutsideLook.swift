import TaskEvents
import TraceAnalysis
import TraceStore

/// Looks at the traced process from outside, on a thread that delays neither the inspector nor the program.
package protocol OutsideLook: AnyObject {
    /// Begins a look at this time of the trace. Returns false while another look is under way.
    ///
    /// - Parameter findsHolders: Whether to search the process's memory for what holds the continuations that tasks wait for.
    func begin(at time: UInt64, findsHolders: Bool) -> Bool

    /// The result of a look, once. Nil while none is new.
    func take() -> OutsideView?

    /// Begins to search for what keeps the process from going on. `time` says for how long it has run. Does nothing while another such search is under way.
    func beginStuckSearch(after time: String)

    /// The causes that it has found, once. Nil while none are new.
    func takeStuckSearch() -> [StuckCause]?
}

/// Decides when the trace alone does not tell what a task does, so that a look from outside is worth its cost.
struct OutsideNeed {
    /// A wait or a run that is shorter, in nanoseconds, is not worth a look.
    private static let patience: UInt64 = 1_000_000_000
    /// Nanoseconds between two looks at a job that goes on: it can compute now and block later.
    private static let pause: UInt64 = 3_000_000_000
    /// The number of tasks that are looked at, the oldest first.
    private static let rowLimit = 2048

    /// The time of the trace at which the last look began.
    private var last: UInt64?
    /// The time of the trace at which the last look for holders began.
    private var lastForHolders: UInt64?

    /// Whether a look for what holds a task's continuation is due: the user asks why the task waits, and none has begun in this wait.
    func isHolderWanted(of task: TaskID, in store: TraceStore) -> Bool {
        guard let task = store.task(task), task.state == .suspended, let since = task.suspendedSince else { return false }
        return lastForHolders.map { $0 < since } ?? true
    }

    mutating func noteHolders(at time: UInt64) { lastForHolders = time }

    /// Whether a look is due.
    mutating func isDue(in store: TraceStore) -> Bool {
        guard store.now >= (last ?? 0) + (last == nil ? 0 : Self.pause), holdsThread(store) || isMainHeld(store) || hasUnplacedWait(store)
        else { return false }
        last = store.now
        return true
    }

    /// Whether a job has run for long. One that takes free actors without a pause is new on each of them, but the same run of its task.
    private func holdsThread(_ store: TraceStore) -> Bool {
        store.running.contains { executor, job in
            executor != .none && (store.task(job.task)?.lastRun ?? job.since) + Self.patience <= store.now
        }
    }

    /// Whether jobs wait for main, and the trace shows none that runs there.
    private func isMainHeld(_ store: TraceStore) -> Bool {
        store.mainExecutors.contains { $0.running.isEmpty && $0.waitOfFirst(until: store.now) >= Self.patience }
    }

    /// Whether a task waits at a place that the trace does not name, and has not been looked at in this wait.
    private func hasUnplacedWait(_ store: TraceStore) -> Bool {
        store.rows.prefix(Self.rowLimit).contains { row in
            let task = store[row]
            guard task.state == .suspended, task.kind != .internal, let since = task.suspendedSince, since + Self.patience <= store.now,
                since > last ?? 0 || last == nil, let wait = WaitsFor(task, in: store), wait.site(in: store) == nil
            else { return false }
            switch wait.kind {
            case .continuation, .call, .condition, .thread: return true
            case .task, .executor, .group, .timer, .source: return false
            }
        }
    }
}
