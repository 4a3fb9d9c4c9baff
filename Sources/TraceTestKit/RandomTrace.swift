import TaskEvents
import TraceStore
import TraceTransport

/// A trace of random chains, joins, faults and hops, together with the true state of every task.
///
/// It simulates the runtime in virtual time: jobs go through queues in order, each executor has a thread of its own, continuations that
/// do not apply are skipped, joins wait for all their inputs. No two events have the same time.
package struct RandomTrace {
    /// The facts that a fold must derive for a task.
    package struct Truth: Equatable, Sendable {
        package var kind: TaskKind
        package var chain: TaskID
        package var antecedents: [TaskID]
        package var successors: [TaskID] = []
        package var executor: ExecutorID
        package var state = TaskState.pending
        package var isSkipped = false
        package var created: UInt64
        package var queued: UInt64?
        package var started: UInt64?
        package var ended: UInt64?
        package var busy: UInt64 = 0
        package var suspended: UInt64 = 0
        package var hops: [UInt64?] = []
        package var readers: [TaskID] = []
        package var faultSource = TaskID.none
    }

    package private(set) var trace = TraceBuilder(at: 1)
    package private(set) var truth: [TaskID: Truth] = [:]
    package private(set) var executors: [ExecutorID] = []

    private var random: SeededGenerator
    private var queues: [[TaskID]] = []
    private var running: [TaskID?] = []
    private var recent: [TaskID] = []
    private var conditions: [TaskID: Condition] = [:]
    private var missing: [TaskID: Int] = [:]
    private var waiting: [TaskID: TaskID] = [:]

    private enum Condition: CaseIterable {
        case always, onSuccess, onError
    }

    /// A trace of `count` tasks. If `isComplete`, all of them end.
    package init(seed: UInt64, tasks: Int, executors executorCount: Int = 4, isComplete: Bool = true) {
        random = SeededGenerator(seed: seed)
        for number in 0..<executorCount {
            executors.append(trace.executor(number == 0 ? "main" : "pool \(number)", number == 0 ? .main : .pool))
        }
        queues = Array(repeating: [], count: executorCount)
        running = Array(repeating: nil, count: executorCount)
        while truth.count < tasks {
            if chance(45) { makeTask() } else { work() }
        }
        guard isComplete else { return }
        while queues.contains(where: { !$0.isEmpty }) || running.contains(where: { $0 != nil }) { work() }
    }

    // MARK: Making tasks

    private mutating func makeTask() {
        onThread(of: nil)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: makeRoot()
        case 25..<35: makeJoin()
        default: makeContinuation()
        }
    }

    private mutating func note(_ task: TaskID, _ kind: TaskKind, of antecedents: [TaskID], on executor: ExecutorID) {
        let chain = kind == .continuation ? truth[antecedents[0]]!.chain : task
        truth[task] = Truth(kind: kind, chain: chain, antecedents: antecedents, executor: executor, created: trace.now)
        for antecedent in antecedents { truth[antecedent]!.successors.append(task) }
        recent.append(task)
        if recent.count > 32 { recent.removeFirst() }
    }

    private mutating func makeRoot() {
        let executor = executors.randomElement(using: &random)!
        tick()
        let task = trace.root("root", on: executor)
        note(task, .root, of: [], on: executor)
        enqueue(task)
    }

    private mutating func makeContinuation() {
        guard let antecedent = recent.randomElement(using: &random) else { return }
        let executor = executors.randomElement(using: &random)!
        tick()
        let task = trace.continuation("continuation", of: antecedent, on: executor)
        note(task, .continuation, of: [antecedent], on: executor)
        conditions[task] = Condition.allCases.randomElement(using: &random)!
        if truth[antecedent]!.state.hasEnded { proceed(task, after: antecedent) }
    }

    private mutating func makeJoin() {
        let inputs = Array(recent.shuffled(using: &random).prefix(Int.random(in: 1...5, using: &random)))
        guard !inputs.isEmpty else { return }
        tick()
        let task = trace.create(.join, "whenAll", of: [inputs[0]])
        note(task, .join, of: [inputs[0]], on: .none)
        for input in inputs.dropFirst() {
            tick()
            trace.link(task, to: input, role: .input)
            truth[task]!.antecedents.append(input)
            truth[input]!.successors.append(task)
        }
        missing[task] = inputs.count { !truth[$0]!.state.hasEnded }
        if missing[task] == 0 { endJoin(task) }
    }

    // MARK: Running tasks

    /// Starts or ends a job of a random executor.
    private mutating func work() {
        let number = Int.random(in: 0..<executors.count, using: &random)
        onThread(of: number)
        if let task = running[number] {
            running[number] = nil
            endBody(of: task)
            onThread(of: number)
            tick()
            trace.endJob(task)
        } else if !queues[number].isEmpty {
            let task = queues[number].removeFirst()
            tick()
            trace.start(task)
            truth[task]!.started = trace.now
            if !truth[task]!.hops.isEmpty { truth[task]!.hops[0] = trace.now - truth[task]!.queued! }
            running[number] = task
        }
    }

    private mutating func enqueue(_ task: TaskID) {
        tick()
        trace.enqueue(task)
        truth[task]!.queued = trace.now
        queues[Int(truth[task]!.executor.rawValue) - 1].append(task)
    }

    private mutating func endBody(of task: TaskID) {
        tick()
        let now = trace.now
        truth[task]!.busy = now - truth[task]!.started!
        if chance(10), let inner = recent.first(where: { !truth[$0]!.state.hasEnded && !leads(from: task, to: $0) }) {
            trace.link(task, to: inner, role: .inner)
            tick()
            truth[task]!.busy = trace.now - truth[task]!.started!
            truth[task]!.suspended = trace.now
            truth[task]!.state = .suspended
            truth[task]!.antecedents.append(inner)
            truth[inner]!.successors.append(task)
            trace.suspend(task, awaiting: inner)
            waiting[task] = inner
            return
        }
        let antecedent = truth[task]!.antecedents.first
        if let antecedent, truth[antecedent]!.state == .faulted, chance(60) {
            trace.readError(of: antecedent, by: task)
            if truth[antecedent]!.readers.last != task { truth[antecedent]!.readers.append(task) }
            tick()
            truth[task]!.busy = trace.now - truth[task]!.started!
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<7: end(task, .succeeded) { $0.complete(task) }
        case 7..<9: end(task, .faulted) { $0.fault(task, type: "Failure", message: "\(task.rawValue % 8)") }
        default: end(task, .cancelled) { $0.cancel(task, .thrown) }
        }
    }

    /// Whether `start` is among the tasks that `task` waits for, so that waiting for it would be a cycle.
    private func leads(from start: TaskID, to task: TaskID) -> Bool {
        var open = [task]
        var seen: Set<TaskID> = []
        while let next = open.popLast() {
            if next == start { return true }
            if seen.insert(next).inserted { open += truth[next]!.antecedents }
        }
        return false
    }

    // MARK: Ending tasks

    private mutating func end(_ task: TaskID, _ state: TaskState, from source: TaskID = .none, emit: (inout TraceBuilder) -> Void) {
        emit(&trace)
        truth[task]!.state = state
        truth[task]!.ended = trace.now
        if state == .faulted { truth[task]!.faultSource = source }
        for successor in truth[task]!.successors { proceed(successor, after: task) }
    }

    private mutating func proceed(_ task: TaskID, after antecedent: TaskID) {
        if waiting[task] == antecedent {
            waiting[task] = nil
            forward(task, antecedent)
        } else if truth[task]!.kind == .join {
            missing[task, default: 0] -= 1
            if missing[task] == 0 { endJoin(task) }
        } else if truth[task]!.state == .pending, truth[task]!.antecedents.first == antecedent {
            continueWith(task, antecedent)
        }
    }

    private mutating func continueWith(_ task: TaskID, _ antecedent: TaskID) {
        let state = truth[antecedent]!.state
        let applies =
            switch conditions[task]! {
            case .always: true
            case .onSuccess: state == .succeeded
            case .onError: state == .faulted
            }
        if applies {
            tick()
            trace.hop(task, from: truth[antecedent]!.executor)
            truth[task]!.hops = [nil]
            enqueue(task)
        } else {
            truth[task]!.isSkipped = true
            tick()
            let source = state == .faulted ? antecedent : TaskID.none
            end(task, state, from: source) { $0.skip(task) }
        }
    }

    /// A task that waited takes its inner task's outcome.
    private mutating func forward(_ task: TaskID, _ inner: TaskID) {
        tick()
        truth[task]!.suspended = trace.now - truth[task]!.suspended
        let state = truth[inner]!.state
        end(task, state, from: state == .faulted ? inner : .none) { trace in
            switch state {
            case .faulted: trace.forwardFault(task, from: inner)
            case .cancelled: trace.cancel(task, .forwarded, by: inner)
            default: trace.complete(task)
            }
        }
    }

    private mutating func endJoin(_ task: TaskID) {
        tick()
        let inputs = truth[task]!.antecedents
        let faulted = inputs.filter { truth[$0]!.state == .faulted }
        if faulted.count == 1 {
            end(task, .faulted, from: faulted[0]) { $0.forwardFault(task, from: faulted[0]) }
        } else if faulted.count > 1 {
            end(task, .faulted) { $0.fault(task, type: "AggregateError", .transformed) }
        } else if let cancelled = inputs.first(where: { truth[$0]!.state == .cancelled }) {
            end(task, .cancelled) { $0.cancel(task, .forwarded, by: cancelled) }
        } else {
            end(task, .succeeded) { $0.complete(task) }
        }
    }

    // MARK: Chance and time

    private mutating func tick() {
        trace.advance(nanoseconds: UInt64.random(in: 1...2000, using: &random))
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    /// Places the following events on an executor's thread, or on the thread that makes tasks.
    private mutating func onThread(of executor: Int?) {
        trace.lane = UInt16(executor.map { $0 + 1 } ?? 0)
    }

    // MARK: Other orders

    /// The events in another order in which a reader might deliver them. Each lane keeps its order, and the lanes are interleaved at
    /// random.
    package func interleaved(seed: UInt64) -> TraceBatch {
        var random = SeededGenerator(seed: seed)
        var byLane: [UInt16: [TaskEvent]] = [:]
        for (event, lane) in zip(trace.events, trace.lanes) { byLane[lane, default: []].append(event) }
        var open = byLane.keys.sorted().map { (lane: $0, events: byLane[$0]![...]) }
        var batch = TraceBatch()
        while !open.isEmpty {
            let index = Int.random(in: 0..<open.count, using: &random)
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                guard let event = open[index].events.popFirst() else { break }
                batch.events.append(event)
                batch.lanes.append(open[index].lane)
            }
            if open[index].events.isEmpty { open.remove(at: index) }
        }
        return batch
    }
}

extension RandomTrace.Truth {
    /// The facts that a store has derived.
    package init(_ task: TaskView) {
        self.init(
            kind: task.kind, chain: task.chain, antecedents: Array(task.antecedents), successors: Array(task.successors),
            executor: task.executor, state: task.state, isSkipped: task.isSkipped, created: task.created ?? 0, queued: task.queued,
            started: task.started, ended: task.ended, busy: task.busy ?? .max, suspended: task.suspendedTime ?? .max,
            hops: task.hops.map(\.wait), readers: Array(task.readers), faultSource: task.faultSource)
    }
}
