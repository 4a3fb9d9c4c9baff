import TaskEvents

/// What is called when a task has ended, on the thread that ended it, with no lock held; and once more, with a turn, if it asked for one.
@usableFromInline
typealias Continuation = @Sendable (_ antecedent: AnyChainTask, _ turn: Turn?, _ trampoline: inout Trampoline) -> ContinuationStep

/// What a continuation comes to when it is called.
@usableFromInline
enum ContinuationStep {
    /// Its body begins.
    case runs(Turn)
    /// Its body belongs into an executor's queue. The continuation is to be called again when its turn has come there.
    case queues(AnyChainTask, ChainExecutor, HopManner)
    /// Nothing is left to do.
    case over
}

/// What waits for a task's end: continuations in the order they were added, and threads. Who looks at them holds the task's lock.
struct Followers {
    /// The common case needs no more than this.
    private var first: Continuation?
    private var rest: Rest?

    private final class Rest {
        var continuations: [Continuation] = []
        var waiters: [Waiter] = []
    }

    var isEmpty: Bool { first == nil && rest == nil }

    /// The threads, which are woken before the first continuation is called.
    var waiters: [Waiter] { rest?.waiters ?? [] }

    /// The continuations from the last one added to the second, and the first.
    var continuations: (first: Continuation, later: ReversedCollection<[Continuation]>)? {
        first.map { ($0, (rest?.continuations ?? []).reversed()) }
    }

    mutating func add(_ continuation: @escaping Continuation) {
        if first == nil {
            first = continuation
        } else {
            withRest { $0.continuations.append(continuation) }
        }
    }

    mutating func add(_ waiter: Waiter) {
        withRest { $0.waiters.append(waiter) }
    }

    /// Its thread has given up.
    mutating func remove(_ waiter: Waiter) {
        rest?.waiters.removeAll { $0 === waiter }
    }

    /// Hands over all of them, and has none any more.
    mutating func take() -> Followers {
        defer { self = Followers() }
        return self
    }

    private mutating func withRest(_ change: (Rest) -> Void) {
        let rest = rest ?? Rest()
        change(rest)
        self.rest = rest
    }
}
