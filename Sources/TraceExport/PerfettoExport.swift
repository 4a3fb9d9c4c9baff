import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore
import TraceTransport

/// A trace as Chrome's JSON, for Perfetto: the jobs and bodies on each executor, the waits, and the hops.
///
/// Each executor has as many tracks as it ran jobs at the same time. A slice is a stretch of a task's body, up to its end or a suspension.
/// A job with more than one body has a slice around them. Waits in queues and suspensions are asynchronous slices, hops are arrows, and
/// errors are instants. `Docs/Exports.md` has the details.
///
/// Makes one pass over the events and keeps only open slices, waits and arrows. Begin and end times come from the store, as in reports.
struct PerfettoExport: Export {
    static let name = "perfetto"
    static let summary = "Chrome's trace JSON, for ui.perfetto.dev"
    static let takesProfile = true

    let trace: Exporter

    func write(to output: inout some TextOutputStream) {
        let store = trace.store
        var walk = PerfettoWalk(store)
        var line = JSONLine()
        walk.writer.writeHead(program: trace.program, lost: store.lostCount, synthesised: store.synthesisedCount, to: &line)
        line.flush(to: &output)
        for event in trace.events {
            walk.take(event, to: &line)
            line.flush(to: &output)
        }
        walk.finish(to: &line)
        if let profile = trace.profile {
            PerfettoSamples(profile, store).write(walk.writer, firstTrack: walk.nextTrack, to: &line)
        }
        line.end("]")
        line.end("}")
        line.flush(to: &output)
        output.write("\n")
    }
}

struct PerfettoWalk {
    private let store: TraceStore
    fileprivate(set) var writer: PerfettoWriter
    private var lanes = PerfettoLanes()
    private var flows = PerfettoFlows()
    /// The tasks in queues, with the time of their enqueuing and the queue's executor.
    private var queued: [TaskID: (since: UInt64, executor: ExecutorID)] = [:]
    /// The suspended tasks, with the time of their suspension.
    private var suspended: [TaskID: UInt64] = [:]
    /// For each task that was suspended, the number of stretches of its body so far.
    private var stretches: [TaskID: Int] = [:]
    private var namedTracks = 0

    /// The number of a track that no executor has.
    var nextTrack: Int { PerfettoTracks.process + 1 + lanes.tracks.count }

    fileprivate init(_ store: TraceStore) {
        self.store = store
        writer = PerfettoWriter(store)
    }

    // MARK: Events

    mutating func take(_ numbered: NumberedEvent, to line: inout JSONLine) {
        let event = store.attributed(numbered.event)
        let isPlaced = numbered.lane != Int(TraceBatch.noLane)
        let lane = isPlaced ? numbered.lane : 0
        switch event.kind {
        case .thread: if isPlaced { interrupt(lane, to: &line) }
        case .lost:
            interrupt(by: event, lane: isPlaced ? lane : nil, to: &line)
            writer.writeLoss(of: event.other, at: event.time, to: &line)
        case .enqueued: enqueued(event)
        case .started: started(event, lane: lane, to: &line)
        case .suspended: suspend(event, lane: lane, to: &line)
        case .resumed: resume(event, lane: lane, to: &line)
        case .hopped: hopped(event, lane: lane, to: &line)
        case .jobEnded: jobEnded(event, lane: lane, to: &line)
        case .completed, .faulted, .cancelled: ended(event, lane: lane, to: &line)
        case .mark: if event.detail != MarkManner.name.rawValue { writer.writeMark(event, to: &line) }
        case _: break  // The event is not shown: it neither begins nor ends a stretch, and is not an instant.
        }
        if isPlaced { lanes.note(event.time, lane: lane) }
    }

    private mutating func enqueued(_ event: TaskEvent) {
        // The record is late if the task already runs, was suspended later, or has ended.
        let task = event.task
        guard task != .none, !lanes.isRunning(task), queued[task] == nil, !hasEnded(task, by: event.time) else { return }
        if let since = suspended[task], event.time < since { return }
        queued[task] = (event.time, event.executor)
    }

    private mutating func started(_ event: TaskEvent, lane: Int, to line: inout JSONLine) {
        let manner = StartManner(rawValue: event.detail) ?? .inline
        let isDequeued = manner.isDequeued
        lanes.note(event.time, lane: lane)
        let task = event.task
        var time = event.time
        var stretch = 1
        if task != .none {
            stretch = (stretches[task] ?? 0) + 1
            if stretch > 1 { stretches[task] = stretch }
            // The store's time is correct even if records are late.
            if let started = store.task(task)?.started { time = stretch == 1 ? started : max(time, started) }
            endBody(task, at: time, to: &line)
            endSuspension(task, at: time, to: &line)
            endWait(task, at: time, hasStarted: isDequeued && stretch == 1, to: &line)
        }
        if manner == .dequeued, event.executor != .none { lanes.beginJob(task, on: event.executor, at: event.time, lane: lane) }
        guard task != .none else { return }
        lanes.beginBody(
            task, stretch: stretch, on: event.executor, at: time, lane: lane,
            isDetached: manner == .slice || isDequeued && event.executor == .none,
            sink: flows.arrive(task))
    }

    private mutating func suspend(_ event: TaskEvent, lane: Int, to line: inout JSONLine) {
        guard !hasEnded(event.task, by: event.time) else { return }
        stretches[event.task] = max(stretches[event.task] ?? 0, 1)
        endBody(event.task, at: event.time, to: &line)
        if suspended[event.task] == nil { suspended[event.task] = event.time }
    }

    private mutating func resume(_ event: TaskEvent, lane: Int, to line: inout JSONLine) {
        guard !hasEnded(event.task, by: event.time), !lanes.isRunning(event.task) else { return }
        lanes.note(event.time, lane: lane)
        endSuspension(event.task, at: event.time, to: &line)
        let stretch = (stretches[event.task] ?? 0) + 1
        stretches[event.task] = stretch
        lanes.beginBody(
            event.task, stretch: stretch, on: store.task(event.task)?.executor ?? .none, at: event.time, lane: lane, isDetached: false,
            sink: nil)
    }

    private mutating func hopped(_ event: TaskEvent, lane: Int, to line: inout JSONLine) {
        lanes.note(event.time, lane: lane)
        if HopManner(rawValue: event.detail)?.isWithinSlice == true {
            let stretch = (stretches[event.task] ?? 1) + 1
            if let slice = lanes.moveBody(event.task, to: event.executor, stretch: stretch, at: event.time) {
                stretches[event.task] = stretch
                write(slice, to: &line)
            }
            return
        }
        let from = ExecutorID(rawValue: UInt16(truncatingIfNeeded: event.other))
        let hop = flows.begin(for: event.task, at: event.time)
        if lanes.addSource(hop, lane: lane) { return }
        // No known frame runs there, so the arrow begins at a separate point.
        let track = lanes.addPoint(on: from, at: event.time)
        nameTracks(to: &line)
        writer.writePoint(of: event.task, at: event.time, track: lanes.tracks[track], to: &line)
        flows.place(hop, from: (lanes.tracks[track].id, event.time, event.time + 1))
    }

    private mutating func jobEnded(_ event: TaskEvent, lane: Int, to line: inout JSONLine) {
        lanes.note(event.time, lane: lane)
        if let slice = lanes.endJob(event.task, on: event.executor, at: event.time, lane: lane) { write(slice, to: &line) }
    }

    private mutating func ended(_ event: TaskEvent, lane: Int, to line: inout JSONLine) {
        let task = event.task
        if event.kind == .faulted, event.detail != FaultManner.forwarded.rawValue {
            lanes.note(event.time, lane: lane)
            nameTracks(to: &line)
            let track = (lanes.track(of: task) ?? lanes.track(ofLane: lane)).map { lanes.tracks[$0] }
            writer.writeFault(event, track: track, to: &line)
        }
        let time = store.task(task)?.ended ?? event.time
        endBody(task, at: time, to: &line)
        endSuspension(task, at: time, to: &line)
        endWait(task, at: time, hasStarted: false, to: &line)
        flows.forget(task)
        stretches[task] = nil
    }

    /// A loss in no lane interrupts all lanes if its events may belong to any, and none if their threads had no lane.
    private mutating func interrupt(by loss: TaskEvent, lane: Int?, to line: inout JSONLine) {
        if let lane { return interrupt(lane, to: &line) }
        guard loss.detail == LossManner.ofAnyLane.rawValue else { return }
        for lane in lanes.indices { interrupt(lane, to: &line) }
    }

    private mutating func interrupt(_ lane: Int, to line: inout JSONLine) {
        lanes.note(0, lane: lane)
        for slice in lanes.interrupt(lane: lane) { write(slice, to: &line) }
    }

    private func hasEnded(_ task: TaskID, by time: UInt64) -> Bool {
        store.task(task)?.ended.map { $0 < time } ?? false
    }

    // MARK: Ends

    private mutating func endBody(_ task: TaskID, at time: UInt64, to line: inout JSONLine) {
        if let slice = lanes.endBody(task, at: time) { write(slice, to: &line) }
    }

    private mutating func endWait(_ task: TaskID, at time: UInt64, hasStarted: Bool, to line: inout JSONLine) {
        if let wait = queued.removeValue(forKey: task) {
            writer.writeWait(of: task, in: wait.executor, from: min(wait.since, time), until: time, to: &line)
        } else if hasStarted, let view = store.task(task), let since = view.queued, since <= time {
            // The record of the enqueuing arrives later.
            writer.writeWait(of: task, in: view.executor, from: since, until: time, to: &line)
        }
    }

    private mutating func endSuspension(_ task: TaskID, at time: UInt64, to line: inout JSONLine) {
        guard let since = suspended.removeValue(forKey: task) else { return }
        writer.writeSuspension(of: task, from: since, until: max(since, time), to: &line)
    }

    /// Ends everything open at the end of the trace.
    mutating func finish(to line: inout JSONLine) {
        let store = store
        let end = { (task: TaskID?) in task.flatMap { store.task($0)?.ended } ?? store.now }
        for slice in lanes.endAll(end) { write(slice, to: &line) }
        for task in suspended.keys.sorted() { endSuspension(task, at: end(task), to: &line) }
        for task in queued.keys.sorted() { endWait(task, at: end(task), hasStarted: false, to: &line) }
    }

    private mutating func write(_ slice: PerfettoLanes.Slice, to line: inout JSONLine) {
        let frame = slice.frame
        let track = lanes.tracks[frame.track]
        guard frame.isShown else { return }
        nameTracks(to: &line)
        writer.write(slice, track: track, to: &line)
        if let sink = frame.sink { flows.place(sink, to: (track.id, frame.start, slice.end)) }
        for source in frame.sources { flows.place(source, from: (track.id, frame.start, slice.end)) }
        for flow in frame.sources + [frame.sink].compactMap(\.self) {
            if let arrow = flows.takeWhole(flow) { writer.write(arrow, to: &line) }
        }
    }

    /// Writes the names of new tracks.
    private mutating func nameTracks(to line: inout JSONLine) {
        for index in namedTracks..<lanes.tracks.count { writer.writeName(of: lanes.tracks[index], to: &line) }
        namedTracks = lanes.tracks.count
    }
}
