import TaskEvents

/// The outcomes of several tasks, in the order in which they end: `for await outcome in ChainTask.outcomes(of: tasks) { … }`.
///
/// The sequence ends after the last outcome, or early if the iterating Swift task is cancelled. Receiving the outcome of a failed task
/// counts as reading its error; an outcome that is not received stays unread. Each iteration starts again, with the tasks that have ended
/// by then in their order in the list. An iterator retains no pending task, stops none, and leaves no events in the trace.
public struct TaskOutcomes<Value: Sendable>: AsyncSequence, Sendable {
    /// The outcome of one task.
    public typealias Element = Outcome<Value>
    /// The sequence does not throw: an error is the outcome of its task.
    public typealias Failure = Never

    private let tasks: [ChainTask<Value>]

    init(of tasks: [ChainTask<Value>]) {
        self.tasks = tasks
    }

    /// An iterator that begins with the first task that ends. One task at a time may use it.
    public func makeAsyncIterator() -> Iterator {
        Iterator(ended: Self.ended(of: tasks).makeAsyncIterator())
    }

    /// The tasks in the order in which they end. The stream's buffer is no longer than the list.
    private static func ended(of tasks: [ChainTask<Value>]) -> AsyncStream<ChainTask<Value>> {
        let (stream, arrivals) = AsyncStream.makeStream(of: ChainTask<Value>.self)
        guard !tasks.isEmpty else {
            arrivals.finish()
            return stream
        }
        let remaining = Guarded(tasks.count)
        for task in tasks {
            task.whenEnded { task, _, _ in
                // Under the lock, so that the stream finishes after the last arrival.
                remaining.withLock { remaining in
                    arrivals.yield(unsafeDowncast(task, to: ChainTask<Value>.self))
                    remaining -= 1
                    if remaining == 0 { arrivals.finish() }
                }
                return .over
            }
        }
        return stream
    }

    /// Returns the outcomes in the order in which the tasks end.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var ended: AsyncStream<ChainTask<Value>>.Iterator

        /// The next outcome, as soon as a task has ended; nil after the last.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Outcome<Value>? {
            await ended.next(isolation: actor)?.outcome
        }
    }
}

extension ChainTask {
    /// The outcomes of `tasks`, in the order in which they end.
    public static func outcomes(of tasks: [ChainTask<Value>]) -> TaskOutcomes<Value> {
        TaskOutcomes(of: tasks)
    }
}
