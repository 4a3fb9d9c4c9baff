import TaskEvents
import TraceStore

/// How far a chain has come, or how it ended: the worst that became of the tasks that nothing in it continues.
package enum ChainEnd: Hashable, Sendable {
    /// So many of its tasks have not ended.
    case open(Int)
    case succeeded
    /// One of its last tasks failed.
    case faulted(last: TaskID)
    case cancelled
}

extension ChainAnalysis {
    package func end(of chain: Chain) -> ChainEnd {
        let tasks = chain.tasks.compactMap { store.task($0) }
        let open = tasks.lazy.filter { !$0.state.hasEnded }.count
        if open > 0 { return .open(open) }
        let last = tasks.filter { task in !task.successors.contains { isContinuation($0, in: chain) } }
        if let failed = last.first(where: { $0.state == .faulted }) { return .faulted(last: failed.id) }
        return last.contains { $0.state == .cancelled } ? .cancelled : .succeeded
    }

    private func isContinuation(_ task: TaskID, in chain: Chain) -> Bool {
        store.task(task)?.chain == chain.id
    }

    /// The chain's end in a sentence's words: `succeeded in 12.1 ms, recovered from KinesisError.throttled`.
    package func summary(of chain: Chain, isASCII: Bool = false) -> String {
        let time = timings(of: chain).total
        let after = { (word: String) in time.map { " \(word) \(DurationText.text($0, isASCII: isASCII))" } ?? "" }
        switch end(of: chain) {
        case .open(let count):
            return "\(CountText.text(count)) of \(CountText.text(chain.tasks.count, "task")) \(count == 1 ? "has" : "have") not ended"
        case .succeeded:
            return "succeeded" + after("in") + recovery(in: chain)
        case .faulted(let last):
            return "failed" + after("after") + failure(of: last)
        case .cancelled:
            return "cancelled" + after("after")
        }
    }

    /// The error that a body of the chain read before it succeeded.
    private func recovery(in chain: Chain) -> String {
        let faults = FaultAnalysis(store)
        guard let task = chain.tasks.lazy.compactMap({ store.task($0) }).first(where: { faults.role(of: $0) == .recovered }) else {
            return ""
        }
        guard let read = task.continuedTask.flatMap({ store.task($0) }), read.state == .faulted else { return ", recovered from an error" }
        return ", recovered from \(ErrorText.text(store.entries.error(read.error)))"
    }

    private func failure(of task: TaskID) -> String {
        guard let task = store.task(task) else { return "" }
        let error = ErrorText.text(store.entries.error(task.error))
        return switch FaultAnalysis(store).endOfPath(at: task) {
        case .read: ": \(error), which was read outside of the tasks"
        case .swallowed: ": \(error), and a join ended without it"
        case .unobserved: ": \(error), which nobody read"
        case .thrown, .injected, .forwarded, .transformed, .recovered, nil: ": \(error)"
        }
    }
}
