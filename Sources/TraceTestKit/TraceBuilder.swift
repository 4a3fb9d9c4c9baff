import TaskEvents
import TraceStore
import TraceTransport

/// Writes a trace's events by hand: named tasks and executors, and a time that the test advances.
///
/// ```swift
/// var trace = TraceBuilder()
/// let net = trace.executor("net", .pool)
/// let save = trace.root("saveRecord", on: net)
/// trace.enqueue(save)
/// trace.advance(milliseconds: 1)
/// trace.start(save)
/// trace.fault(save, type: "KinesisError", message: "throttled")
/// trace.endJob(save)
/// let submit = trace.continuation("submitAllRecords", of: save, on: net)
/// trace.skip(submit)
/// let store = trace.store()
/// ```
///
/// Each call emits exactly the named event: `enqueue` does not start, `start` does not end. A record that needs an executor has the
/// executor that the task asked for.
package struct TraceBuilder {
    package private(set) var events: [TaskEvent] = []
    /// The lane of each event.
    package private(set) var lanes: [UInt16] = []
    package var entries: EntryTable {
        var entries = table
        if !symbols.isEmpty { entries.learn(symbols) }
        return entries
    }
    /// Nanoseconds from the trace's start.
    package private(set) var now: UInt64
    /// The lane of the current thread.
    package var lane: UInt16 = 0

    /// The entries, without symbols: to learn a symbol looks at all entries, so a reader learns all of them at once.
    private var table = EntryTable()
    private var symbols: [CodeAddress: CodeSymbol] = [:]
    private var texts: [String: EntryID] = [:]
    private var labels: [String: EntryID] = [:]
    private var executorCount: UInt16 = 0
    private var lastTask: UInt64 = 0
    private var lastBlock = TaskID.firstBlock
    private var executors: [TaskID: ExecutorID] = [:]
    private var firstAntecedents: [TaskID: TaskID] = [:]
    private var outcomes: [TaskID: Outcome] = [:]

    private enum Outcome {
        case succeeded
        case faulted(EntryID)
        case cancelled
    }

    package init(at time: UInt64 = 0) {
        now = time
        table.append(.none)
    }

    // MARK: Time and place

    package mutating func advance(nanoseconds: UInt64 = 0, microseconds: UInt64 = 0, milliseconds: UInt64 = 0) {
        now += nanoseconds + microseconds * 1000 + milliseconds * 1_000_000
    }

    package mutating func executor(_ name: String, _ kind: ExecutorKind) -> ExecutorID {
        executorCount += 1
        let id = ExecutorID(rawValue: executorCount)
        let text = text(name)
        table.append(.executor(id, name: text, kind: kind))
        return id
    }

    // MARK: New tasks

    package mutating func root(_ name: String, on executor: ExecutorID = .none, line: UInt32 = 1) -> TaskID {
        create(.root, name, on: executor, line: line)
    }

    package mutating func continuation(
        _ name: String, of antecedent: TaskID, on executor: ExecutorID = .none, line: UInt32 = 1
    ) -> TaskID {
        create(.continuation, name, of: [antecedent], on: executor, line: line)
    }

    package mutating func join(_ name: String = "whenAll", of inputs: [TaskID], line: UInt32 = 1) -> TaskID {
        create(.join, name, of: inputs, line: line)
    }

    package mutating func source(_ name: String, line: UInt32 = 1) -> TaskID {
        create(.source, name, line: line)
    }

    package mutating func delay(_ name: String = "delay", line: UInt32 = 1) -> TaskID {
        create(.delay, name, line: line)
    }

    /// A task of any kind. Without a name it has no label.
    package mutating func create(
        _ kind: TaskKind, _ name: String? = nil, of antecedents: [TaskID] = [], on executor: ExecutorID = .none,
        file: String = "App/main.swift", line: UInt32 = 1
    ) -> TaskID {
        let task = reserveTask()
        created(task, kind, name, of: antecedents, on: executor, file: file, line: line)
        return task
    }

    /// The next id, for a task whose creation comes later or never.
    package mutating func reserveTask() -> TaskID {
        lastTask += 1
        return TaskID(rawValue: lastTask)
    }

    /// A block that the program gives to Dispatch: created by a task or a block, and queued at once.
    package mutating func block(
        _ function: String, on executor: ExecutorID, by maker: TaskID = .none, line: UInt32 = 1, operation: String = ""
    ) -> TaskID {
        lastBlock += 1
        let block = TaskID(rawValue: lastBlock)
        let place = label(operation, code: code(function, file: "App/main.swift", line: line))
        firstAntecedents[block] = maker == .none ? nil : maker
        emit(TaskEvent(.created, task: block, other: maker.rawValue, label: place, detail: TaskKind.block.rawValue))
        enqueue(block, on: executor)
        return block
    }

    package mutating func created(
        _ task: TaskID, _ kind: TaskKind, _ name: String? = nil, of antecedents: [TaskID] = [], on executor: ExecutorID = .none,
        file: String = "App/main.swift", line: UInt32 = 1
    ) {
        var label = EntryID.none
        if let name { label = self.label(name, file: file, line: line) }
        executors[task] = executor
        firstAntecedents[task] = antecedents.first
        let first = antecedents.first?.rawValue ?? 0
        emit(TaskEvent(.created, task: task, other: first, executor: executor, label: label, detail: kind.rawValue))
        for antecedent in antecedents.dropFirst() { link(task, to: antecedent, role: .input) }
    }

    package mutating func link(_ task: TaskID, to antecedent: TaskID, role: AntecedentRole) {
        emit(TaskEvent(.antecedent, task: task, other: antecedent.rawValue, detail: role.rawValue))
    }

    // MARK: Queues and bodies

    package mutating func hop(
        _ task: TaskID, from: ExecutorID = .none, to: ExecutorID? = nil, _ manner: HopManner = .dispatched, at code: EntryID = .none
    ) {
        let to = to ?? asked(by: task)
        emit(TaskEvent(.hopped, task: task, other: UInt64(from.rawValue), executor: to, label: code, detail: manner.rawValue))
    }

    package mutating func enqueue(_ task: TaskID, on executor: ExecutorID? = nil, by other: TaskID = .none) {
        emit(TaskEvent(.enqueued, task: task, other: other.rawValue, executor: executor ?? asked(by: task)))
    }

    /// Begins the body; `task` is `.none` for a closure without a task.
    package mutating func start(_ task: TaskID, _ manner: StartManner = .dequeued, on executor: ExecutorID? = nil) {
        emit(TaskEvent(.started, task: task, executor: executor ?? asked(by: task), detail: manner.rawValue))
    }

    /// Begins a closure that belongs to no task. `endClosure` ends it; in a recording of an earlier version, `endJob(.none, on:)`.
    package mutating func startClosure(_ name: String, on executor: ExecutorID, line: UInt32 = 1) {
        let label = label(name, line: line)
        emit(TaskEvent(.started, executor: executor, label: label, detail: StartManner.dequeued.rawValue))
    }

    package mutating func endJob(_ task: TaskID, on executor: ExecutorID? = nil) {
        emit(TaskEvent(.jobEnded, task: task, executor: executor ?? asked(by: task)))
    }

    package mutating func endClosure(_ name: String, on executor: ExecutorID, line: UInt32 = 1) {
        let label = label(name, line: line)
        emit(TaskEvent(.jobEnded, executor: executor, label: label))
    }

    /// - Parameter calls: see ``code(_:)``.
    package mutating func suspend(
        _ task: TaskID, _ reason: SuspensionReason = .innerTask, awaiting other: TaskID = .none, in calls: EntryID = .none
    ) {
        emit(TaskEvent(.suspended, task: task, other: other.rawValue, label: calls, detail: reason.rawValue))
    }

    /// Calls that a task awaits, innermost first, with their symbols.
    package mutating func code(_ calls: CodeSymbol...) -> EntryID {
        let module = text("/App")
        let first = table.count
        let places = calls.indices.map { AddressRecord(module: module, offset: first &+ UInt32($0)) }
        table.append(.code(.resumes, places))
        for (place, call) in zip(places, calls) { symbols[CodeAddress(module: "/App", offset: place.offset)] = call }
        return EntryID(rawValue: first)
    }

    package mutating func resume(_ task: TaskID) {
        emit(TaskEvent(.resumed, task: task))
    }

    /// The body returned a pending task.
    package mutating func wait(_ task: TaskID, forInner inner: TaskID) {
        link(task, to: inner, role: .inner)
        suspend(task, .innerTask, awaiting: inner)
    }

    /// A complete job that succeeds: queued now, and running for `milliseconds` from its start.
    package mutating func run(_ task: TaskID, after wait: UInt64 = 0, milliseconds: UInt64 = 1) {
        enqueue(task)
        advance(milliseconds: wait)
        start(task)
        advance(milliseconds: milliseconds)
        complete(task)
        endJob(task)
    }

    // MARK: Ends

    package mutating func complete(_ task: TaskID) {
        outcomes[task] = .succeeded
        emit(TaskEvent(.completed, task: task))
    }

    package mutating func fault(
        _ task: TaskID, type: String, message: String = "", _ manner: FaultManner = .thrown, from source: TaskID = .none
    ) {
        fault(task, error: error(type: type, message: message), manner, from: source)
    }

    /// The task fails with the error of `source`, which must have failed.
    package mutating func forwardFault(_ task: TaskID, from source: TaskID) {
        guard case .faulted(let error) = outcomes[source] else {
            preconditionFailure("task \(source.rawValue) has not failed: \(String(describing: outcomes[source]))")
        }
        fault(task, error: error, .forwarded, from: source)
    }

    package mutating func cancel(_ task: TaskID, _ manner: CancellationManner = .asked, by other: TaskID = .none) {
        outcomes[task] = .cancelled
        emit(TaskEvent(.cancelled, task: task, other: other.rawValue, detail: manner.rawValue))
    }

    /// Skips a continuation, which takes the outcome of its ended antecedent.
    package mutating func skip(_ task: TaskID) {
        guard let antecedent = firstAntecedents[task] else { preconditionFailure("task \(task.rawValue) continues nothing") }
        emit(TaskEvent(.skipped, task: task, other: antecedent.rawValue))
        switch outcomes[antecedent] {
        case .succeeded: complete(task)
        case .faulted: forwardFault(task, from: antecedent)
        case .cancelled: cancel(task, .forwarded, by: antecedent)
        case nil: preconditionFailure("task \(antecedent.rawValue) has not ended")
        }
    }

    package mutating func fault(_ task: TaskID, error: EntryID, _ manner: FaultManner = .thrown, from source: TaskID = .none) {
        outcomes[task] = .faulted(error)
        emit(TaskEvent(.faulted, task: task, other: source.rawValue, label: error, detail: manner.rawValue))
    }

    // MARK: Other events

    /// `reader` is the task whose body reads, `.none` for code outside every body.
    package mutating func readError(of task: TaskID, by reader: TaskID = .none) {
        emit(TaskEvent(.errorRead, task: task, other: reader.rawValue))
    }

    package mutating func release(_ task: TaskID) {
        emit(TaskEvent(.released, task: task))
    }

    package mutating func completeTwice(_ task: TaskID, isError: Bool) {
        emit(TaskEvent(.completedTwice, task: task, detail: isError ? 1 : 0))
    }

    package mutating func beginWait(for task: TaskID, by waiter: TaskID = .none, in call: EntryID = .none) {
        emit(TaskEvent(.waitBegan, task: task, other: waiter.rawValue, label: call))
    }

    package mutating func endWait(for task: TaskID, by waiter: TaskID = .none, timedOut: Bool = false) {
        emit(TaskEvent(.waitEnded, task: task, other: waiter.rawValue, detail: timedOut ? 1 : 0))
    }

    /// The lane lost `count` records here.
    package mutating func lose(_ count: UInt64) {
        emit(TaskEvent(.lost, other: count))
    }

    /// Another thread takes over the lane.
    package mutating func takeLane(thread: UInt64) {
        emit(TaskEvent(.thread, other: thread))
    }

    package mutating func mark(_ text: String, _ manner: MarkManner = .note) {
        let text = self.text(text)
        emit(TaskEvent(.mark, label: text, detail: manner.rawValue))
    }

    /// Emits any event of a known kind unchanged except for its time, which is now.
    package mutating func emit(_ event: TaskEvent) {
        guard let kind = event.kind else { preconditionFailure("an event of no kind: \(event)") }
        let timed = TaskEvent(
            kind, task: event.task, at: now, other: event.other, executor: event.executor, label: event.label, detail: event.detail)
        events.append(timed)
        lanes.append(lane)
    }

    // MARK: Results

    package var batch: TraceBatch {
        TraceBatch(events: events, lanes: lanes)
    }

    /// A store with all events so far.
    package func store(retention: Retention = Retention()) -> TraceStore {
        let store = TraceStore(retention: retention)
        store.entries = entries
        store.apply(batch)
        return store
    }

    // MARK: Entries

    package mutating func text(_ text: String) -> EntryID {
        if let known = texts[text] { return known }
        let id = append(.text(text))
        texts[text] = id
        return id
    }

    /// As in a real trace, equal labels are one entry.
    package mutating func label(_ name: String, file: String = "App/main.swift", line: UInt32 = 1) -> EntryID {
        let key = "\(name)\u{0}\(file)\u{0}\(line)"
        if let known = labels[key] { return known }
        let (name, file) = (text(name), text(file))
        let label = append(.label(name: name, file: file, line: line))
        labels[key] = label
        return label
    }

    /// A place in code with its symbol. Each call makes another place, perhaps of the same function and line.
    package mutating func code(_ function: String, file: String = "main.swift", line: UInt32 = 1, path: String = "") -> EntryID {
        let address = AddressRecord(module: text("/App"), offset: table.count)
        let code = append(.code(.calls, [address]))
        let symbol = CodeSymbol(function: function, file: file, line: line, path: path)
        symbols[CodeAddress(module: "/App", offset: address.offset)] = symbol
        return code
    }

    /// The label of a Swift task that was created in code. Without a name it is called after the function.
    package mutating func label(_ name: String = "", code: EntryID) -> EntryID {
        let name = name.isEmpty ? EntryID.none : text(name)
        return append(.label(name: name, file: code, line: 0))
    }

    package mutating func error(type: String, message: String = "", thrownBy code: EntryID = .none) -> EntryID {
        let (type, message) = (text(type), text(message))
        return append(.error(type: type, message: message, thrownBy: code))
    }

    /// States what the trace shows of Swift's tasks.
    package mutating func state(_ routes: TraceRoutes) {
        _ = append(.swiftRoutes(routes))
    }

    private mutating func append(_ entry: Entry) -> EntryID {
        table.append(entry)
        return EntryID(rawValue: table.count - 1)
    }

    private func asked(by task: TaskID) -> ExecutorID {
        executors[task] ?? .none
    }
}
