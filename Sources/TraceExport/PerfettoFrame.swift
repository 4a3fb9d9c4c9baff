import TaskEvents

/// What has begun on a thread and has not ended: a job of an executor's queue, or a stretch of a task's body.
struct PerfettoFrame {
    enum Kind: Equatable {
        /// `.none` for a raw closure.
        case job(TaskID)
        /// The how-manieth stretch of the body it is, from 1.
        case body(TaskID, stretch: Int)
    }

    var kind: Kind
    var start: UInt64
    /// The executor on whose track it is shown: the one whose job the thread runs, else the one asked for.
    var executor: ExecutorID
    var track: Int
    /// Of a job: bodies begun directly in it.
    var bodies = 0
    /// Hops that were made while nothing ran inside it.
    var sources: [Int] = []
    /// The hop that brought it here.
    var sink: Int?

    var job: TaskID? {
        if case .job(let task) = kind { return task }
        return nil
    }

    var body: TaskID? {
        if case .body(let task, _) = kind { return task }
        return nil
    }

    /// A job of nothing but one body has no slice of its own.
    var isShown: Bool {
        switch kind {
        case .body: true
        case .job(let task): task == .none || bodies != 1 || !sources.isEmpty
        }
    }
}
