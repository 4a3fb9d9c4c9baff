import TaskEvents
import TraceStore

/// A child of a task group that still sleeps when most of its siblings of the same place have ended, and ten times as long as any of them
/// slept. A trace does not have the time that a sleep asks for, so a sleep is measured against its siblings'. The group waits for it.
struct Oversleeper {
    /// The task that waits for the group.
    let parent: TaskID
    /// The number of siblings of the same place that have ended.
    private(set) var ended = 0
    /// Nanoseconds of the longest sleep at that place that has ended.
    let longest: UInt64

    private static let leastEnded = 2
    private static let factor: UInt64 = 10
    /// Of a group with more children than this, only so many are counted.
    private static let siblingLimit = 256

    /// Nil for every other task. A loop that sleeps between its turns has slept there before.
    init?(_ task: TaskView, _ since: UInt64, _ store: TraceStore) {
        guard task.kind == .groupChild, !task.isBackAtPlace, let parent = task.structuredParent.flatMap({ store.task($0) }),
            parent.state == .suspended, parent.suspension == .group
        else { return nil }
        let sleeps = store.endedWaits(in: task.awaitedCalls)
        guard sleeps.count >= Self.leastEnded, store.now > since, (store.now - since) / Self.factor > sleeps.longest else { return nil }
        (self.parent, longest) = (parent.id, sleeps.longest)
        var open = 0
        for id in parent.successors.prefix(Self.siblingLimit) {
            guard let sibling = store.task(id), sibling.kind == .groupChild, sibling.labelID == task.labelID else { continue }
            if sibling.state.hasEnded { ended += 1 } else { open += 1 }
        }
        guard ended >= Self.leastEnded, ended > open else { return nil }
    }
}
