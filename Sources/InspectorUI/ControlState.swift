import TraceTransport

/// The user's commands to the inspected program, and the gates that are closed.
package struct ControlState {
    /// The reason why the program takes no commands at all. Nil if it takes some.
    package internal(set) var refusal: String?
    /// The command that the program has not answered yet.
    package internal(set) var awaitedAnswer: Control?
    /// The gates that the program holds because the user of this inspector asked for it.
    package private(set) var heldScopes: Set<ControlScope> = []
    /// Whether the program says that its gates hold jobs. It says so between two held jobs too.
    private var areGatesClosed = false
    /// The job at which a run will stop, until the run has stopped.
    var soughtJob: JobCondition?

    /// Whether gates are closed, because this inspector's user asked for it or for another reason.
    var hasClosedGates: Bool { areGatesClosed || !heldScopes.isEmpty }

    /// Notes a command that the program has carried out.
    mutating func carriedOut(_ control: Control) {
        switch control {
        case .hold(let scope): heldScopes.insert(scope)
        case .runToFault, .runToMainHop: heldScopes.insert(.all)
        case .runTo(let condition):
            heldScopes.insert(.all)
            soughtJob = condition
        case .open(.all): heldScopes = []
        case .open(let scope): heldScopes.remove(scope)
        case .step, .stepInto, .cancel, .fault, .ping, .mark: break
        }
    }

    /// Notes what the program says of its gates. True if that is new.
    mutating func note(areGatesClosed areClosed: Bool) -> Bool {
        guard areClosed != areGatesClosed else { return false }
        areGatesClosed = areClosed
        // Another inspector may have opened them.
        if !areClosed { heldScopes = [] }
        return true
    }
}
