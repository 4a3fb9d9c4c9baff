/// A task's place in the store's table. Small numbers, given again after eviction: hold a `TaskID` across frames and a row within one.
package struct TaskRow: Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
