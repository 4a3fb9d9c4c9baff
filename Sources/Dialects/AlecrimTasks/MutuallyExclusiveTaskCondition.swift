/// A condition that lets only one task of a category run at a time.
///
/// Tasks get their turn in the order of their creation, before any of their conditions is evaluated. A turn ends when the task is finished
/// and its body has returned, so no two bodies of a category overlap. (In the original it ends when the task is finished, even if the body
/// of a cancelled task still runs.) A task that is cancelled while it waits leaves the line at once. (In the original the line then stops
/// for good; its change log names the bug, fixed in 2.1.1.)
///
/// The condition excludes other tasks only if it is in a task's own list. As a subcondition, and inside a ``NegateTaskCondition`` or
/// ``SilentTaskCondition``, it is always satisfied, as in the original. Waiting blocks no thread.
public final class MutuallyExclusiveTaskCondition: TaskCondition, @unchecked Sendable {
    /// Categories that the library names.
    public enum DefaultCategory: String, Sendable {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        /// Tasks that show the user a modal alert.
        case Alert = "com.alecrim.AlecrimAsyncKit.MutuallyExclusiveTaskCondition.DefaultCategory.Alert"
    }

    /// The name of the category, wherever in the process it is used.
    public let categoryName: String

    /// A condition of a category that the library names.
    public convenience init(_ defaultCategory: DefaultCategory, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(defaultCategory.rawValue, fileID: fileID, line: line)
    }

    /// The condition's name in the trace is its category.
    public init(_ categoryName: String, fileID: StaticString = #fileID, line: UInt = #line) {
        self.categoryName = categoryName
        super.init(name: categoryName, fileID: fileID, line: line) { result in result(.Satisfied) }
    }
}
