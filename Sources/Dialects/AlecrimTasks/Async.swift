import Foundation
import TaskRuntime

// Failable tasks. All of these return at once, and the body is on its way without further ado.
//
// The forms of the original with and without conditions and observers are one here, with defaults.

/// A task with a body that returns its value or throws its error. An error with the code `NSUserCancelledError` cancels it.
///
/// - `queue`: where the body runs. It has to run several operations at a time. Without one, that is a pool of 64 threads.
/// - `conditions`: what has to hold before the body begins, in the order of its evaluation.
/// - `observers`: who is told of the start and the finish, in that order.
/// - `name`: what the trace calls the task; without one it is called after the calling function.
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

/// A task with one condition.
public func async<V>(
    _ queue: OperationQueue? = nil, condition: TaskCondition, observers: [TaskObserver] = [], name: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function, closure: @escaping @Sendable () throws -> V
) -> Task<V> {
    async(
        queue, conditions: [condition], observers: observers, name: name, fileID: fileID, line: line, function: function, closure: closure)
}

/// A task with a body that is handed the task, and finishes it or has somebody finish it, from any thread. Until then the task is pending,
/// though the body may have returned: who waits for one that nobody finishes waits for ever.
public func asyncEx<V>(
    _ queue: OperationQueue? = nil, conditions: [TaskCondition] = [], observers: [TaskObserver] = [], name: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function, closure: @escaping @Sendable (Task<V>) -> Void
) -> Task<V> {
    let executor = Executors.executor(for: queue)
    let chainTask = ChainTask<V>(unsentFor: executor, TaskLabel(name, or: function, fileID, line))
    return Task(chainTask, on: executor, conditions, observers, closure)
}

/// Such a task with one condition.
public func asyncEx<V>(
    _ queue: OperationQueue? = nil, condition: TaskCondition, observers: [TaskObserver] = [], name: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function, closure: @escaping @Sendable (Task<V>) -> Void
) -> Task<V> {
    asyncEx(
        queue, conditions: [condition], observers: observers, name: name, fileID: fileID, line: line, function: function, closure: closure)
}
