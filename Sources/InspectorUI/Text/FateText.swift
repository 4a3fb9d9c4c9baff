import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Describes a task's outcome: its error or its handling of one, the thing that it waits for, and how long it waited.
enum FateText {
    /// Cuts a long outcome between words. Omits a wait that does not fit, because a cut figure would read as a different one.
    static func spans(of task: TaskView, in shared: SharedState, columns: Int) -> [Span] {
        var spans: [Span] = []
        if let (text, role) = fate(of: task, in: shared) { spans.append(Span(text.fittingWords(columns, shared.glyphs), role)) }
        if let queued = task.queuedTime, queued > 0, let wait = TaskWords(shared.store).wait(of: task, isASCII: shared.glyphs.isASCII) {
            // A job in a queue still waits.
            let time = task.state == .queued ? ", \(shared.duration(queued))" : "   \(wait)"
            let span = Span(spans.isEmpty ? wait : time, .dim)
            if spans.reduce(span.width, { $0 + $1.width }) <= columns { spans.append(span) }
        }
        return spans
    }

    private static func fate(of task: TaskView, in shared: SharedState) -> (String, Role)? {
        let words = TaskWords(shared.store)
        let role = FaultAnalysis(shared.store).role(of: task)
        switch role {
        case .thrown, .injected: return (words.error(of: task) ?? "", .fault)
        case .forwarded where task.isSkipped: return (words.role(role, of: task) ?? "", .skipped)
        case .forwarded, .transformed: return (words.role(role, of: task) ?? "", .fault)
        case .recovered, .read: return (words.role(role, of: task) ?? "", .good)
        case .swallowed, .unobserved: return (words.role(role, of: task) ?? "", .warning)
        case nil: break
        }
        if let next = task.next(in: shared.store) {
            switch next.relation {
            case .awaits, .follows, .gathers: return (NextText.text(next, in: shared.store, shared.glyphs), .dim)
            case .leadsTo: break
            }
        }
        if let wait = WaitsFor(task, in: shared.store) { return (shared.sentence("waits for \(wait.text(in: shared.store))"), .dim) }
        return CancellationText.text(task).map { ($0, .cancelled) }
    }
}

/// Describes the cause of a task's cancellation.
enum CancellationText {
    static func text(_ task: TaskView) -> String? {
        switch task.cancellation {
        case .thrown: "its body threw CancellationError"
        case .asked: "cancelled from outside"
        case .forwarded: "cancellation forwarded"
        case .token: "its token was cancelled"
        case .injected: "cancelled from the inspector"
        case nil: nil
        }
    }
}

extension TaskView {
    /// Nanoseconds from the start of its body to its end or `now`. A task without a body counts from its creation. Nil before the body
    /// begins.
    func bodyTime(at now: UInt64) -> UInt64? {
        let start: UInt64?
        switch kind {
        case .join, .source, .delay: start = created
        case .root, .continuation, .asyncLet, .groupChild, .unstructured, .detached, .internal, .block, .main: start = started
        }
        guard let start else { return nil }
        let end = ended ?? now
        return end > start ? end - start : 0
    }

    var lastHop: Hop? {
        hops.reduce(nil) { $1 }
    }
}
