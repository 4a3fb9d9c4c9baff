import TaskEvents
import TraceStore
import TraceTransport

/// Generates the events of a Swift program under the probe: 64 tasks at a time on four threads. Each task is created by the task whose slot
/// it takes, and hops to main and back.
struct SwiftProgram {
    private static let main = ExecutorID(rawValue: 1)
    private static let global = ExecutorID(rawValue: 2)
    private static let label = EntryID(rawValue: 6)

    let entries: EntryTable
    private var tasks = (1...64).map { Task(id: $0) }
    private var time: UInt64 = 0
    private var lastTask: UInt64 = 64
    private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

    private struct Task {
        var id: UInt64
        var maker: UInt64 = 0
        var step = Step.create
    }

    private enum Step {
        case create, start, hopToMain, startOnMain, hopBack, startAgain, end
    }

    init() {
        var entries = EntryTable()
        entries.append(.none)
        entries.append(.text("main"))
        entries.append(.executor(Self.main, name: EntryID(rawValue: 1), kind: .main))
        entries.append(.text("global"))
        entries.append(.executor(Self.global, name: EntryID(rawValue: 3), kind: .global))
        entries.append(.text("task"))
        entries.append(.label(name: EntryID(rawValue: 5), file: EntryID(rawValue: 5), line: 7))
        self.entries = entries
    }

    /// The next events; their number may differ a little from `count`.
    mutating func next(_ count: Int) -> TraceBatch {
        var batch = TraceBatch()
        while batch.events.count < count {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            advance(task: Int(random % 64), into: &batch)
        }
        return batch
    }

    private mutating func advance(task index: Int, into batch: inout TraceBatch) {
        var task = tasks[index]
        func emit(_ kind: EventKind, on executor: ExecutorID, other: UInt64 = 0, label: EntryID = .none, detail: UInt8 = 0) {
            time += 20
            batch.events.append(
                TaskEvent(kind, task: TaskID(rawValue: task.id), at: time, other: other, executor: executor, label: label, detail: detail))
            batch.lanes.append(UInt16(index % 4))
        }
        func start(on executor: ExecutorID) {
            emit(.started, on: executor, detail: StartManner.slice.rawValue)
        }
        func hop(from: ExecutorID, to: ExecutorID) {
            emit(.suspended, on: from, detail: SuspensionReason.executor.rawValue)
            emit(.hopped, on: to, other: UInt64(from.rawValue))
            emit(.enqueued, on: to)
        }
        switch task.step {
        case .create:
            emit(.created, on: Self.global, other: task.maker, label: Self.label, detail: TaskKind.unstructured.rawValue)
            emit(.enqueued, on: Self.global)
            task.step = .start
        case .start:
            start(on: Self.global)
            task.step = .hopToMain
        case .hopToMain:
            hop(from: Self.global, to: Self.main)
            task.step = .startOnMain
        case .startOnMain:
            start(on: Self.main)
            task.step = .hopBack
        case .hopBack:
            hop(from: Self.main, to: Self.global)
            task.step = .startAgain
        case .startAgain:
            start(on: Self.global)
            task.step = .end
        case .end:
            emit(.completed, on: Self.global)
            lastTask += 1
            task = Task(id: lastTask, maker: task.id)
        }
        tasks[index] = task
    }
}
