import TaskEvents
import TraceStore

/// The visible form of a state, role, verdict or severity: a word, a one-column glyph, and a tone. Screens, reports and exports share it.
package struct Badge: Sendable {
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

/// A value with a badge.
package protocol Badged {
    var badge: Badge { get }
}

extension Badged {
    package var word: String { badge.word }
}

/// The displayed state of a task. A skipped task is `skipped`, although it takes its antecedent's outcome. The state is `unknown` if the
/// task's last event may be among lost records.
package enum DisplayedState: Badged, CaseIterable, Sendable {
    case pending, queued, running, suspended, succeeded, faulted, cancelled, skipped, unknown
    /// It has ended, and the trace cannot show how.
    case ended

    package init(_ task: TaskView) {
        if task.isUncertain {
            self = .unknown
        } else if task.isFinishedMain || task.state == .succeeded && !task.showsOutcome {
            self = .ended
        } else {
            self = DisplayedState(task.state, isSkipped: task.isSkipped)
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

    package var badge: Badge {
        switch self {
        case .pending: Badge("pending", "○", "o", .pending)
        case .queued: Badge("queued", "◔", "q", .queued)
        case .running: Badge("running", "▶", ">", .running)
        case .suspended: Badge("suspended", "◐", "z", .suspended)
        case .succeeded: Badge("succeeded", "✓", "+", .succeeded)
        case .faulted: Badge("faulted", "✗", "x", .faulted)
        case .cancelled: Badge("cancelled", "⊖", "/", .cancelled)
        case .skipped: Badge("skipped", "⊘", "~", .skipped)
        case .unknown: Badge("unknown", "?", "?", .warning)
        case .ended: Badge("ended", "●", "#", .dim)
        }
    }

    /// The order of urgency: running tasks, tasks that could run, waiting tasks, then ended tasks with failures first.
    package static let byUrgency: [DisplayedState] = [
        .running, .suspended, .queued, .pending, .unknown, .faulted, .cancelled, .skipped, .succeeded, .ended,
    ]
}

extension TaskState {
    /// The word in screens, reports and queries.
    package var name: String { DisplayedState(self).badge.word }
}

extension FaultRole: Badged {
    package var badge: Badge {
        switch self {
        case .thrown, .injected, .transformed: Badge(name, "✗", "x", .fault)
        case .forwarded: Badge(name, "⊘", "~", .skipped)
        case .read, .recovered: Badge(name, "✓", "+", .good)
        case .swallowed, .unobserved: Badge(name, "⚠", "!", .warning)
        }
    }
}

extension Verdict: Badged {
    package var badge: Badge {
        switch self {
        case .recovered, .read: Badge(name, "✓", "+", .good)
        case .pending: Badge(name, "○", "o", .pending)
        case .swallowed, .unobserved: Badge(name, "⚠", "!", .warning)
        case .unknown: Badge(name, "?", "?", .dim)
        }
    }
}

/// The kind's row in ``EventDescription`` has the word and names the symbol. Events that change a task's state have the state's glyph.
extension EventKind: Badged {
    package var badge: Badge {
        let description = EventDescription[self]
        var badge = description.symbol.badge
        badge.word = description.word
        return badge
    }
}

extension EventDescription.Symbol {
    fileprivate var badge: Badge {
        switch self {
        case .pending: DisplayedState.pending.badge
        case .queued: DisplayedState.queued.badge
        case .running: DisplayedState.running.badge
        case .suspended: DisplayedState.suspended.badge
        case .succeeded: DisplayedState.succeeded.badge
        case .faulted: DisplayedState.faulted.badge
        case .cancelled: DisplayedState.cancelled.badge
        case .skipped: DisplayedState.skipped.badge
        case .hop: Badge("", "→", ">", .pending)
        case .good: Badge("", "✓", "+", .good)
        case .warning: Badge("", "⚠", "!", .warning)
        case .note: Badge("", "•", "*", .good)
        case .minor: Badge("", "·", ".", .dim)
        }
    }
}

extension WarningSeverity: Badged {
    package var badge: Badge {
        switch self {
        case .error: Badge(name, "✗", "x", .fault)
        case .warning: Badge(name, "⚠", "!", .warning)
        case .note: Badge(name, "○", "o", .dim)
        }
    }
}
