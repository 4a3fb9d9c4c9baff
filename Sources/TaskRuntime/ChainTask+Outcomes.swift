import TaskEvents

/// What several tasks come to, in the order in which they end: `for await outcome in ChainTask.outcomes(of: tasks) { … }`.
///
/// It ends after the last one. Taking an outcome out reads its error, if it has one; an outcome that is never taken is not read. Each
/// iteration begins anew, with those that have ended by then in their order in the list. It holds no task that has not ended, stops none,
/// and leaves nothing in the trace; when the Swift task that iterates is cancelled, it ends early.
public struct TaskOutcomes<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Outcome<Value>
    public typealias Failure = Never

    private let tasks: [ChainTask<Value>]

    init(of tasks: [ChainTask<Value>]) {
        self.tasks = tasks
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(ended: Self.ended(of: tasks).makeAsyncIterator())
    }

    /// The tasks as they end. The stream's buffer is no longer than the list.
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

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var ended: AsyncStream<ChainTask<Value>>.Iterator

        /// The next outcome, as soon as there is one; nil after the last.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Outcome<Value>? {
            await ended.next(isolation: actor)?.outcome
        }
    }
}

extension ChainTask {
    /// What the tasks come to, as they end.
    public static func outcomes(of tasks: [ChainTask<Value>]) -> TaskOutcomes<Value> {
        TaskOutcomes(of: tasks)
    }
}
