import TaskEvents
import TraceStore

/// Describes where a task's time went, for screens and reports.
package struct TimeWords {
    private let store: TraceStore
    private let isASCII: Bool
    private let words: TaskWords

    package init(_ store: TraceStore, isASCII: Bool = false) {
        self.store = store
        self.isASCII = isASCII
        words = TaskWords(store)
    }

    /// The task's time and the largest segment of it: ``2.1 s, of which 1.7 s in the queue of `Store` behind `compact` (Store.swift:40);
    /// the others wait there for 2.0 ms``. Without a full stop.
    package func sentence(_ explanation: TimeExplanation) -> String {
        let total = explanation.total.map(duration)
        guard let segments = explanation.segments, let total else {
            let reason = explanation.blindness?.reason ?? "the trace does not show its creation"
            return "\(total.map { "\($0); where" } ?? "Where") its time went is unknown: \(reason)"
        }
        guard let largest = segments.first else { return total }
        let share = segments.count == 1 ? "all of it" : "of which \(duration(largest.nanoseconds))"
        let others = largest.peersMedian.map { "; the others \(verb(largest.kind)) there for \(duration($0))" } ?? ""
        return "\(total), \(share) \(phrase(largest))\(others)"
    }

    /// A segment in words: ``in the queue of `Store` behind `compact` (Store.swift:40)``.
    package func phrase(_ segment: TimeExplanation.Segment) -> String {
        let name = words.name(of: segment.task)
        switch segment.kind {
        case .running: return "running `\(name)`\(inBrackets(words.site(of: segment.task)))"
        case .onCPU: return "on the processor in `\(name)`\(inBrackets(words.site(of: segment.task)))"
        case .runnable: return "without a processor for `\(name)`\(inBrackets(words.site(of: segment.task)))"
        case .blocked:
            let call = function(of: segment).map { "`\($0)`" } ?? "a call"
            return "blocked in \(call)\(inBrackets(waitingSite(of: segment)))"
        case .queued:
            let behind = segment.behind.map { " behind \(text(of: $0, quote: "`"))" } ?? ""
            return "in the queue of `\(words.name(segment.executor))`\(behind)"
        case .awaiting: return "\(awaiting(segment))\(inBrackets(waitingSite(of: segment)))"
        }
    }

    /// A job with its place: `compact (Store.swift:40)`.
    package func text(of holder: TimeExplanation.Holder, quote: String = "") -> String {
        let name = words.name(of: holder.task, closure: holder.closure)
        return "\(quote)\(name)\(quote)\(inBrackets(words.site(of: holder.task, closure: holder.closure)))"
    }

    /// The place in the program where a segment's time goes: the call in which it blocks or awaits, or else the place that made its task.
    package func site(of segment: TimeExplanation.Segment) -> String? {
        if let site = wait(of: segment).site(in: store) { return site }
        guard let site = store.task(segment.task)?.label.site, !site.isEmpty else { return nil }
        return PrintableText.text(site)
    }

    private func awaiting(_ segment: TimeExplanation.Segment) -> String {
        switch segment.wait {
        case .timer: "waiting for a timer"
        case .continuation: "waiting for a continuation"
        case .group: "waiting for its group"
        case .condition: "waiting for a condition"
        case .source: "waiting to be set"
        case .call: "waiting in a call"
        case .executor: "changing executors"
        case .task: "waiting for another task"
        case .thread, nil: "waiting, the trace does not show for what"
        }
    }

    /// The place of the call, or else the place that made the task.
    private func waitingSite(of segment: TimeExplanation.Segment) -> String? {
        wait(of: segment).shortSite(in: store) ?? words.site(of: segment.task)
    }

    private func verb(_ kind: CriticalPath.Segment.Kind) -> String {
        switch kind {
        case .running, .onCPU: "run"
        case .runnable, .blocked, .queued, .awaiting: "wait"
        }
    }

    private func wait(of segment: TimeExplanation.Segment) -> WaitsFor { WaitsFor(segment.wait ?? .call, calls: segment.calls) }

    private func function(of segment: TimeExplanation.Segment) -> String? { wait(of: segment).function(in: store) }

    private func inBrackets(_ site: String?) -> String { site.map { " (\($0))" } ?? "" }

    private func duration(_ nanoseconds: UInt64) -> String { DurationText.text(nanoseconds, isASCII: isASCII) }
}
