import TraceAnalysis

/// Another order of the program, of which only the choices are shown.
package struct OtherOrder: Sendable {
    package var tape: ChoiceTape
    package var words: [ChoiceTape.Candidate: CandidateWords]
    /// How it ended, as a clause: `it ends with status 1`.
    package var ending: String

    package init(tape: ChoiceTape, words: [ChoiceTape.Candidate: CandidateWords], ending: String) {
        (self.tape, self.words, self.ending) = (tape, words, ending)
    }
}

/// The result of an order that was asked for.
package enum OrderAnswer: Sendable {
    case ended(OtherOrder)
    /// It was not run, for this reason.
    case refused(String)
}

/// Runs the program of a shown order once more, with one choice changed, on a thread of its own. The session's thread uses it. No call waits.
package protocol OrderRunner: AnyObject {
    /// How the shown order ended, as a clause.
    var ending: String { get }

    /// Runs the shown order with that strand at the choice with this number. False while another order runs.
    func run(choice: Int, strand: UInt32) -> Bool

    /// The result, once. Nil while it runs.
    func take() -> OrderAnswer?
}
