/// The role of a task towards an error that reached it.
///
/// Reports spell the raw values; they never change.
package enum FaultRole: String, CaseIterable, Sendable {
    /// Its body threw the error, or code outside a body completed the task with the error.
    case thrown
    /// The inspector put the error there.
    case injected
    /// It ended with the error of its antecedent, its input or its inner task, or rethrew the error that it had read.
    case forwarded
    /// It read one error and ended with another, or made an aggregate.
    case transformed
    /// It read the error and ended cancelled, or has not ended. Or the error ended here, and code outside every body read it.
    case read
    /// It read the error and succeeded.
    case recovered
    /// It ran on a failed antecedent without reading the error. Or it is the input of a join that ended without the error.
    case swallowed
    /// The error ended here, and nothing ever read it.
    case unobserved

    /// The word that reports use.
    package var name: String { rawValue }
}
