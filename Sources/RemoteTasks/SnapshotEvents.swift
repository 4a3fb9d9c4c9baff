import CTraceLanes
import TaskEvents

/// Turns successive snapshots of a process into events: for each task, the differences between one snapshot and the next.
///
/// An event has the time of the snapshot that showed it. A change between two snapshots that left no trace in the second is missing. The
/// stated routes of observation say so, and the rules that would need such changes are not checked.
struct SnapshotEvents {
    /// An event and its lane. Tasks that run at the same time are in different lanes, as threads are.
    struct Placed {
        let lane: Int
        let event: TaskEvent
    }

    private(set) var entries: [Entry] = [.none, .swiftRoutes([.names, .sampled])]

    private struct Known {
        var task: RemoteTask
        var executor: ExecutorID
        /// The lane in which the task runs.
        var lane: Int?
        /// The number of snapshots in a row that lacked the task.
        var absences = 0
        /// The stack of the task's thread if it blocked in the latest snapshot.
        var stack: [UInt64] = []
        /// The last size of the task's memory that the trace says.
        var memory: UInt64?
        /// Whether the trace says that the task blocks its thread.
        var isBlocking = false
    }

    private var known: [UInt64: Known] = [:]
    private var texts: [String: EntryID] = [:]
    private var codes: [[UInt64]: EntryID] = [:]
    private var executors: [UInt64: ExecutorID] = [:]
    private var executorNames: [String: Int] = [:]
    private var lanes: [Bool] = [true]
    private var found: [Placed] = []
    private var time: UInt64 = 0

    /// A task has ended when two snapshots in a row lack it, because a single snapshot can miss a task.
    private static let mostAbsences = 2

    /// The events of a snapshot taken at `time`. Each event is a nanosecond later than the one before.
    mutating func events(of snapshot: Snapshot, _ symbols: SnapshotSymbols, at time: UInt64) -> [Placed] {
        (found, self.time) = ([], max(time, self.time + 1))
        var missing = Set(known.keys)
        for task in snapshot.tasks {
            missing.remove(task.id)
            if let before = known[task.id] {
                known[task.id] = blocking(followed(before, by: task, snapshot), snapshot, symbols)
            } else {
                known[task.id] = blocking(begun(task, snapshot, symbols), snapshot, symbols)
            }
        }
        for id in missing.sorted() { miss(id) }
        return found
    }

    // MARK: A task's course

    private mutating func begun(_ task: RemoteTask, _ snapshot: Snapshot, _ symbols: SnapshotSymbols) -> Known {
        let parent = snapshot.task(at: task.parent)?.id ?? 0
        let name = text(symbols.name(of: task))
        entries.append(.label(name: name, file: .none, line: 0))
        let label = EntryID(rawValue: UInt32(entries.count - 1))
        emit(TaskEvent(.created, task: TaskID(rawValue: task.id), other: parent, label: label, detail: task.kind.words.rawValue))
        // The task's earlier course is not known.
        let before = Known(task: RemoteTask(id: task.id, address: task.address), executor: .none)
        return followed(before, by: task, snapshot)
    }

    /// Emits the differences. A task that changed while it was read keeps its last known state.
    private mutating func followed(_ before: Known, by task: RemoteTask, _ snapshot: Snapshot) -> Known {
        var next = before
        next.absences = 0
        guard task.state != .changing else { return next }
        if task.state != .running { unblock(&next) }
        next.task = task
        let id = TaskID(rawValue: task.id)
        if task.isShielded != before.task.isShielded {
            let manner = task.isShielded ? ShieldManner.found : .ended
            emit(TaskEvent(.shielded, task: id, detail: manner.rawValue))
        }
        if task.isCancelled, !before.task.isCancelled { emit(TaskEvent(.cancellationAsked, task: id)) }
        if let memory = task.memory, memory != next.memory {
            next.memory = memory
            emit(TaskEvent(.memory, task: id, other: memory))
        }
        let executor = executor(of: task, snapshot)
        if isSame(before.task, task), executor == before.executor || task.state != .queued { return next }
        leave(before, id, &next)
        switch task.state {
        case .pending, .changing: break
        case .queued:
            next.executor = executor
            emit(TaskEvent(.enqueued, task: id, executor: executor))
        case .running:
            let lane = freeLane()
            (next.lane, next.executor) = (lane, executor)
            let wasQueued = before.task.state == .queued
            let detail = wasQueued ? StartManner.slice.rawValue : 0
            emit(TaskEvent(wasQueued ? .started : .resumed, task: id, executor: executor, detail: detail), lane: lane)
        case .suspended:
            if before.task.state == .queued {
                emit(TaskEvent(.started, task: id, executor: before.executor, detail: StartManner.slice.rawValue))
            } else if before.task.state == .suspended {
                emit(TaskEvent(.resumed, task: id))
            }
            suspend(id, task, snapshot)
        }
        return next
    }

    /// A thread's task and its stack are read one after the other. A task blocks its thread if two snapshots show the same stack.
    private mutating func blocking(_ task: Known, _ snapshot: Snapshot, _ symbols: SnapshotSymbols) -> Known {
        var next = task
        guard let lane = task.lane, task.task.state == .running else { return next }
        let thread = snapshot.thread(running: task.task.address).flatMap { symbols.blockingCall(of: $0) == nil ? nil : $0 }
        let stack = thread?.stack ?? []
        if stack != task.stack { unblock(&next) }
        next.stack = stack
        if !stack.isEmpty, stack == task.stack, !task.isBlocking {
            emit(TaskEvent(.waitBegan, other: task.task.id, label: code(stack, .calls, snapshot)), lane: lane)
            next.isBlocking = true
        }
        return next
    }

    private mutating func unblock(_ task: inout Known) {
        if task.isBlocking, let lane = task.lane { emit(TaskEvent(.waitEnded, other: task.task.id), lane: lane) }
        (task.stack, task.isBlocking) = ([], false)
    }

    /// Ends the task's run. A task that moved from one queue to another has run in between.
    private mutating func leave(_ before: Known, _ id: TaskID, _ next: inout Known) {
        if let lane = before.lane {
            lanes[lane] = false
            next.lane = nil
            if next.task.state != .suspended {
                emit(TaskEvent(.suspended, task: id, detail: SuspensionReason.executor.rawValue), lane: lane)
            }
        } else if before.task.state == .queued, next.task.state == .queued {
            emit(TaskEvent(.started, task: id, executor: before.executor, detail: StartManner.slice.rawValue))
            emit(TaskEvent(.suspended, task: id, detail: SuspensionReason.executor.rawValue))
        }
    }

    private mutating func suspend(_ id: TaskID, _ task: RemoteTask, _ snapshot: Snapshot) {
        let lane = known[id.rawValue]?.lane ?? 0
        let code = code(task.frames, .resumes, snapshot)
        let other = if case .task(let address) = task.wait { snapshot.task(at: address)?.id ?? 0 } else { UInt64(0) }
        emit(TaskEvent(.suspended, task: id, other: other, label: code, detail: task.suspension.rawValue), lane: lane)
    }

    private mutating func miss(_ id: UInt64) {
        guard var task = known[id] else { return }
        task.absences += 1
        guard task.absences >= Self.mostAbsences else {
            known[id] = task
            return
        }
        unblock(&task)
        if let lane = task.lane { lanes[lane] = false }
        if task.task.state == .queued {
            emit(TaskEvent(.started, task: TaskID(rawValue: id), executor: task.executor, detail: StartManner.slice.rawValue))
        }
        emit(TaskEvent(.completed, task: TaskID(rawValue: id)), lane: task.lane ?? 0)
        known[id] = nil
    }

    private func isSame(_ one: RemoteTask, _ other: RemoteTask) -> Bool {
        one.state == other.state && (one.state == .running || one.wait == other.wait && one.frames == other.frames)
    }

    // MARK: Entries

    private mutating func emit(_ event: TaskEvent, lane: Int = 0) {
        var event = event
        event.record.time = time
        time += 1
        found.append(Placed(lane: lane, event: event))
    }

    private mutating func freeLane() -> Int {
        let lane = lanes.firstIndex(of: false) ?? lanes.count
        if lane == lanes.count { lanes.append(true) } else { lanes[lane] = true }
        return lane
    }

    private mutating func text(_ text: String) -> EntryID {
        if let known = texts[text] { return known }
        entries.append(.text(text))
        let id = EntryID(rawValue: UInt32(entries.count - 1))
        texts[text] = id
        return id
    }

    private mutating func code(_ addresses: [UInt64], _ kind: CodeKind, _ snapshot: Snapshot) -> EntryID {
        if let known = codes[addresses] { return known }
        let codeAddresses = addresses.compactMap { snapshot.codeAddresses[$0] }.map {
            AddressRecord(module: text($0.module), offset: $0.offset)
        }
        entries.append(.code(kind, codeAddresses))
        let id = EntryID(rawValue: UInt32(entries.count - 1))
        codes[addresses] = id
        return id
    }

    /// The executor that a task waits for, or runs on.
    private mutating func executor(of task: RemoteTask, _ snapshot: Snapshot) -> ExecutorID {
        if case .executor(let identity, _) = task.wait { return executor(identity, snapshot) }
        guard task.state == .running else { return .none }
        return executor(snapshot.thread(running: task.address)?.actor ?? 0, snapshot)
    }

    private mutating func executor(_ identity: UInt64, _ snapshot: Snapshot) -> ExecutorID {
        if let known = executors[identity] { return known }
        guard executors.count < Int(UInt16.max) - 1 else { return .overflow }
        let id = ExecutorID(rawValue: UInt16(executors.count + 1))
        executors[identity] = id
        let name = snapshot.executorName(identity)
        let kind: ExecutorKind =
            identity == 0 ? .global : snapshot.actor(at: identity) != nil ? .actor : name == "main" ? .main : .custom
        // Actors of one type are numbered in order.
        let count = executorNames[name, default: 0] + 1
        executorNames[name] = count
        entries.append(.executor(id, name: text(count == 1 ? name : "\(name) \(count)"), kind: kind))
        return id
    }
}
