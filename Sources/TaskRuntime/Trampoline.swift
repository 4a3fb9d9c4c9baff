/// A call that the end of a task sets off.
@usableFromInline
protocol TrampolineStep {
    /// Makes the call. Calls that it sets off go on the trampoline.
    func run(on trampoline: inout TrampolineOf<Self>)
}

/// Runs the calls that ended tasks set off, one after another instead of nested. The stack does not grow with the length of a chain.
///
/// The order is that of a recursion: the calls that a call sets off run before its later siblings. A trampoline lives on the stack of the
/// thread that ends a task, and is empty when the function that made it returns.
@usableFromInline
struct TrampolineOf<Step: TrampolineStep> {
    /// The top of the stack. A chain without branches needs only this.
    private var next: Step?
    private var later: [Step] = []

    init() {}

    /// Pushes a call. Siblings are pushed in reverse order, so that the first is called first.
    mutating func push(_ step: consuming Step) {
        // Calls are moved, not copied: a copy counts references up and down.
        if let earlier = exchange(&next, with: step) { later.append(earlier) }
    }

    mutating func run() {
        while let step = exchange(&next, with: later.popLast()) { step.run(on: &self) }
    }

    /// Calls `action`, and then runs everything that it sets off.
    static func run(_ action: (inout TrampolineOf) -> Void) {
        var trampoline = TrampolineOf()
        action(&trampoline)
        trampoline.run()
    }
}
