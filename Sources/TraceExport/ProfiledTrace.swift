import TaskEvents
import TraceAnalysis
import TraceStore

/// The samples of a profile, with the names of their code.
package struct ProfiledTrace {
    let stacks: SampledStacks
    /// The functions that each place is in, the innermost inlined one first.
    let names: [CodeAddress: [CodeSymbol]]

    package init(_ stacks: SampledStacks, names: [CodeAddress: [CodeSymbol]]) {
        (self.stacks, self.names) = (stacks, names)
    }

    func named(in store: TraceStore) -> [NamedStack] { NamedStack.all(of: stacks, names, in: store) }
}
