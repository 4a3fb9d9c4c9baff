import TaskEvents
import TraceStore

/// A line of a timeline: the jobs of a serial executor, the jobs on one thread, or the depth of a queue.
package struct SwimTrack: Sendable {
    /// The identity of a track, which stays the same while the view moves.
    package enum ID: Hashable, Sendable {
        /// The jobs of an executor that runs one at a time.
        case executor(ExecutorID)
        /// A pool's jobs on one thread. The executor is `.none` for all jobs of the thread.
        case thread(ExecutorID, lane: Int)
        /// The jobs that wait in the executor's queue.
        case queue(ExecutorID)

        package var executor: ExecutorID {
            switch self {
            case .executor(let executor), .thread(let executor, _), .queue(let executor): executor
            }
        }

        package var isQueue: Bool {
            if case .queue = self { true } else { false }
        }
    }

    package var id: ID
    /// Ordered by start time. Of the jobs shorter than a column, only the longest in each column is kept.
    package var bars: [SwimBar] = []
    /// One element per column; none for a queue.
    package var cells: [SwimCell] = []
    /// The queue's greatest depth in each column; nil where it is unknown, and after the end. Empty for jobs.
    package var depths: [UInt32?] = []
}

/// A job on its track.
package struct SwimBar: Hashable, Sendable {
    package var job: JobRecord
    /// Whether the job has not ended. Its `until` is then the time of the picture.
    package var isRunning: Bool
    /// The visible columns that the job covers at least in part.
    package var columns: Range<Int>
}

/// One column of a track.
package struct SwimCell: Hashable, Sendable {
    /// Nanoseconds of the column in which jobs ran. More than the column has where a body runs within another one.
    package var busy: UInt64 = 0
    /// The index of the bar with the largest part of these nanoseconds.
    package var bar: Int?
    /// Nanoseconds of that bar in the column.
    package var share: UInt64 = 0
    /// Whether jobs ran in the column that have no bar of their own, because they are shorter than the column.
    package var isDense = false
}

/// A hop of the selected job: a line from one row to another.
package struct SwimArrow: Hashable, Sendable {
    /// Rows of the timeline, visible or not.
    package var from: Int
    package var to: Int
    package var column: Int
    /// The columns in which the job waited in the queue of its new executor.
    package var wait: Range<Int>
}
