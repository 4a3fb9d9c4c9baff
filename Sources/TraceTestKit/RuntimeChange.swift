/// A change of a copy of the Swift Concurrency runtime. ``RuntimeCopy`` makes the copy.
package enum RuntimeChange: Hashable, Sendable {
    /// Without the symbol table, as distributions ship it.
    case stripped
    /// Without one exported symbol.
    case without(String)
    /// Another text in place of one in names, of the same length: a function that a later version names otherwise.
    case renamed(String, to: String)
    /// Another number in a variable of four bytes.
    case variable(String, UInt32)
    /// An exported variable that is another one.
    case variableIs(String, String)
    /// A child's fragment of 32 or 64 bytes, after which the group's address follows. It has 16 bytes in Swift 6.3, and 24 in Swift 6.4.
    case childFragment(size: Int)
    /// Another number for the kind of a dependency, 1 to 4.
    case dependencyKind(UInt8, as: UInt8)
    /// Dependency records without the address of their task.
    case noBackPointer
    /// Another number for the kind of the record of a name, which is 6.
    case nameKind(UInt8)
}

/// The reason why a changed copy cannot be made.
package struct RuntimeNotMade: Error {
    package let reason: String
}
