import TaskEvents
import TraceStore

/// The visible form of a state, role, verdict or severity: a word, a one-column glyph, and a tone. Screens, reports and exports share it.
package struct Mark: Sendable {
    /// The meaning that a screen shows as a colour.
    package enum Tone: CaseIterable, Sendable {
        case pending, queued, running, suspended, succeeded, faulted, cancelled, skipped
        case good, fault, warning, dim
    }

    package var word: String
    package var glyph: Unicode.Scalar
    /// The glyph for an ASCII terminal.
    package var asciiGlyph: Unicode.Scalar
    package var tone: Tone

    fileprivate init(_ word: String, _ glyph: Unicode.Scalar, _ asciiGlyph: Unicode.Scalar, _ tone: Tone) {
        (self.word, self.glyph, self.asciiGlyph, self.tone) = (word, glyph, asciiGlyph, tone)
    }

    /// `✓ succeeded`.
    package func text(isASCII: Bool = false) -> String { "\(glyph(isASCII: isASCII)) \(word)" }

    package func glyph(isASCII: Bool) -> Unicode.Scalar { isASCII ? asciiGlyph : glyph }
}

/// A value with a mark.
package protocol Marked {
    var mark: Mark { get }
}

extension Marked {
    package var word: String { mark.word }
}

/// The displayed state of a task. A skipped task is `skipped`, although it takes its antecedent's outcome. The state is `unknown` if the
/// task's last event may be among lost records.
package enum StateMark: Marked, CaseIterable, Sendable {
    case pending, queued, running, suspended, succeeded, faulted, cancelled, skipped, unknown
    /// It has ended, and the trace cannot show how.
    case ended

    package init(_ task: TaskView) {
        if task.isUncertain {
            self = .unknown
        } else if task.state == .succeeded, !task.showsOutcome {
            self = .ended
        } else {
            self = StateMark(task.state, isSkipped: task.isSkipped)
        }
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
        case .unknown: Mark("unknown", "?", "?", .warning)
        case .ended: Mark("ended", "●", "#", .dim)
        }
    }

    /// The order of urgency: running tasks, tasks that could run, waiting tasks, then ended tasks with failures first.
    package static let byUrgency: [StateMark] = [
        .running, .suspended, .queued, .pending, .unknown, .faulted, .cancelled, .skipped, .succeeded, .ended,
    ]
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

/// The kind's row in ``EventDescription`` has the word and names the symbol. Events that change a task's state have the state's glyph.
extension EventKind: Marked {
    package var mark: Mark {
        let description = EventDescription[self]
        var mark = description.symbol.mark
        mark.word = description.word
        return mark
    }
}

extension EventDescription.Symbol {
    fileprivate var mark: Mark {
        switch self {
        case .pending: StateMark.pending.mark
        case .queued: StateMark.queued.mark
        case .running: StateMark.running.mark
        case .suspended: StateMark.suspended.mark
        case .succeeded: StateMark.succeeded.mark
        case .faulted: StateMark.faulted.mark
        case .cancelled: StateMark.cancelled.mark
        case .skipped: StateMark.skipped.mark
        case .hop: Mark("", "→", ">", .pending)
        case .good: Mark("", "✓", "+", .good)
        case .warning: Mark("", "⚠", "!", .warning)
        case .note: Mark("", "•", "*", .good)
        case .minor: Mark("", "·", ".", .dim)
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
