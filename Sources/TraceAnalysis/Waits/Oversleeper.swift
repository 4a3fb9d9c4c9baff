import TaskEvents
import TraceStore

/// A child of a task group that still sleeps when most of its siblings of the same place have ended, and ten times as long as any of them
/// lived. A trace does not have the time that a sleep asks for, so a sleep is measured against its siblings. The group waits for it.
struct Oversleeper {
    /// The task that waits for the group.
    let parent: TaskID
    /// The number of siblings of the same place that have ended.
    private(set) var ended = 0
    /// Nanoseconds of the longest life of one that has ended.
    private(set) var longest: UInt64 = 0

    private static let leastEnded = 2
    private static let factor: UInt64 = 10
    /// The largest number of siblings that are counted.
    private static let siblingLimit = 256
    /// From this number of open siblings on, as many must have ended, or the count stops: thousands of children may sleep in one group, and
    /// each would count all others.
    private static let openLimit = 8

    /// Nil for every other task. A loop that sleeps between its turns has slept there before.
    init?(_ task: TaskView, _ since: UInt64, _ store: TraceStore) {
        guard task.kind == .groupChild, !task.isBackAtPlace, let parent = task.structuredParent.flatMap({ store.task($0) }),
            parent.state == .suspended, parent.suspension == .group
        else { return nil }
        self.parent = parent.id
        var open = 0
        for id in parent.successors.prefix(Self.siblingLimit) {
            guard let sibling = store.task(id), sibling.kind == .groupChild, sibling.labelID == task.labelID else { continue }
            guard let end = sibling.ended else {
                open += 1
                if open >= Self.openLimit, open > ended { return nil }
                continue
            }
            ended += 1
            longest = max(longest, end - min(end, sibling.created ?? end))
        }
        guard store.now > since, (store.now - since) / Self.factor > longest else { return nil }
        guard ended >= Self.leastEnded, ended > open else { return nil }
    }
}
