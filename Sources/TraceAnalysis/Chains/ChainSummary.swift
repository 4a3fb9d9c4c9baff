import TaskEvents
import TraceStore
import TraceTransport

/// The end of a chain, or its state so far: the worst state among its last tasks, which no task in the chain continues.
package enum ChainEnd: Hashable, Sendable {
    /// This many of its tasks have not ended.
    case open(Int)
    case succeeded
    /// One of its last tasks failed.
    case faulted(last: TaskID)
    case cancelled
}

extension ChainAnalysis {
    /// Nanoseconds from the first creation to the last end, or to now if a task has not ended. Nil if the trace has no creation.
    package func duration(of chain: Chain) -> UInt64? {
        let tasks = chain.tasks.compactMap { store.task($0) }
        guard let created = tasks.lazy.compactMap(\.created).min() else { return nil }
        let ended = tasks.allSatisfy(\.state.hasEnded) ? tasks.lazy.compactMap(\.ended).max() : store.now
        return ended.map { $0 > created ? $0 - created : 0 }
    }

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

    /// The chain's end as part of a sentence: `succeeded in 12.1 ms, recovered from KinesisError.throttled`.
    package func summary(of chain: Chain, isASCII: Bool = false) -> String {
        let time = duration(of: chain)
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
        case .read: ": \(error), which \(task.endedTheProgram ? "ended the program" : "was read outside of the tasks")"
        case .swallowed: ": \(error), and a join ended without it"
        case .unobserved: ": \(error), which was never read"
        case .thrown, .injected, .forwarded, .transformed, .recovered, nil: ": \(error)"
        }
    }
}

/// The executors that a chain's jobs ran on, in order: `net → main → net → main`.
package struct ChainWay: Hashable, Sendable {
    /// No two neighbours are equal. The first is the executor before the chain's first hop.
    package var executors: [ExecutorID]
    /// The number of hops of the chain's tasks, including hops that stayed on their executor.
    package var hopCount: Int
    /// Nanoseconds that the jobs waited after their hops.
    package var wait: UInt64
    /// Nanoseconds from the chain's beginning to its end, or to now. Nil if the trace does not have the beginning.
    package var total: UInt64?
    /// Whether the chain has more hops than were examined.
    package var isPartial: Bool
}

extension ChainAnalysis {
    /// The executors of the task's chain, ordered by the time of the hops. Nil if the store does not keep the task.
    package func way(of task: TaskID, limit: Int = 1024) -> ChainWay? {
        guard let chain = chain(of: task, limit: limit), let first = chain.tasks.first.flatMap({ store.task($0) }) else { return nil }
        let hops = chain.tasks.lazy.compactMap { store.task($0) }.flatMap(\.hops).sorted { ($0.at, $0.task) < ($1.at, $1.task) }
        var way = ChainWay(executors: [], hopCount: hops.count, wait: 0, total: duration(of: chain), isPartial: chain.isPartial)
        func visit(_ executor: ExecutorID) {
            if executor != .none, way.executors.last != executor { way.executors.append(executor) }
        }
        if hops.first?.from ?? ExecutorID.none == ExecutorID.none { visit(first.executor) }
        for hop in hops {
            visit(hop.from)
            visit(hop.to)
            way.wait = way.wait.plus(hop.wait ?? 0)
        }
        return way
    }
}
