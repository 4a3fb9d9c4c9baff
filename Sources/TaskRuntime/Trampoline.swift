/// A call that an ended task sets off.
@usableFromInline
protocol TrampolineStep {
    /// Makes the call. What that sets off in turn goes on the trampoline.
    func run(on trampoline: inout TrampolineOf<Self>)
}

/// Runs what ended tasks set off, one call after another instead of one inside another, so that a chain of any length needs no stack.
///
/// The order is that of a recursion: what a call sets off comes before the call's later siblings.
/// A trampoline lives on the stack of the thread that ends a task, and is empty again when the function that made it returns.
@usableFromInline
struct TrampolineOf<Step: TrampolineStep> {
    /// The top of the stack. A chain needs no more than this.
    private var next: Step?
    private var later: [Step] = []

    init() {}

    /// Puts a call on top. Siblings are pushed in reverse, so that the first is called first.
    mutating func push(_ step: Step) {
        if let next { later.append(next) }
        next = step
    }

    mutating func run() {
        while let step = next {
            next = later.popLast()
            step.run(on: &self)
        }
    }

    /// Calls `action`, and then everything that it sets off.
    static func run(_ action: (inout TrampolineOf) -> Void) {
        var trampoline = TrampolineOf()
        action(&trampoline)
        trampoline.run()
    }
}
