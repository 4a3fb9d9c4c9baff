import TraceStore

/// A task's state as a person reads it: a glyph and a word. A skipped task is shown as such, whatever it took from its antecedent.
package enum StateMark: CaseIterable, Sendable {
    case pending, queued, running, suspended, succeeded, faulted, cancelled, skipped

    package init(_ task: TaskView) {
        self = task.isSkipped && task.state.hasEnded ? .skipped : StateMark(task.state)
    }

    package init(_ state: TaskState) {
        self =
            switch state {
            case .pending: .pending
            case .queued: .queued
            case .running: .running
            case .suspended: .suspended
            case .succeeded: .succeeded
            case .faulted: .faulted
            case .cancelled: .cancelled
            }
    }

    package var word: String {
        switch self {
        case .pending: "pending"
        case .queued: "queued"
        case .running: "running"
        case .suspended: "suspended"
        case .succeeded: "succeeded"
        case .faulted: "faulted"
        case .cancelled: "cancelled"
        case .skipped: "skipped"
        }
    }

    /// One column wide.
    package var glyph: Character {
        switch self {
        case .pending: "·"
        case .queued: "○"
        case .running: "▶"
        case .suspended: "◐"
        case .succeeded: "✓"
        case .faulted: "✗"
        case .cancelled: "⊖"
        case .skipped: "⊘"
        }
    }

    /// For terminals that know no more.
    package var asciiGlyph: Character {
        switch self {
        case .pending: "."
        case .queued: "o"
        case .running: ">"
        case .suspended: "="
        case .succeeded: "+"
        case .faulted: "x"
        case .cancelled: "-"
        case .skipped: "/"
        }
    }
}
