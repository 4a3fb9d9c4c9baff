import TaskEvents

/// Where a task's time went: the segments of its critical path that are alike added up, and compared with those of the task's peers.
package struct TimeExplanation: Sendable {
    /// The part of the path that is of one kind, at one place and on one executor.
    package struct Segment: Sendable {
        package var kind: CriticalPath.Segment.Kind
        package var nanoseconds: UInt64
        /// The task to which most of it belongs: the explained one, or one that it waited for.
        package var task: TaskID
        /// Its executor; `.none` for `awaiting`.
        package var executor: ExecutorID
        /// The calls in which it blocks or awaits. `.none` if unknown.
        package var calls: EntryID
        package var wait: WaitsFor.Kind?
        /// For `queued`, the job that held the executor for the longest part of it. Nil if the trace shows none.
        package var behind: Holder?
        /// The median of the same segment's time over the peers; 0 if most of them have no such segment. Nil without peers.
        package var peersMedian: UInt64?
    }

    /// A job of a task, or a closure of no task.
    package struct Holder: Hashable, Sendable {
        package var task: TaskID
        /// The name and site of a closure.
        package var closure: EntryID
    }

    package let task: TaskID
    /// From the task's creation to its end, or until now. Nil if one of them is unknown.
    package let total: UInt64?
    /// The largest first. Their sum is ``total``. Nil if they are unknown.
    package let segments: [Segment]?
    /// Why the segments are unknown.
    package let blindness: Blindness?
    /// The number of peers compared: tasks made at the same place that have ended.
    package let peerCount: Int
}
