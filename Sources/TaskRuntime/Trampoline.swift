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

    mutating func push(_ continuations: ContinuationList, after antecedent: AnyChainTask) {
        guard let (first, others) = continuations.parts else { return }
        if let next { later.append(next) }
        for continuation in others.reversed() {
            later.append((continuation, antecedent))
        }
        next = (first, antecedent)
    }

    mutating func run() {
        while let step = next {
            next = later.popLast()
            step.continuation(step.antecedent, &self)
        }
    }

    /// Does something and then everything that it sets off.
    static func run(_ action: (inout Trampoline) -> Void) {
        var trampoline = Trampoline()
        action(&trampoline)
        trampoline.run()
    }
}
