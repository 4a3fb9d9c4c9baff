import Foundation
import TaskRuntime

// Non-failable tasks have no errors, no conditions and no cancellation. A body that does not throw makes one, unless the result's type asks
// for a `Task`.

/// Makes a task whose body returns its value.
///
/// - `queue`: runs the body; it must run several operations at a time. Default: a pool of 64 threads.
/// - `observers`: notified of the start and the finish, in this order.
/// - `name`: the task's name in the trace. Default: the calling function.
public func async<V>(
    _ queue: OperationQueue? = nil, observers: [TaskObserver] = [], name: String? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, function: StaticString = #function, closure: @escaping @Sendable () -> V
) -> NonFailableTask<V> {
    asyncEx(queue, observers: observers, name: name, fileID: fileID, line: line, function: function) { task in
        task.end(with: closure(), .own)
    }
}

/// Makes a task whose body receives the task. The body, or code that it starts, must finish the task, on any thread. Until then the task is
/// pending, even after the body has returned.
public func asyncEx<V>(
    _ queue: OperationQueue? = nil, observers: [TaskObserver] = [], name: String? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, function: StaticString = #function, closure: @escaping @Sendable (NonFailableTask<V>) -> Void
) -> NonFailableTask<V> {
    let executor = Executors.executor(for: queue)
    let chainTask = ChainTask<V>(unsentFor: executor, TaskLabel(name, or: function, fileID, line))
    return NonFailableTask(chainTask, on: executor, observers, closure)
}
