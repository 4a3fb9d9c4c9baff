/// What sort of hop it is. The rarer wins, in the order of the cases.
///
/// Reports spell the raw values; they never change.
package enum HopClass: String, CaseIterable, Sendable {
    /// `default` was past its depth and dispatched.
    case depthGuard = "depth-guard"
    /// There or back of a short visit: A to B to A in consecutive jobs of one chain, B's job shorter than the two waits together.
    case bounce
    /// Through a queue onto the executor it was already on.
    case redundant
    /// Took an actor without suspending. Swift Concurrency only.
    case inline
    /// Everything else that goes through a queue.
    case dispatched

    /// The word that reports use.
    package var name: String { rawValue }
}
