import Dispatch

/// The continuations and threads that wait for a task's end. Continuations keep the order in which they were added. Guarded by the task's
/// lock.
struct FollowersOf<Element> {
    /// The first continuation. Most tasks need no more storage than this.
    private var first: Element?
    private var rest: Rest?

    private final class Rest {
        var continuations: [Element] = []
        var waiters: [Waiter] = []
    }

    var isEmpty: Bool { first == nil && rest == nil }

    /// The waiting threads. They are woken before the first continuation is called.
    var waiters: [Waiter] { rest?.waiters ?? [] }

    /// Hands over each continuation, the last one first.
    consuming func forEachFromLast(_ action: (consuming Element) -> Void) {
        for continuation in (rest?.continuations ?? []).reversed() { action(continuation) }
        if let first { action(first) }
    }

    mutating func append(_ continuation: consuming Element) {
        if first == nil {
            first = continuation
        } else {
            existingRest().continuations.append(continuation)
        }
    }

    mutating func add(_ waiter: Waiter) {
        existingRest().waiters.append(waiter)
    }

    /// Removes a thread whose timeout has passed.
    mutating func remove(_ waiter: Waiter) {
        rest?.waiters.removeAll { $0 === waiter }
    }

    /// Returns all followers and leaves none.
    mutating func take() -> Self {
        defer { self = Self() }
        return self
    }

    private mutating func existingRest() -> Rest {
        if let rest { return rest }
        let new = Rest()
        rest = new
        return new
    }
}

/// A thread that blocks until a task has ended.
final class Waiter: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    /// The waiting thread, if it belongs to an order that is explored.
    private let ordered: (any OrderedWaiting)?

    /// - Parameter release: ends the task, for a thread of main that would wait for ever.
    init(releasing release: @escaping @Sendable () -> Void = {}) {
        ordered = Exploration.current?.waiter(releasing: release)
    }

    func wait() {
        if let ordered { ordered.wait() } else { semaphore.wait() }
    }

    /// Returns false if the timeout has passed first.
    func wait(timeout: Duration) -> Bool {
        if let ordered { return ordered.wait(timeout: timeout) }
        return semaphore.wait(timeout: .now() + .nanoseconds(timeout.nanoseconds)) == .success
    }

    func wake() {
        if let ordered { ordered.wake() } else { semaphore.signal() }
    }
}

extension Duration {
    /// Whole nanoseconds, limited to the range of `Int`, which is 292 years.
    var nanoseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong else { return seconds < 0 ? .min : .max }
        let (sum, isTooMuch) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooMuch ? (seconds < 0 ? .min : .max) : Int(sum)
    }
}

/// Releases an abandoned chain iteratively. Nested releases would need a stack as deep as the chain is long.
enum DeferredRelease {
    private final class Pile {
        var abandoned: [Any] = []
    }

    /// Releases a task's followers at once, or, during another release on this thread, after it.
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
