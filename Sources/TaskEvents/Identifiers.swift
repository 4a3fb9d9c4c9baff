/// A task's number, assigned in order of creation and never reused. 0 means no task.
@_documentation(visibility: internal)
public struct TaskID: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    @inlinable
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    @inlinable public static var none: TaskID { TaskID(rawValue: 0) }

    /// Blocks are numbered apart from tasks, from this number on and below twice this number.
    @inlinable public static var firstBlock: UInt64 { 1 << 34 }

    /// Whether it is the number of a block, not of a task.
    @inlinable public var isBlock: Bool { rawValue >> 34 == 1 }

    /// The number as it is shown: blocks are counted from 1, as tasks are.
    @inlinable public var shown: UInt64 { isBlock ? rawValue & (Self.firstBlock - 1) : rawValue }

    /// `task 12`, `block 3`.
    package var words: String { "\(isBlock ? "block" : "task") \(shown)" }

    @inlinable
    public static func < (one: TaskID, other: TaskID) -> Bool {
        one.rawValue < other.rawValue
    }
}

/// An executor's number in one recording of this process, from 1. 0 means no executor.
@_documentation(visibility: internal)
public struct ExecutorID: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt16

    @inlinable
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    @inlinable public static var none: ExecutorID { ExecutorID(rawValue: 0) }

    /// The number of every executor beyond 65,534 at a time, and beyond 65,534 in one recording.
    @inlinable public static var overflow: ExecutorID { ExecutorID(rawValue: .max) }

    @inlinable
    public static func < (one: ExecutorID, other: ExecutorID) -> Bool {
        one.rawValue < other.rawValue
    }
}

/// The id of an entry in a trace's table of names, call sites, errors and executors. 0 means no entry.
@_documentation(visibility: internal)
public struct EntryID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @inlinable public static var none: EntryID { EntryID(rawValue: 0) }
}
