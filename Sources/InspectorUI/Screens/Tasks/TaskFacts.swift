import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The task that follows a task, or the task that it waits for.
struct NextStep {
    enum Relation {
        /// The other task continues it. `more` is true if further tasks do too.
        case leadsTo(more: Bool)
        /// It is suspended until the other task ends.
        case awaits
        /// It cannot begin before the other task ends.
        case follows
        /// A join, with the number of inputs that have not ended, and the first of them. `isPart` is true if only the first inputs were
        /// examined.
        case gathers(open: Int, of: Int, isPart: Bool)
    }

    var relation: Relation
    var other: TaskID
}

extension TaskView {
    /// Nanoseconds from its creation, or from its first known time, to its end or `now`. Nil if no time is known.
    func total(at now: UInt64) -> UInt64? {
        guard let start = firstKnown else { return nil }
        let end = ended ?? now
        return end > start ? end - start : 0
    }

    /// For a waiting task, the task that it waits for. For any other task, its follower.
    func next(in store: TraceStore) -> NextStep? {
        switch state {
        case .suspended:
            if let waitsFor { return NextStep(relation: .awaits, other: waitsFor) }
        case .pending:
            if let step = previous(in: store) { return step }
        case .queued, .running, .succeeded, .faulted, .cancelled:
            break
        }
        var successors = successors
        guard let first = successors.next() else { return nil }
        return NextStep(relation: .leadsTo(more: successors.next() != nil), other: first)
    }

    /// The largest number of inputs of a join that are examined, because each visible row is asked in each frame.
    private static var inputLimit: Int { 1024 }

    /// The task that a pending task waits for. Nil if unknown.
    private func previous(in store: TraceStore) -> NextStep? {
        var all = 0
        var open = 0
        var first: TaskID?
        var isPart = false
        for antecedent in antecedents {
            isPart = all == Self.inputLimit
            guard !isPart else { break }
            all += 1
            guard store.task(antecedent)?.state.hasEnded == false else { continue }
            open += 1
            first = first ?? antecedent
        }
        guard let first else { return nil }
        return NextStep(relation: all > 1 ? .gathers(open: open, of: all, isPart: isPart) : .follows, other: first)
    }
}

extension Badged {
    var canvasGlyph: GlyphSpelling { GlyphSpelling(unicode: badge.glyph, ascii: badge.asciiGlyph) }
    var role: Role { Role(badge.tone) }
}

extension Role {
    init(_ tone: Badge.Tone) {
        self =
            switch tone {
            case .pending: .pending
            case .queued: .queued
            case .running: .running
            case .suspended: .suspended
            case .succeeded: .succeeded
            case .faulted: .faulted
            case .cancelled: .cancelled
            case .skipped: .skipped
            case .good: .good
            case .fault: .fault
            case .warning: .warning
            case .dim: .dim
            }
    }
}

extension GlyphSet {
    /// Whether to use ASCII spelling, for functions of other targets.
    var isASCII: Bool { self == .ascii }
}
