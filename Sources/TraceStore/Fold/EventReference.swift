import TaskEvents

/// A reference to an event in its batch, which avoids copying the event from function to function. Valid while the batch is being applied.
struct EventReference {
    let event: UnsafePointer<TaskEvent>

    @inline(__always) var time: UInt64 { event.pointee.time }
    @inline(__always) var task: TaskID { event.pointee.task }
    @inline(__always) var other: UInt64 { event.pointee.other }
    @inline(__always) var executor: ExecutorID { event.pointee.executor }
    @inline(__always) var label: EntryID { event.pointee.label }
    @inline(__always) var detail: UInt8 { event.pointee.detail }
    @inline(__always) var kind: EventKind? { event.pointee.kind }
}
