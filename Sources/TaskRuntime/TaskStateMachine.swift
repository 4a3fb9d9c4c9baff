/// What happens when a task ends: called with the ended task, on the thread that ended it, with no lock held.
typealias Continuation = @Sendable (_ antecedent: AnyChainTask, _ trampoline: inout Trampoline) -> Void

/// The stages of a task and what waits for its end. Transitions say what is to be done; who calls them does it after unlocking.
struct TaskStateMachine {
    enum Stage: UInt8 {
        /// No body has begun: it waits for an antecedent, in a queue, or for somebody to set it.
        case waiting
        case running
        /// The body has returned a task that has not ended.
        case awaitingInner
        /// Its outcome is decided, and not yet to be seen: the trace learns of it first.
        case ending
        case ended
    }

    /// Who wants to end the task.
    enum Claimant {
        /// What runs it, or its source.
        case owner
        /// A cancelled token, which stops nothing that has begun.
        case token
        /// Somebody at an inspector, who stops nothing that has begun either; but a source whose task he ends cannot know.
        case inspector
    }

    private(set) var stage = Stage.waiting
    /// Whether an inspector has ended the task.
    private(set) var isOverruled = false
    private var continuations = ContinuationList()
    private var waiters: [Waiter] = []

    /// Whether the body may run. From then on a token changes nothing.
    mutating func begin() -> Bool {
        guard stage == .waiting else { return false }
        stage = .running
        return true
    }

    mutating func awaitInner() {
        precondition(stage == .running, "a task that is \(stage) cannot begin to wait for the one its body returned")
        stage = .awaitingInner
    }

    /// Whether this claimant decides the outcome. One does.
    mutating func claim(by claimant: Claimant) -> Bool {
        switch (stage, claimant) {
        case (.ending, _), (.ended, _), (.running, .token), (.running, .inspector): return false
        case (.waiting, _), (.running, .owner), (.awaitingInner, _):
            stage = .ending
            isOverruled = claimant == .inspector
            return true
        }
    }

    /// The outcome is there for all to see; hands over what waited for it.
    mutating func end() -> (continuations: ContinuationList, waiters: [Waiter]) {
        precondition(stage == .ending, "a task that is \(stage) cannot end")
        stage = .ended
        defer {
            continuations = ContinuationList()
            waiters = []
        }
        return (continuations, waiters)
    }

    /// False if the task has ended: then the continuation is to run at once.
    mutating func add(_ continuation: @escaping Continuation) -> Bool {
        guard stage != .ended else { return false }
        continuations.append(continuation)
        return true
    }

    /// False if the task has ended: then there is nothing to wait for.
    mutating func add(_ waiter: Waiter) -> Bool {
        guard stage != .ended else { return false }
        waiters.append(waiter)
        return true
    }

    /// Its thread has given up.
    mutating func remove(_ waiter: Waiter) {
        waiters.removeAll { $0 === waiter }
    }

    /// What would be called at the end, of a task that can have none any more.
    mutating func abandon() -> ContinuationList {
        defer { continuations = ContinuationList() }
        return continuations
    }
}

/// Continuations in the order they were added. One, the common case, needs no array.
struct ContinuationList {
    private var first: Continuation?
    private var others: [Continuation] = []

    var isEmpty: Bool { first == nil }

    mutating func append(_ continuation: @escaping Continuation) {
        if first == nil {
            first = continuation
        } else {
            others.append(continuation)
        }
    }

    /// The first one, and those after it.
    var parts: (first: Continuation, others: [Continuation])? {
        first.map { ($0, others) }
    }
}
