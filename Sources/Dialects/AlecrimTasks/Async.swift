import Foundation
import TaskRuntime

// Failable tasks. Each function starts its task and returns at once. The original has one overload for each combination of conditions and
// observers; here they are parameters with defaults.

/// Makes a task whose body returns its value or throws its error. An error with the code `NSUserCancelledError` cancels the task.
///
/// - `queue`: runs the body; it must run several operations at a time. Default: a pool of 64 threads.
/// - `conditions`: evaluated in this order; all must be satisfied before the body starts.
/// - `observers`: notified of the start and the finish, in this order.
/// - `name`: the task's name in the trace. Default: the calling function.
public func async<V>(
    _ queue: OperationQueue? = nil, conditions: [TaskCondition] = [], observers: [TaskObserver] = [], name: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function, closure: @escaping @Sendable () throws -> V
) -> Task<V> {
    asyncEx(queue, conditions: conditions, observers: observers, name: name, fileID: fileID, line: line, function: function) { task in
        do {
            task.end(with: try closure(), .own)
        } catch {
            task.end(with: error, .own)
        }
    }
}

/// Makes a task with one condition.
public func async<V>(
    _ queue: OperationQueue? = nil, condition: TaskCondition, observers: [TaskObserver] = [], name: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function, closure: @escaping @Sendable () throws -> V
) -> Task<V> {
    async(
        queue, conditions: [condition], observers: observers, name: name, fileID: fileID, line: line, function: function, closure: closure)
}

/// Makes a task whose body receives the task. The body, or code that it starts, must finish the task, on any thread. Until then the task is
/// pending, even after the body has returned.
public func asyncEx<V>(
    _ queue: OperationQueue? = nil, conditions: [TaskCondition] = [], observers: [TaskObserver] = [], name: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function, closure: @escaping @Sendable (Task<V>) -> Void
) -> Task<V> {
    let executor = Executors.executor(for: queue)
    let chainTask = ChainTask<V>(unsentFor: executor, TaskLabel(name, or: function, fileID, line))
    return Task(chainTask, on: executor, conditions, observers, closure)
}

/// Makes a task with one condition, whose body receives the task and must finish it.
public func asyncEx<V>(
    _ queue: OperationQueue? = nil, condition: TaskCondition, observers: [TaskObserver] = [], name: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function, closure: @escaping @Sendable (Task<V>) -> Void
) -> Task<V> {
    asyncEx(
        queue, conditions: [condition], observers: observers, name: name, fileID: fileID, line: line, function: function, closure: closure)
}

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
