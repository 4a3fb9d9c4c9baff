/// A cause for which a program does not go on: a sentence, its place in the source, and the lines that show it.
package struct StuckCause: Hashable, Sendable {
    package var sentence: String
    /// Such as `App/File.swift:12`. Nil if it is unknown.
    package var site: String?
    package var evidence: [String]

    package init(sentence: String, site: String? = nil, evidence: [String]) {
        self.sentence = sentence
        self.site = site
        self.evidence = evidence
    }
}

/// A look at the program from outside for what is stuck, as `--timeout` makes it of a program that has not ended.
enum StuckSearch: Hashable, Sendable {
    case none
    /// The user has asked for one.
    case asked
    case underWay
    /// At this time of the trace, the causes, or a sentence that says why there are none.
    case found([StuckCause], at: UInt64)

    /// Nanoseconds without an event after which it is offered.
    static let silence: UInt64 = 5_000_000_000
}
