import TaskEvents
import TraceTestKit

/// A trace of Swift tasks, as the probe emits it: slices on threads, with priorities, hops and awaits.
struct SwiftTrace {
    var trace: TraceBuilder
    let main, global: ExecutorID
    private var labels: [String: EntryID] = [:]
    private var lanes: [TaskID: UInt16] = [:]

    init(_ trace: TraceBuilder = TraceBuilder(at: 1)) {
        self.trace = trace
        main = self.trace.executor("main", .main)
        global = self.trace.executor("global", .global)
    }

    /// Continues a trace that has these names.
    init(_ trace: TraceBuilder, main: ExecutorID, global: ExecutorID) {
        self.trace = trace
        self.main = main
        self.global = global
    }

    mutating func wait(milliseconds: UInt64 = 0, microseconds: UInt64 = 0, nanoseconds: UInt64 = 0) {
        trace.advance(nanoseconds: nanoseconds, microseconds: microseconds, milliseconds: milliseconds)
    }

    /// Creates a task. Tasks with one name share one creation place.
    mutating func task(_ name: String, _ kind: TaskKind = .unstructured, by maker: TaskID = .none, line: UInt32? = nil) -> TaskID {
        let label = labels[name] ?? trace.label(name, line: line ?? UInt32(labels.count + 1))
        labels[name] = label
        let task = trace.reserveTask()
        trace.lane = lanes[maker] ?? 0
        trace.emit(TaskEvent(.created, task: task, other: maker.rawValue, label: label, detail: kind.rawValue))
        return task
    }

    mutating func task(labelled label: EntryID, _ kind: TaskKind = .unstructured, by maker: TaskID = .none) -> TaskID {
        let task = trace.reserveTask()
        trace.lane = lanes[maker] ?? 0
        trace.emit(TaskEvent(.created, task: task, other: maker.rawValue, label: label, detail: kind.rawValue))
        return task
    }

    mutating func enqueue(_ task: TaskID, on executor: ExecutorID, priority: UInt8 = 21, by other: TaskID = .none) {
        trace.lane = lanes[other] ?? 0
        trace.emit(TaskEvent(.enqueued, task: task, other: other.rawValue, executor: executor, detail: priority))
    }

    /// Begins a slice on a thread; main's slices are on main's thread.
    mutating func begin(_ task: TaskID, on executor: ExecutorID, lane: UInt16 = 10) {
        lanes[task] = executor == main ? 1 : lane
        trace.lane = lanes[task]!
        trace.start(task, .slice, on: executor)
    }

    /// Begins an `async` main, which no executor dequeues, on main's thread.
    mutating func beginMain(_ task: TaskID) {
        lanes[task] = 1
        trace.lane = 1
        trace.start(task, .inline, on: main)
    }

    mutating func suspend(
        _ task: TaskID, _ reason: SuspensionReason = .continuation, awaiting other: TaskID = .none, on executor: ExecutorID = .none,
        at code: EntryID = .none
    ) {
        trace.lane = lanes[task] ?? 0
        trace.emit(
            TaskEvent(.suspended, task: task, other: other.rawValue, executor: executor, label: code, detail: reason.rawValue))
    }

    /// The task leaves its executor for another, through that one's queue.
    mutating func leave(_ task: TaskID, from: ExecutorID, to: ExecutorID, priority: UInt8 = 21, at code: EntryID = .none) {
        suspend(task, .executor, on: from)
        trace.hop(task, from: from, to: to, at: code)
        trace.emit(TaskEvent(.enqueued, task: task, executor: to, detail: priority))
    }

    /// The task moves to a free actor inline.
    mutating func take(_ actor: ExecutorID, by task: TaskID) {
        trace.lane = lanes[task] ?? 0
        trace.hop(task, from: global, to: actor, .inline)
    }

    mutating func complete(_ task: TaskID) {
        trace.lane = lanes[task] ?? 0
        trace.complete(task)
    }

    /// A whole slice, at whose end the task ends.
    mutating func run(_ task: TaskID, on executor: ExecutorID, lane: UInt16 = 10, priority: UInt8 = 21, milliseconds: UInt64 = 1) {
        enqueue(task, on: executor, priority: priority)
        wait(microseconds: 5)
        begin(task, on: executor, lane: lane)
        wait(milliseconds: milliseconds)
        complete(task)
    }

    mutating func ask(_ task: TaskID) {
        trace.emit(TaskEvent(.cancellationAsked, task: task))
    }
}
