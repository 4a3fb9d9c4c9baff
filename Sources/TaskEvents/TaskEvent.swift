import CTraceLanes

/// One event: a record of a lane, with typed access to its fields.
///
/// `time` is in nanoseconds from the trace's start. Readers convert the region's ticks when they copy a record.
@_documentation(visibility: internal)
public struct TaskEvent: Sendable {
    public var record: trace_record

    @inlinable
    public init(record: trace_record) {
        self.record = record
    }

    /// Builds an event from its fields, for readers that report a loss and for tests.
    public init(
        _ kind: EventKind,
        task: TaskID = .none,
        at time: UInt64 = 0,
        other: UInt64 = 0,
        executor: ExecutorID = .none,
        label: EntryID = .none,
        detail: UInt8 = 0
    ) {
        record = trace_record(
            time: time, task: task.rawValue, other: other, label: label.rawValue, executor: executor.rawValue, kind: kind.rawValue,
            detail: detail)
    }

    /// Nil for a kind that a later version of the format added.
    @inlinable public var kind: EventKind? { EventKind(code: record.kind) }
    @inlinable public var kindCode: UInt8 { record.kind }
    @inlinable public var time: UInt64 { record.time }
    @inlinable public var task: TaskID { TaskID(rawValue: record.task) }
    @inlinable public var other: UInt64 { record.other }
    @inlinable public var otherTask: TaskID { TaskID(rawValue: record.other) }
    @inlinable public var executor: ExecutorID { ExecutorID(rawValue: record.executor) }
    @inlinable public var label: EntryID { EntryID(rawValue: record.label) }
    @inlinable public var detail: UInt8 { record.detail }

    /// Of a ``EventKind/choice``: its number in the order, from 1.
    package var choiceNumber: Int { Int(other & 0xFFFF_FFFF) }
    /// For a ``EventKind/choice``, the number of the task, block or thread, which is the same in every order of a program. 0 stands for
    /// several at once.
    package var strand: UInt32 { UInt32(other >> 32) }
}
