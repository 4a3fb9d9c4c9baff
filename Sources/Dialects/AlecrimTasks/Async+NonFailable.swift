import Foundation
import TaskRuntime

// Non-failable tasks: without errors, conditions and cancellation. Where the type of the result decides nothing, a body that throws nothing
// makes one of these.

/// A task with a body that returns its value.
///
/// - `queue`: where the body runs. It has to run several operations at a time. Without one, that is a pool of 64 threads.
/// - `observers`: who is told of the start and the finish, in that order.
/// - `name`: what the trace calls the task; without one it is called after the calling function.
public func async<V>(
    _ queue: OperationQueue? = nil, observers: [TaskObserver] = [], name: String? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, function: StaticString = #function, closure: @escaping @Sendable () -> V
) -> NonFailableTask<V> {
    asyncEx(queue, observers: observers, name: name, fileID: fileID, line: line, function: function) { task in
        task.end(with: closure(), .own)
    }
}

/// A task with a body that is handed the task, and finishes it or has somebody finish it, from any thread. Until then the task is pending,
/// though the body may have returned: who waits for one that nobody finishes waits for ever.
public func asyncEx<V>(
    _ queue: OperationQueue? = nil, observers: [TaskObserver] = [], name: String? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, function: StaticString = #function, closure: @escaping @Sendable (NonFailableTask<V>) -> Void
) -> NonFailableTask<V> {
    let executor = Executors.executor(for: queue)
    let chainTask = ChainTask<V>(unsentFor: executor, TaskLabel(name, or: function, fileID, line))
    return NonFailableTask(chainTask, on: executor, observers, closure)
}
