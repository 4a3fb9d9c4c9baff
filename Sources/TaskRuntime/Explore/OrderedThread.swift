import Dispatch
import Synchronization
import TaskEvents

/// A thread that runs one job of an order. One of them at a time has the turn; the others wait for theirs.
///
/// Its variables are guarded by the order's lock.
final class OrderedThread: @unchecked Sendable {
    let strand: Int
    let lane: OrderedLane?
    private let turn = DispatchSemaphore(value: 0)
    private let isAwaiting = Atomic<Bool>(false)
    /// The kernel's number of the thread; 0 until it runs.
    var kernelNumber: Int32 = 0
    /// Whether it waits for a task's end.
    var isBlocked = false
    /// Whether the task's end came before the wait.
    var isAwake = false
    /// Ends the task that it waits for.
    var release: (@Sendable () -> Void)?

    init(_ strand: Int, _ lane: OrderedLane?) {
        self.strand = strand
        self.lane = lane
    }

    /// A thread that has the turn, for a look from outside.
    struct Seen: Equatable {
        /// 0 if its job has not begun.
        let kernelNumber: Int32
        /// Whether it has got the turn and not yet woken.
        let isComing: Bool
    }

    var seen: Seen { Seen(kernelNumber: kernelNumber, isComing: isAwaiting.load(ordering: .relaxed)) }

    func awaitTurn() {
        isAwaiting.store(true, ordering: .relaxed)
        turn.wait()
        isAwaiting.store(false, ordering: .relaxed)
    }

    func giveTurn() { turn.signal() }
}

/// What the orders of one search have learned of the program.
final class OrderedKnowledge: Sendable {
    private struct State {
        var callingExecutors: Set<String> = []
        var hasOutside = false
        var silence = 0
    }

    private let state = Guarded(State())

    /// Whether that executor of the program's own calls its jobs on threads of its own.
    func calls(_ executor: String) -> Bool { state.withLock { $0.callingExecutors.contains(executor) } }

    /// Returns whether this is new.
    func noteCalls(_ executor: String) -> Bool { state.withLock { $0.callingExecutors.insert(executor).inserted } }

    /// Threads outside of an order have taken part in one.
    func noteOutside() { state.withLock { $0.hasOutside = true } }

    /// For how many ticks nothing has come from outside in an order in which nothing could run. None if something has in any order.
    var silence: Int { state.withLock { $0.hasOutside ? 0 : $0.silence } }

    func noteSilence(_ ticks: Int) { state.withLock { $0.silence = max($0.silence, ticks) } }
}
