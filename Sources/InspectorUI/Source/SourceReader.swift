import TaskEvents

/// Reads the inspected program's source files, and opens them in the user's editor. Screens belong to one thread and call it there.
package protocol SourceReader: Sendable {
    func read(_ file: SourceFile) -> SourceText

    /// Opens a file at a line, and returns when the user has closed the editor. The terminal is free meanwhile. Returns the reason if the
    /// editor could not be started.
    func edit(_ file: SourceFile, at line: Int) -> String?
}

/// The contents of a source file.
package enum SourceText: Hashable, Sendable {
    case missing
    /// - Parameter isChanged: whether the file is newer than the program or the recording.
    case lines([String], isChanged: Bool)
}
