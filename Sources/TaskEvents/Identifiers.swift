/// A task's number: given in order of creation, never reused; 0 stands for no task.
package struct TaskID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    @inlinable
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static let none = TaskID(rawValue: 0)

    @inlinable
    package static func < (one: TaskID, other: TaskID) -> Bool {
        one.rawValue < other.rawValue
    }
}

/// An executor's number in this process, from 1; 0 stands for none.
package struct ExecutorID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt16

    @inlinable
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static let none = ExecutorID(rawValue: 0)

    /// Stands for every executor that was made after the 65,534th.
    package static let overflow = ExecutorID(rawValue: .max)

    @inlinable
    package static func < (one: ExecutorID, other: ExecutorID) -> Bool {
        one.rawValue < other.rawValue
    }
}

/// An entry of a trace's table of names, call sites, errors and executors; 0 stands for none.
package struct EntryID: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let none = EntryID(rawValue: 0)
}
