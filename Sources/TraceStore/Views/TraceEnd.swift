/// The end of a trace, as far as a store has got.
package enum TraceEnd: Sendable {
    /// Further events may come.
    case open
    /// The trace has no further events, and the program went on, or may have: a recording that was stopped, a flight recording, a snapshot.
    case cut
    /// The trace saw the program end, so that nothing can happen any more.
    case exit
}
