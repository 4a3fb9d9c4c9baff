import AWSTasks
import TaskRuntime

extension SwiftTask {
    /// Waits for all tasks, and succeeds with nil if all have succeeded. Without tasks it succeeds at once.
    ///
    /// An error or exception takes precedence over a cancellation, as in Bolts since 1.1.5. (When the README was written, Bolts gave the
    /// cancellation precedence.) A single error is passed on unchanged. Several become an error of domain `bolts` and code 80175001, with
    /// the errors under `errors` in the order of their occurrence; exceptions are ``SwiftTaskException``s.
    public static func taskForCompletionOfAllTasks(
        _ tasks: [SwiftTask], name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> SwiftTask {
        let label = TaskLabel(name, or: "taskForCompletionOfAllTasks", fileID, line)
        return SwiftTask(chain: .all(tasks.map(\.chain), label) { nil })
    }
}
