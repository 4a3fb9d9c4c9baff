import TaskEvents
import TraceStore

/// Describes the links of a ``WaitChain`` for screens and reports.
package struct WaitWords {
    private let store: TraceStore
    private let isASCII: Bool
    private let words: TaskWords

    package init(_ store: TraceStore, isASCII: Bool = false) {
        self.store = store
        self.isASCII = isASCII
        words = TaskWords(store)
    }

    /// The activity or wait of a link, without the link's name: ``continues `receipt`, for 3.2 s``.
    package func text(ofLink index: Int, of chain: WaitChain) -> String {
        let link = chain.links[index]
        let isLast = index + 1 == chain.links.count
        if isLast, let text = text(of: chain.end, link) { return text }
        let next = isLast ? nil : chain.links[index + 1].subject
        return text(of: link, next: ringTarget(chain, isLast) ?? next)
    }

    /// The sentence that closes a ring. Nil for any other chain.
    package func closing(of chain: WaitChain) -> String? {
        guard case .ring(let first) = chain.end else { return nil }
        let count = chain.links.count - first
        let name = words.name(of: chain.links[first].subject)
        return count == 1 ? "It waits for itself and cannot go on." : "Back to \(name): none of these \(count) can go on."
    }

    /// One sentence for a chain: the first link's wait, and the meaning of the last link.
    package func summary(of chain: WaitChain) -> String {
        guard let first = chain.links.first else { return "" }
        let name = words.name(of: first.subject)
        let text = "\(name): \(text(ofLink: 0, of: chain))"
        guard chain.links.count > 1, let last = chain.links.last else { return text }
        if let closing = closing(of: chain) { return "\(text). \(closing)" }
        return "\(text). \(words.name(of: last.subject)): \(self.text(ofLink: chain.links.count - 1, of: chain))"
    }

    private func ringTarget(_ chain: WaitChain, _ isLast: Bool) -> WaitChain.Subject? {
        guard isLast, case .ring(let first) = chain.end else { return nil }
        return chain.links[first].subject
    }

    // MARK: Links

    private func text(of link: WaitChain.Link, next: WaitChain.Subject?) -> String {
        let name = next.map { words.name(of: $0) } ?? ""
        guard case .task(let id) = link.subject, let task = store.task(id), let wait = link.wait else {
            return text(ofJob: link, name)
        }
        switch wait.kind {
        case .executor: return queued(task, wait, link, name)
        case .task where task.kind == .join:
            return "joins tasks, of which \(CountText.text(link.others + 1)) \(link.others == 0 ? "is" : "are") open: \(name)\(time(link))"
        case .task where task.state == .pending: return "continues \(name)\(time(link))"
        case .task where task.inner == wait.task: return "returned \(name) and ends with it\(time(link))"
        case .task: return "awaits \(name)\(time(link))\(site(wait))"
        case .thread: return "blocks its thread until \(name) has ended\(time(link))\(site(wait))"
        case .group:
            let many = link.others == 0 ? "" : ", one of \(CountText.text(link.others + 1)) open tasks"
            return "awaits its group: \(name)\(many)\(time(link))\(site(wait))"
        case .continuation, .timer, .condition, .source, .call: return "waits for \(wait.text(in: store))\(time(link))"
        }
    }

    /// An executor that is held, or a closure that blocks its thread.
    private func text(ofJob link: WaitChain.Link, _ name: String) -> String {
        guard case .executor(let id) = link.subject else {
            return "blocks its thread until \(name) has ended\(time(link))\(link.wait.map(site) ?? "")"
        }
        let depth = store.executor(id)?.depth ?? 0
        let others = link.others == 0 ? "" : " and \(CountText.text(link.others, "more job"))"
        let queue = depth == 0 ? "" : "; \(CountText.text(depth, "job")) \(depth == 1 ? "waits" : "wait"), the first\(time(link, "for"))"
        return "runs \(name)\(others)\(queue)"
    }

    private func queued(_ task: TaskView, _ wait: WaitsFor, _ link: WaitChain.Link, _ name: String) -> String {
        let executor = words.name(wait.executor)
        let position = wait.position(of: task.id, in: store).map { ", place \(CountText.text($0)) in its queue" } ?? ""
        let others = link.others == 0 ? "" : " and \(CountText.text(link.others, "more job"))"
        return "waits for \(executor)\(position)\(time(link)); \(executor) runs \(name)\(others)"
    }

    // MARK: Ends

    private func text(of end: WaitChain.End, _ link: WaitChain.Link) -> String? {
        let wait = link.wait
        switch end {
        case .ring: return nil
        case .runs(let mayBlock):
            let sight = sight(of: link.subject)
            let computes = sight?.isComputing == true
            let place = sight?.computedSite.map { ", in \($0)" } ?? ""
            let unseen = mayBlock && !computes ? "; whether its thread blocks, the trace cannot tell" : ""
            return "\(computes ? "computes" : "runs")\(executor(of: link.subject))\(time(link))\(place)\(unseen)"
        case .blocks:
            let call = wait?.function(in: store).map { " in \($0)" } ?? ""
            return "blocks its thread\(call)\(time(link))\(wait.map(site) ?? "")"
        case .timer: return "waits for a timer\(time(link))\(wait.map(site) ?? "")"
        case .unresumed(let isLost):
            let isSource = wait?.kind == .source
            if isLost {
                return isSource ? "was released: nothing can set it any more" : "awaits a continuation that was dropped\(time(link))"
            }
            if isSource { return "nothing has set it\(time(link, "for"))" }
            let continuation = wait?.continuation(in: store) ?? "a continuation that nothing has resumed"
            return "awaits \(continuation)\(time(link))\(wait.map(site) ?? "")\(holder(of: link.subject))"
        case .condition: return "waits for \(wait?.text(in: store) ?? "a condition")\(time(link))"
        case .held: return "a gate holds it\(time(link))"
        case .idle: return "runs nothing, and no job waits for it"
        case .ended: return "has ended and waits for nothing"
        case .unknown(let reason):
            if let wait, let main = wait.mainActivity(since: link.since, in: store) {
                let executor = words.name(wait.executor)
                return "waits for \(executor)\(time(link)); the thread of \(executor) \(main), and runs none of its jobs"
            }
            let text = wait.map { "waits for \($0.text(in: store))\(time(link)); the rest is unknown" } ?? "unknown"
            return "\(text): \(reason)"
        }
    }

    /// What holds the task's continuation, as a look from outside found it.
    private func holder(of subject: WaitChain.Subject) -> String {
        guard case .task(let id) = subject, let task = store.task(id), let words = store.continuationHolder(of: task) else { return "" }
        return ", " + PrintableText.text(words)
    }

    /// The last look from outside saw the subject's thread in this way. Nil if none did.
    private func sight(of subject: WaitChain.Subject) -> OutsideView.Sight? {
        switch subject {
        case .task(let id): store.task(id).flatMap { store.sight(of: $0) }
        case .job(let job, _): store.sight(of: job)
        case .executor: nil
        }
    }

    private func executor(of subject: WaitChain.Subject) -> String {
        switch subject {
        case .job(_, let executor): return " on \(words.name(executor))"
        case .task(let id):
            guard let executor = store.task(id)?.executor, executor != .none else { return "" }
            return " on \(words.name(executor))"
        case .executor: return ""
        }
    }

    private func time(_ link: WaitChain.Link, _ word: String = ", for") -> String {
        guard let since = link.since, store.now >= since else { return "" }
        let task = if case .task(let id) = link.subject { id } else { TaskID.none }
        return "\(word == ", for" ? "" : " ")\(word) \(store.elapsed(since: since, of: task, isASCII: isASCII))"
    }

    private func site(_ wait: WaitsFor) -> String { wait.shortSite(in: store).map { ", at \($0)" } ?? "" }
}

extension TaskWords {
    /// The name of a link's subject: `` `save` `` for a task or a closure, `main` for an executor.
    package func name(of subject: WaitChain.Subject) -> String {
        switch subject {
        case .task(let task): "`\(name(of: task))`"
        case .job(let job, _): "`\(name(of: job.task, closure: job.label))`"
        case .executor(let executor): name(executor)
        }
    }

    /// The place that made a link's task or closure. Nil for an executor, and if unknown.
    package func site(of subject: WaitChain.Subject) -> String? {
        switch subject {
        case .task(let task): site(of: task)
        case .job(let job, _): site(of: job.task, closure: job.label)
        case .executor: nil
        }
    }
}
