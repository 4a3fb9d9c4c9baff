/// Runs what ended tasks set off, one after another instead of one inside another, so that a chain of any length needs no stack.
///
/// The order is the one that recursion would have: a continuation's own continuations come before its later siblings.
/// A trampoline lives on the stack of the thread that ends a task, and is empty again when the call that made it returns.
@usableFromInline
struct Trampoline {
    private typealias Step = (continuation: Continuation, antecedent: AnyChainTask)

    /// The top of the stack. A chain needs no more than this.
    private var next: Step?
    private var later: [Step] = []

    mutating func push(_ followers: Followers, after antecedent: AnyChainTask) {
        guard let (first, others) = followers.continuations else { return }
        if let next { later.append(next) }
        for continuation in others {
            later.append((continuation, antecedent))
        }
        next = (first, antecedent)
    }

    mutating func run() {
        while let step = next {
            next = later.popLast()
            call(step.continuation, after: step.antecedent)
        }
    }

    /// Calls a continuation whose antecedent has ended, and puts its body into the queue where it belongs into one.
    mutating func call(_ continuation: @escaping Continuation, after antecedent: AnyChainTask) {
        guard case .queues(let task, let executor, let manner) = continuation(antecedent, nil, &self) else { return }
        executor.enqueue(task, manner, isHop: true) { turn, trampoline in
            guard case .runs = continuation(antecedent, turn, &trampoline) else { return false }
            return true
        }
    }

    /// Does something and then everything that it sets off.
    static func run(_ action: (inout Trampoline) -> Void) {
        var trampoline = Trampoline()
        action(&trampoline)
        trampoline.run()
    }
}
