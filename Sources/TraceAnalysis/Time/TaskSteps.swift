import TaskEvents
import TraceTransport

/// The steps of all tasks in a range of events: when each was queued, ran, blocked and suspended, and why.
///
/// The store keeps a few steps of a task and sums the others up. A course of events in time needs all of them, so they are collected from
/// the events themselves, in their order.
package struct TaskSteps {
    /// A change in the course of a task.
    struct Step: BitwiseCopyable {
        enum Kind: UInt8, BitwiseCopyable {
            case queued, running, moved, suspended, blocked, unblocked
        }

        var time: UInt64
        /// The index of the task's previous step; `none` for the first one.
        fileprivate var previous: UInt32
        /// `queued`: the task that enqueued the job; `suspended`: the awaited task; `running`: the lane. 0 for none.
        var other: UInt32
        /// `suspended` and `blocked`: the entry of the calls or the condition.
        var label: UInt32
        var executor: UInt16
        var kind: Kind
        /// `running`: the ``StartManner``; `suspended`: the ``SuspensionReason``.
        var detail: UInt8

        fileprivate static let none = UInt32.max
    }

    private var steps: ContiguousArray<Step> = []
    private var last = LastSteps()
    private(set) var runs = ExecutorRuns()
    /// The bodies that run on each lane, innermost last.
    private var lanes: [[Body]] = []

    /// The kernel's ids of the threads that took each lane, in the order of time.
    private var threads: [[(since: UInt64, thread: UInt32)]] = []
    /// When each thread had a processor, if the trace has a profile.
    package var threadTimes: ThreadTimes?

    private struct Body {
        var task: UInt64
        var isJob: Bool
        var run: ExecutorRuns.Index
    }

    /// The index of each task's last step.
    ///
    /// Tasks are numbered from 1, so an array has most of them. The others have numbers far above those before them, as blocks do.
    private struct LastSteps {
        private var near: ContiguousArray<UInt32> = []
        private var far: [UInt64: UInt32] = [:]

        /// The numbers above those of the array that still extend it: as many as it has, and at least these.
        private static let reach = 4096

        subscript(task: UInt64) -> UInt32 {
            if task < near.count { return near[Int(task)] }
            return far.isEmpty ? Step.none : far[task] ?? Step.none
        }

        /// Returns the index of the step before.
        mutating func update(_ index: UInt32, of task: UInt64) -> UInt32 {
            if task >= near.count {
                guard task < near.count * 2 + Self.reach else { return far.updateValue(index, forKey: task) ?? Step.none }
                grow(to: Int(task) * 2 + 1)
            }
            let previous = near[Int(task)]
            near[Int(task)] = index
            return previous
        }

        private mutating func grow(to count: Int) {
            near.append(contentsOf: repeatElement(Step.none, count: count - near.count))
            for (task, index) in far where task < count {
                near[Int(task)] = index
                far[task] = nil
            }
        }
    }

    package init() {}

    /// The steps of a task, ordered by time.
    func steps(of task: TaskID) -> [Step] {
        var count = 0
        forEachStepBackwards(of: task) { _ in count += 1 }
        let found = [Step](unsafeUninitializedCapacity: count) { buffer, filled in
            var place = count
            forEachStepBackwards(of: task) { step in
                place -= 1
                buffer.initializeElement(at: place, to: step)
            }
            filled = count
        }
        // Records of different lanes may be out of order. A stable sort keeps the order of those of equal time.
        let isOrdered = zip(found, found.dropFirst()).allSatisfy { $0.time <= $1.time }
        guard !isOrdered else { return found }
        return found.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    private func forEachStepBackwards(of task: TaskID, _ body: (Step) -> Void) {
        var index = last[task.rawValue]
        while index != Step.none {
            body(steps[Int(index)])
            index = steps[Int(index)].previous
        }
    }

    // MARK: Collecting

    package mutating func add(_ stretch: EventStretch) {
        for (event, lane) in zip(stretch.events, stretch.lanes) { add(event, lane: lane) }
    }

    private mutating func add(_ event: TaskEvent, lane: UInt16) {
        switch event.kind {
        case .enqueued: append(.queued, event, other: event.other)
        case .started:
            append(.running, event, other: UInt64(lane), detail: event.detail)
            begin(event, lane: lane, isJob: event.detail == StartManner.dequeued.rawValue)
        case .resumed:
            append(.running, event, other: UInt64(lane), detail: StartManner.slice.rawValue)
            if event.executor != .none { begin(event, lane: lane, isJob: false) }
        case .suspended:
            append(.suspended, event, other: event.other, detail: event.detail)
            endInline(event, lane: lane)
        case .hopped: if let manner = HopManner(rawValue: event.detail) { move(event, manner, lane: lane) }
        case .completed, .faulted, .cancelled: endInline(event, lane: lane)
        case .jobEnded: endJob(event, lane: lane)
        case .waitBegan: block(event, .blocked, lane: lane)
        case .waitEnded: block(event, .unblocked, lane: lane)
        case .thread:
            endAll(lane, at: event.time)
            take(lane, by: event)
        case .lost: lose(event, lane: lane)
        case _: break  // The event begins and ends no step.
        }
    }

    private mutating func append(_ kind: Step.Kind, _ event: TaskEvent, other: UInt64 = 0, detail: UInt8 = 0) {
        append(kind, event, to: event.task.rawValue, other: other, detail: detail)
    }

    private mutating func append(_ kind: Step.Kind, _ event: TaskEvent, to task: UInt64, other: UInt64 = 0, detail: UInt8 = 0) {
        guard task != 0, steps.count < Int(Step.none) else { return }
        let index = UInt32(steps.count)
        let previous = last.update(index, of: task)
        steps.append(
            Step(
                time: event.time, previous: previous, other: UInt32(exactly: other) ?? 0, label: event.label.rawValue,
                executor: event.executor.rawValue, kind: kind, detail: detail))
    }

    // MARK: Threads

    private mutating func take(_ lane: UInt16, by event: TaskEvent) {
        while threads.count <= Int(lane) { threads.append([]) }
        threads[Int(lane)].append((event.time, UInt32(truncatingIfNeeded: event.other)))
    }

    /// The kernel's id of the thread that had a lane at a time. Nil if the events do not tell.
    func thread(ofLane lane: UInt16?, at time: UInt64) -> UInt32? {
        guard let lane, threads.indices.contains(Int(lane)) else { return nil }
        let ofLane = threads[Int(lane)]
        let index = ofLane.partitioningIndex { $0.since > time }
        return index > 0 ? ofLane[index - 1].thread : nil
    }

    // MARK: Bodies

    private mutating func begin(_ event: TaskEvent, lane: UInt16, isJob: Bool) {
        let run = runs.begin(task: event.task, label: event.label, on: event.executor, lane: lane, at: event.time)
        while lanes.count <= Int(lane) { lanes.append([]) }
        lanes[Int(lane)].append(Body(task: event.task.rawValue, isJob: isJob, run: run))
    }

    /// A body may end on a thread other than the one that it ran on.
    private mutating func endInline(_ event: TaskEvent, lane: UInt16) {
        let task = event.task.rawValue
        if end(lane, at: event.time, where: { !$0.isJob && $0.task == task }) { return }
        var index = last[task]
        while index != Step.none, steps[Int(index)].kind != .running { index = steps[Int(index)].previous }
        guard index != Step.none, steps[Int(index)].detail != StartManner.dequeued.rawValue else { return }
        guard let other = UInt16(exactly: steps[Int(index)].other), other != lane else { return }
        _ = end(other, at: event.time) { !$0.isJob && $0.task == task }
    }

    private mutating func endJob(_ event: TaskEvent, lane: UInt16) {
        _ = end(lane, at: event.time) { $0.isJob && $0.task == event.task.rawValue && $0.run.executor == event.executor }
    }

    /// Ends the innermost body that matches. Returns whether there was one.
    private mutating func end(_ lane: UInt16, at time: UInt64, where isMeant: (Body) -> Bool) -> Bool {
        guard lanes.indices.contains(Int(lane)), let place = lanes[Int(lane)].lastIndex(where: isMeant) else { return false }
        runs.end(lanes[Int(lane)].remove(at: place).run, at: time)
        return true
    }

    private mutating func endAll(_ lane: UInt16, at time: UInt64) {
        guard lanes.indices.contains(Int(lane)) else { return }
        for body in lanes[Int(lane)] { runs.end(body.run, at: time) }
        lanes[Int(lane)] = []
    }

    /// The bodies of the lane that lost events may have ended, or those of all lanes. Events of threads without a lane end no body.
    private mutating func lose(_ event: TaskEvent, lane: UInt16) {
        if lane != TraceBatch.noLane { return endAll(lane, at: event.time) }
        guard event.detail == LossManner.ofAnyLane.rawValue else { return }
        for lane in lanes.indices { endAll(UInt16(lane), at: event.time) }
    }

    /// A slice goes on, on another executor.
    private mutating func move(_ event: TaskEvent, _ manner: HopManner, lane: UInt16) {
        guard manner == .inline || manner == .left else { return }
        append(.moved, event)
        guard lanes.indices.contains(Int(lane)) else { return }
        let lane = Int(lane)
        guard let place = lanes[lane].lastIndex(where: { $0.task == event.task.rawValue }) else { return }
        runs.end(lanes[lane][place].run, at: event.time)
        lanes[lane][place].run = runs.begin(
            task: event.task, label: .none, on: event.executor, lane: UInt16(lane), at: event.time)
    }

    /// A thread blocks, or no longer does: the waiting body and those in which it runs inline.
    private mutating func block(_ event: TaskEvent, _ kind: Step.Kind, lane: UInt16) {
        let bodies = lanes.indices.contains(Int(lane)) ? lanes[Int(lane)] : []
        if !bodies.contains(where: { $0.task == event.other }) { append(kind, event, to: event.other) }
        for (index, body) in bodies.enumerated() where !bodies[..<index].contains(where: { $0.task == body.task }) {
            append(kind, event, to: body.task)
        }
    }
}
