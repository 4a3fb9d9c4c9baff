import TaskEvents
import TraceStore

/// A place in the program, by the trace's entries: a file, or a code address recorded by the probe.
struct CallSite: Hashable {
    var file: EntryID
    var line: UInt32
}

/// The facts that rules use: the store, the running jobs, the time, and the completeness of the trace. Rules report their findings to it.
package final class WarningScene {
    package let store: TraceStore
    /// The time of the current event. Between events, the trace's time.
    @exclusivity(unchecked) package internal(set) var now: UInt64
    /// Whether the trace has no further events. An event that has not happened by then never will.
    package internal(set) var isOver = false {
        didSet { if isOver != oldValue { forgetPaths() } }
    }
    @exclusivity(unchecked) package internal(set) var jobs = ThreadJobs()
    /// The slice that the current event ends, because its task suspends or ends.
    @exclusivity(unchecked) private(set) var endedSlice: ThreadJobs.Job?
    var faults: FaultAnalysis { FaultAnalysis(store, isOver: isOver) }
    let hops: HopAnalysis
    /// The time of the latest loss of records.
    var lastLoss: UInt64?
    /// The reported findings that the engine has not taken.
    var reported: [Finding] = []
    /// Paths of errors, shared by all rules between two batches of events.
    private var paths: [TaskID: FaultPath] = [:]
    @exclusivity(unchecked) private var executors: [Known?] = []

    /// The facts about an executor that rules need repeatedly.
    private struct Known {
        var kind: ExecutorKind
        /// Whether the executor runs one job at a time.
        var isSerial: Bool

        init(_ description: ExecutorDescription) {
            kind = description.kind
            isSerial = description.isSerial
        }
    }

    init(_ store: TraceStore) {
        self.store = store
        now = store.now
        hops = HopAnalysis(store)
    }

    /// Moves to an event, which the detectors see next.
    @inline(__always) func begin(_ event: TaskEvent, _ kind: EventKind, lane: Int) {
        now = event.time
        endedSlice = ThreadJobs.endKinds & ThreadJobs.bit(ofCode: kind.rawValue) != 0 ? jobs.slice(endedBy: event, lane: lane) : nil
    }

    /// Passes an event, which the detectors have seen, to the jobs.
    @inline(__always) func finish(_ event: TaskEvent, _ kind: EventKind, lane: Int) {
        guard ThreadJobs.kinds & ThreadJobs.bit(ofCode: kind.rawValue) != 0 else { return }
        jobs.apply(event, lane: lane, isOnMain: self.kind(of: event.executor) == .main)
    }

    /// Reports a finding that stays valid.
    func report(_ finding: Finding) {
        reported.append(finding)
    }

    /// Nanoseconds since `time`.
    func elapsed(since time: UInt64) -> UInt64 {
        now > time ? now - time : 0
    }

    /// Whether the trace has every event of the task. Only then does a missing event prove anything.
    func isWhole(_ task: TaskView) -> Bool { task.isWhole(lastLoss: lastLoss) }

    /// The place in the program where a labelled object was made, whatever its name.
    func site(of label: EntryID) -> CallSite {
        guard case .label(_, let file, let line) = store.entries[label], file != .none else { return CallSite(file: label, line: 0) }
        return CallSite(file: file, line: line)
    }

    func kind(of executor: ExecutorID) -> ExecutorKind? {
        known(executor)?.kind
    }

    /// Whether the executor is main or a single actor, each of which runs one job at a time.
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

    /// The path of the error that began in `origin`, from the store's present state.
    func path(from origin: TaskID) -> FaultPath? {
        if let path = paths[origin] { return path }
        let path = faults.path(from: origin)
        paths[origin] = path
        return path
    }

    /// Discards the cached paths, because the store has changed.
    func forgetPaths() {
        if !paths.isEmpty { paths.removeAll(keepingCapacity: true) }
    }
}
