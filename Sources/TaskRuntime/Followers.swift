import Dispatch

/// What waits for a task's end: continuations in the order they were added, and threads. The task's lock guards it.
struct FollowersOf<Element> {
    /// Most tasks need no more than this.
    private var first: Element?
    private var rest: Rest?

    private final class Rest {
        var continuations: [Element] = []
        var waiters: [Waiter] = []
    }

    var isEmpty: Bool { first == nil && rest == nil }

    /// The threads, which are woken before the first continuation is called.
    var waiters: [Waiter] { rest?.waiters ?? [] }

    /// The first continuation, and the others from the last to the second.
    var continuations: (first: Element, later: ReversedCollection<[Element]>)? {
        first.map { ($0, (rest?.continuations ?? []).reversed()) }
    }

    mutating func append(_ continuation: Element) {
        if first == nil {
            first = continuation
        } else {
            withRest { $0.continuations.append(continuation) }
        }
    }

    mutating func add(_ waiter: Waiter) {
        withRest { $0.waiters.append(waiter) }
    }

    /// Removes a thread that has given up.
    mutating func remove(_ waiter: Waiter) {
        rest?.waiters.removeAll { $0 === waiter }
    }

    /// Returns all and leaves none.
    mutating func take() -> Self {
        defer { self = Self() }
        return self
    }

    private mutating func withRest(_ change: (Rest) -> Void) {
        let rest = rest ?? Rest()
        change(rest)
        self.rest = rest
    }
}

/// A thread that blocks until a task has ended.
final class Waiter: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() {
        semaphore.wait()
    }

    /// False if the time ran out first.
    func wait(timeout: Duration) -> Bool {
        semaphore.wait(timeout: .now() + .nanoseconds(timeout.nanoseconds)) == .success
    }

    func wake() {
        semaphore.signal()
    }
}

extension Duration {
    /// Whole nanoseconds, at most 292 years.
    var nanoseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong else { return seconds < 0 ? .min : .max }
        let (sum, isTooMuch) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooMuch ? (seconds < 0 ? .min : .max) : Int(sum)
    }
}

/// Releases an abandoned chain link by link: one release inside another would need a stack as deep as the chain is long.
enum DeferredRelease {
    private final class Pile {
        var abandoned: [Any] = []
    }

    /// Releases what waited for a task: at once, or after the release that is under way on this thread.
    static func release<Element>(_ followers: consuming FollowersOf<Element>) {
        if followers.isEmpty { return }
        if let pile = ThreadSlot.releasing {
            Unmanaged<Pile>.fromOpaque(pile).takeUnretainedValue().abandoned.append(followers)
            return
        }
        let pile = Pile()
        ThreadSlot.releasing = Unmanaged.passUnretained(pile).toOpaque()
        pile.abandoned.append(followers)
        while !pile.abandoned.isEmpty {
            _ = pile.abandoned.removeLast()
        }
        ThreadSlot.releasing = nil
    }
}
