/// A condition for tasks of which no two are to run at the same time: those with the same category.
///
/// A task has its turn before any of its conditions is evaluated, in the order in which tasks were made, and gives it up when it is
/// finished and its body has returned, so that never two bodies of a category run. (The original gives it up when the task is finished,
/// also while the body of a cancelled one still runs.) One that is cancelled while it waits for its turn gives that up at once. (The
/// original never lets the next one go on then: its own change log names the bug, fixed in 2.1.1.)
///
/// The condition excludes only where it stands in the list of a task itself: as a subcondition, or in a ``NegateTaskCondition`` or
/// ``SilentTaskCondition``, it is just satisfied, as in the original. Waiting blocks no thread.
public final class MutuallyExclusiveTaskCondition: TaskCondition, @unchecked Sendable {
    public enum DefaultCategory: String, Sendable {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        /// What may show the user a modal alert.
        case Alert = "com.alecrim.AlecrimAsyncKit.MutuallyExclusiveTaskCondition.DefaultCategory.Alert"
    }

    public let categoryName: String

    public convenience init(_ defaultCategory: DefaultCategory, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(defaultCategory.rawValue, fileID: fileID, line: line)
    }

    /// The trace calls the condition by its category.
    public init(_ categoryName: String, fileID: StaticString = #fileID, line: UInt = #line) {
        self.categoryName = categoryName
        super.init(name: categoryName, fileID: fileID, line: line) { result in result(.Satisfied) }
    }
}
