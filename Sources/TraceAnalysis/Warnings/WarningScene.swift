import TaskEvents
import TraceStore

/// A place in the program by the trace's entries: a file or, as the probe has it, code.
struct CallSite: Hashable {
    var file: EntryID
    var line: UInt32
}

/// What the rules look at: the store, the jobs that run, the time, and how complete the trace is. They report their findings to it.
package final class WarningScene {
    package let store: TraceStore
    /// The time of the event that is seen; while nothing is seen, the trace's.
    package internal(set) var now: UInt64
    /// Whether nothing will come after it: then what has not happened never will.
    package internal(set) var isOver = false {
        didSet { if isOver != oldValue { forgetPaths() } }
    }
    package internal(set) var jobs = ThreadJobs()
    var faults: FaultAnalysis { FaultAnalysis(store, isOver: isOver) }
    let hops: HopAnalysis
    /// When the latest loss of records was seen.
    var lastLoss: UInt64?
    /// The findings that were reported and not yet taken.
    var reported: [Finding] = []
    /// Paths of errors, for all rules that ask between two batches of events.
    private var paths: [TaskID: FaultPath] = [:]
    private var executors: [Known?] = []

    /// The facts of an executor that rules ask for again and again.
    private struct Known {
        var kind: ExecutorKind
        /// Whether it runs one job at a time.
        var isSerial: Bool

        init(_ description: ExecutorDescription) {
            kind = description.kind
            switch kind {
            case .main: isSerial = true
            // The probe tells so many actors of a type apart; the others have one number, and a name that says so.
            case .actor: isSerial = !description.name.hasSuffix("…")
            case .immediate, .default, .queue, .operationQueue, .pool, .custom, .global: isSerial = false
            }
        }
    }

    init(_ store: TraceStore) {
        self.store = store
        now = store.now
        hops = HopAnalysis(store)
    }

    /// The finding stands for good.
    func report(_ finding: Finding) {
        reported.append(finding)
    }

    /// How long ago `time` is.
    func elapsed(since time: UInt64) -> UInt64 {
        now > time ? now - time : 0
    }

    /// Whether the trace has everything that ever happened to the task: what follows from an event's absence holds for no other.
    func isWhole(_ task: TaskView) -> Bool {
        guard let created = task.created, !task.isSynthesised else { return false }
        return lastLoss.map { created > $0 } ?? true
    }

    /// Where in the program something was made, whatever it was called.
    func site(of label: EntryID) -> CallSite {
        guard case .label(_, let file, let line) = store.entries[label], file != .none else { return CallSite(file: label, line: 0) }
        return CallSite(file: file, line: line)
    }

    func kind(of executor: ExecutorID) -> ExecutorKind? {
        known(executor)?.kind
    }

    /// Whether it is main or one actor, which runs one job at a time.
    func isSerial(_ executor: ExecutorID) -> Bool {
        known(executor)?.isSerial ?? false
    }

    private func known(_ executor: ExecutorID) -> Known? {
        let index = Int(executor.rawValue)
        if index < executors.count, let known = executors[index] { return known }
        guard let description = store.entries.executor(executor) else { return nil }
        while executors.count <= index { executors.append(nil) }
        executors[index] = Known(description)
        return executors[index]
    }

    /// The way of the error that began in `origin`, as the store has it now.
    func path(from origin: TaskID) -> FaultPath? {
        if let path = paths[origin] { return path }
        let path = faults.path(from: origin)
        paths[origin] = path
        return path
    }

    /// The store has changed.
    func forgetPaths() {
        if !paths.isEmpty { paths.removeAll(keepingCapacity: true) }
    }
}
