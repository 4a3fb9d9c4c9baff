import AWSTasks
import TaskRuntime

extension SwiftTask {
    /// Succeeds with nil when all have succeeded, and waits for all in any case. No tasks: it has succeeded.
    ///
    /// An error, or an exception, beats a cancellation, as in Bolts since 1.1.5; in the Bolts of the README's day a cancellation won. One
    /// is passed on as it is; several become an error of domain `bolts` and code 80175001, which has them under `errors` in the order in
    /// which they came, exceptions as ``SwiftTaskException``.
    public static func taskForCompletionOfAllTasks(
        _ tasks: [SwiftTask], name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> SwiftTask {
        let label = TaskLabel(name, or: "taskForCompletionOfAllTasks", fileID, line)
        return SwiftTask(chain: .all(tasks.map(\.chain), label) { nil })
    }
}
