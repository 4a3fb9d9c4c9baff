/// What a task is called and where that was said, as the dialects' methods hand it on.
package struct TaskLabel: Sendable {
    /// Nil for a task that is called after ``fallback``.
    let name: String?
    let fallback: StaticString
    let fileID: StaticString
    let line: UInt

    package init(_ name: String?, or fallback: StaticString, _ fileID: StaticString, _ line: UInt) {
        self.name = name
        self.fallback = fallback
        self.fileID = fileID
        self.line = line
    }
}
