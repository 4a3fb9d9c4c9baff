import TaskEvents
import TraceTransport

/// Keyframes of a long recording that hold only the latest few of its ended tasks.
///
/// A program that makes tasks all the time has replaced almost all rows of a full state soon after it. Each full keyframe then costs a copy
/// of all tables, and a budget of memory holds two or three of them. A sparse keyframe costs little more than the tasks that were open. The
/// other ended tasks come back if the fold begins early enough before the target.
struct SparseKeyframes: ~Copyable {
    /// The number of latest ended tasks in a keyframe. A task that continues an older one shows an antecedent that is not kept.
    private static let endedTasks = 1024

    /// The state after the noted events.
    private let store: TraceStore
    private var keyframes: Keyframes
    /// The number of latest ended tasks that a state has that is folded from a keyframe.
    private let wanted: Int

    init(of history: any EventHistory, wanted: Int, interval: Int, budget: Int) {
        store = TraceStore(retention: Retention(endedTasks: min(Self.endedTasks, wanted)), version: 0, history: history)
        keyframes = Keyframes(interval: interval, budget: budget, retention: Retention(endedTasks: wanted))
        keyframes.note(store.fold, number: 0)
        self.wanted = wanted
    }

    /// Follows the recording by its next events.
    mutating func note(_ batch: TraceBatch, _ entries: EntryTable) {
        if store.entries.count != entries.count { store.entries = entries }
        store.apply(batch)
        // The jobs before a keyframe would be larger than the rest of it. The fold brings the latest of them back.
        store.fold.lanes.jobs.forgetJobs()
        keyframes.note(store.fold, number: store.eventCount)
    }

    /// The last keyframe from which a fold up to `target` passes the ends of about the wanted number of tasks, or the first keyframe.
    func base(of target: Int) -> Keyframes.Frame? {
        let ended = endedCount(at: target)
        return keyframes.last { $0.number <= target && ended - $0.fold.endedCount >= wanted } ?? keyframes.frames.first
    }

    /// The number of tasks that have ended by an event, as if they ended at a constant rate between two keyframes.
    private func endedCount(at number: Int) -> Int {
        guard let before = keyframes.last(by: number) else { return 0 }
        let after = keyframes.frames.first { $0.number > number }
        let events = (after?.number ?? store.eventCount) - before.number
        let ended = (after?.fold.endedCount ?? store.fold.endedCount) - before.fold.endedCount
        return before.fold.endedCount + (events > 0 ? ended * (number - before.number) / events : 0)
    }
}

extension Fold {
    /// The number of tasks that have ended, evicted ones included.
    fileprivate var endedCount: Int { tasks.counts.evicted + chains.order.endedCount }
}
