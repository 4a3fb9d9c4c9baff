import TaskEvents
import TraceStore
import TraceTransport

/// Generates the events of a busy program: 64 chains at a time on four threads. Each chain is a root with four continuations, the last of
/// them on main. One task in fifty throws, and the rest of its chain is skipped.
struct BusyProgram {
    private static let main = ExecutorID(rawValue: 1)
    private static let net = ExecutorID(rawValue: 2)
    private static let label = EntryID(rawValue: 7)
    private static let error = EntryID(rawValue: 9)

    let entries: EntryTable
    private var chains = Array(repeating: Chain(), count: 64)
    private var time: UInt64 = 0
    private var lastTask: UInt64 = 0
    private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

    private struct Chain {
        var links = 0
        var step = Step.create
        var task: UInt64 = 0
        var last: UInt64 = 0
        var isFaulted = false

        /// Moves on to the next link of the chain, or begins a new chain.
        mutating func advance() {
            self = links == 4 ? Chain() : Chain(links: links + 1, last: task, isFaulted: isFaulted)
        }
    }

    private enum Step {
        case create, enqueue, start, end, skip
    }

    init() {
        var entries = EntryTable()
        entries.append(.none)
        entries.append(.text("main"))
        entries.append(.executor(Self.main, name: EntryID(rawValue: 1), kind: .main))
        entries.append(.text("net"))
        entries.append(.executor(Self.net, name: EntryID(rawValue: 3), kind: .pool))
        entries.append(.text("task"))
        entries.append(.text("App/main.swift"))
        entries.append(.label(name: EntryID(rawValue: 5), file: EntryID(rawValue: 6), line: 7))
        entries.append(.text("Throttled"))
        entries.append(.error(type: EntryID(rawValue: 8), message: EntryID(rawValue: 8), thrownBy: .none))
        self.entries = entries
    }

    /// The next events; their number may differ a little from `count`.
    mutating func next(_ count: Int) -> TraceBatch {
        var batch = TraceBatch()
        batch.events.reserveCapacity(count + 4)
        batch.lanes.reserveCapacity(count + 4)
        while batch.events.count < count {
            time += 20
            advance(chain: Int(draw(64)), into: &batch)
        }
        return batch
    }

    private mutating func draw(_ count: UInt64) -> UInt64 {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return random % count
    }

    private mutating func advance(chain index: Int, into batch: inout TraceBatch) {
        var chain = chains[index]
        let executor = chain.links == 4 ? Self.main : Self.net
        func emit(_ kind: EventKind, other: UInt64 = 0, label: EntryID = .none, detail: UInt8 = 0) {
            batch.events.append(
                TaskEvent(
                    kind, task: TaskID(rawValue: chain.task), at: time, other: other, executor: executor, label: label, detail: detail))
            batch.lanes.append(UInt16(index % 4))
        }
        switch chain.step {
        case .create:
            lastTask += 1
            chain.task = lastTask
            let kind = chain.links == 0 ? TaskKind.root : .continuation
            emit(.created, other: chain.last, label: Self.label, detail: kind.rawValue)
            chain.step = chain.isFaulted ? .skip : .enqueue
        case .enqueue:
            if chain.links > 0 { emit(.hopped, other: UInt64(Self.net.rawValue)) }
            emit(.enqueued)
            chain.step = .start
        case .start:
            emit(.started, detail: StartManner.dequeued.rawValue)
            chain.step = .end
        case .end:
            chain.isFaulted = draw(50) == 0
            emit(chain.isFaulted ? .faulted : .completed, label: chain.isFaulted ? Self.error : .none)
            emit(.jobEnded)
            chain.advance()
        case .skip:
            emit(.skipped, other: chain.last)
            emit(.faulted, other: chain.last, label: Self.error, detail: FaultManner.forwarded.rawValue)
            chain.advance()
        }
        chains[index] = chain
    }
}
