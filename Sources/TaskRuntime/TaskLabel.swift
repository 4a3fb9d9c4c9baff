/// What a task is called and where that was said, as the dialects' methods hand it on.
package struct TaskLabel: Sendable {
    /// Nil for a task that is called after ``fallback``.
    let name: String?
    let fallback: StaticString
    let file: StaticString
    let line: UInt

    package init(_ name: String?, or fallback: StaticString, _ file: StaticString, _ line: UInt) {
        self.name = name
        self.fallback = fallback
        self.file = file
        self.line = line
    }
}
