import TraceStore

/// A state, role, verdict or severity as a person reads it: a word, a glyph that is one column wide, and a tone. Screens, reports and exports
/// all take it from here.
package struct Mark: Sendable {
    /// The meaning that a screen shows as a colour.
    package enum Tone: CaseIterable, Sendable {
        case pending, queued, running, suspended, succeeded, faulted, cancelled, skipped
        case good, fault, warning, dim
    }

    package var word: String
    package var glyph: Unicode.Scalar
    /// The glyph where there is only ASCII.
    package var asciiGlyph: Unicode.Scalar
    package var tone: Tone

    fileprivate init(_ word: String, _ glyph: Unicode.Scalar, _ asciiGlyph: Unicode.Scalar, _ tone: Tone) {
        (self.word, self.glyph, self.asciiGlyph, self.tone) = (word, glyph, asciiGlyph, tone)
    }

    /// `✓ succeeded`.
    package func text(isASCII: Bool = false) -> String { "\(glyph(isASCII: isASCII)) \(word)" }

    package func glyph(isASCII: Bool) -> Unicode.Scalar { isASCII ? asciiGlyph : glyph }
}

/// A value that a person sees as a mark.
package protocol Marked {
    var mark: Mark { get }
}

extension Marked {
    package var word: String { mark.word }
}

/// The state of a task as a person reads it: a skipped task is `skipped`, whichever outcome it took from its antecedent.
package enum StateMark: Marked, CaseIterable, Sendable {
    case pending, queued, running, suspended, succeeded, faulted, cancelled, skipped

    package init(_ task: TaskView) {
        self.init(task.state, isSkipped: task.isSkipped)
    }

    package init(_ state: TaskState, isSkipped: Bool = false) {
        self =
            switch state {
            case _ where isSkipped && state.hasEnded: .skipped
            case .pending: .pending
            case .queued: .queued
            case .running: .running
            case .suspended: .suspended
            case .succeeded: .succeeded
            case .faulted: .faulted
            case .cancelled: .cancelled
            }
    }

    package var mark: Mark {
        switch self {
        case .pending: Mark("pending", "○", "o", .pending)
        case .queued: Mark("queued", "◔", "q", .queued)
        case .running: Mark("running", "▶", ">", .running)
        case .suspended: Mark("suspended", "◐", "z", .suspended)
        case .succeeded: Mark("succeeded", "✓", "+", .succeeded)
        case .faulted: Mark("faulted", "✗", "x", .faulted)
        case .cancelled: Mark("cancelled", "⊖", "/", .cancelled)
        case .skipped: Mark("skipped", "⊘", "~", .skipped)
        }
    }

    /// The order in which a person looks for tasks: those that run, those that could, those that wait; of the ended ones, the failures first.
    package static let byUrgency: [StateMark] = [.running, .suspended, .queued, .pending, .faulted, .cancelled, .skipped, .succeeded]
}

extension TaskState {
    /// The word in screens, reports and queries.
    package var name: String { StateMark(self).mark.word }
}

extension FaultRole: Marked {
    package var mark: Mark {
        switch self {
        case .thrown, .injected, .transformed: Mark(name, "✗", "x", .fault)
        case .forwarded: Mark(name, "⊘", "~", .skipped)
        case .read, .recovered: Mark(name, "✓", "+", .good)
        case .swallowed, .unobserved: Mark(name, "⚠", "!", .warning)
        }
    }
}

extension Verdict: Marked {
    package var mark: Mark {
        switch self {
        case .recovered, .read: Mark(name, "✓", "+", .good)
        case .pending: Mark(name, "○", "o", .pending)
        case .swallowed, .unobserved: Mark(name, "⚠", "!", .warning)
        case .unknown: Mark(name, "?", "?", .dim)
        }
    }
}

extension WarningSeverity: Marked {
    package var mark: Mark {
        switch self {
        case .error: Mark(name, "✗", "x", .fault)
        case .warning: Mark(name, "⚠", "!", .warning)
        case .note: Mark(name, "○", "o", .dim)
        }
    }
}
