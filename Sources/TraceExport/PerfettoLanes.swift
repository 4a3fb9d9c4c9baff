import TaskEvents

/// The open frames of all threads, and their tracks. Converts begin and end events into slices that nest.
struct PerfettoLanes {
    struct Slice {
        var frame: PerfettoFrame
        var end: UInt64
    }

    private(set) var tracks = PerfettoTracks()
    /// For each thread, its open frames, the outermost first.
    private var stacks: [[PerfettoFrame]] = []
    /// The time of each thread's last event.
    private var lastTimes: [UInt64] = []
    /// The thread that runs each task's body.
    private var homes: [TaskID: Int] = [:]
    /// Bodies on no known thread: asynchronous bodies, and bodies whose thread lost records.
    private var detached: [TaskID: PerfettoFrame] = [:]

    mutating func note(_ time: UInt64, lane: Int) {
        while lane >= stacks.count {
            stacks.append([])
            lastTimes.append(0)
        }
        lastTimes[lane] = max(lastTimes[lane], time)
    }

    // MARK: Beginning

    mutating func beginJob(_ task: TaskID, on executor: ExecutorID, at time: UInt64, lane: Int) {
        var track: Int?
        if let outer = stacks[lane].last, outer.executor == executor { track = nested(in: outer, from: time) }
        let frame = PerfettoFrame(
            kind: .job(task), start: time, executor: executor, track: track ?? tracks.take(for: executor, from: time))
        stacks[lane].append(frame)
    }

    /// `executor` is the requested executor. A body that begins inside a job or another body is shown on the track of that frame.
    mutating func beginBody(
        _ task: TaskID, stretch: Int, on executor: ExecutorID, at time: UInt64, lane: Int, isDetached: Bool, sink: Int?
    ) {
        let kind = PerfettoFrame.Kind.body(task, stretch: stretch)
        guard !isDetached else {
            detached[task] = PerfettoFrame(
                kind: kind, start: time, executor: executor, track: tracks.take(for: executor, from: time), sink: sink)
            return
        }
        var frame = PerfettoFrame(kind: kind, start: time, executor: executor, track: -1, sink: sink)
        if let outer = stacks[lane].indices.last {
            stacks[lane][outer].bodies += 1
            frame.executor = stacks[lane][outer].executor
            frame.track = nested(in: stacks[lane][outer], from: time) ?? -1
        }
        if frame.track < 0 { frame.track = tracks.take(for: frame.executor, from: time) }
        stacks[lane].append(frame)
        homes[task] = lane
    }

    private mutating func nested(in outer: PerfettoFrame, from time: UInt64) -> Int? {
        outer.start <= time && tracks.nest(in: outer.track, from: time) ? outer.track : nil
    }

    func isRunning(_ task: TaskID) -> Bool {
        homes[task] != nil || detached[task] != nil
    }

    // MARK: Asking

    /// The numbers of all threads that have had an event.
    var indices: Range<Int> { stacks.indices }

    /// The track of the thread's innermost frame.
    func track(ofLane lane: Int) -> Int? { stacks[lane].last?.track }

    /// The track of the task's body.
    func track(of task: TaskID) -> Int? {
        if let frame = detached[task] { return frame.track }
        guard let lane = homes[task] else { return nil }
        return stacks[lane].last { $0.body == task }?.track
    }

    /// Records that the thread's innermost frame made a hop. Returns false if the thread has no open frame.
    mutating func addSource(_ hop: Int, lane: Int) -> Bool {
        guard let top = stacks[lane].indices.last else { return false }
        stacks[lane][top].sources.append(hop)
        return true
    }

    // MARK: Ending

    mutating func endBody(_ task: TaskID, at time: UInt64) -> Slice? {
        if let frame = detached.removeValue(forKey: task) { return end(frame, at: time) }
        guard let lane = homes.removeValue(forKey: task), let index = stacks[lane].lastIndex(where: { $0.body == task }) else { return nil }
        return endFrame(index, lane: lane, at: time)
    }

    /// Moves the task's body to an executor that it came to without waiting. Returns the slice on the executor that it left. Nil if no body
    /// of the task is open, or if it is there already.
    mutating func moveBody(_ task: TaskID, to executor: ExecutorID, stretch: Int, at time: UInt64) -> Slice? {
        let home = homes[task].flatMap { lane in stacks[lane].last { $0.body == task } }
        guard let frame = detached[task] ?? home, frame.executor != executor, let slice = endBody(task, at: time) else { return nil }
        detached[task] = PerfettoFrame(
            kind: .body(task, stretch: stretch), start: slice.end, executor: executor, track: tracks.take(for: executor, from: slice.end))
        return slice
    }

    /// Ends a job. Bodies that are still open inside the job continue without it.
    mutating func endJob(_ task: TaskID, on executor: ExecutorID, at time: UInt64, lane: Int) -> Slice? {
        guard let index = stacks[lane].lastIndex(where: { $0.job == task && $0.executor == executor }) else { return nil }
        let slice = endFrame(index, lane: lane, at: time)
        let left = Array(stacks[lane][index...])
        stacks[lane].replaceSubrange(index..., with: left.filter { $0.body == nil })
        for frame in left { detach(frame) }
        return slice
    }

    /// Handles lost records of a thread: its jobs end at its last event, and its bodies continue without them.
    mutating func interrupt(lane: Int) -> [Slice] {
        var slices: [Slice] = []
        while let index = stacks[lane].lastIndex(where: { $0.job != nil }) {
            slices.append(endFrame(index, lane: lane, at: lastTimes[lane]))
        }
        for frame in stacks[lane] { detach(frame) }
        stacks[lane] = []
        return slices
    }

    /// Continues the body on a track of its own.
    private mutating func detach(_ frame: PerfettoFrame) {
        guard let task = frame.body else { return }
        var frame = frame
        if tracks[frame.track].open > 1 { move(&frame) }
        homes[task] = nil
        detached[task] = frame
    }

    /// Removes a frame. Inner frames that continue past its end move to their own tracks.
    private mutating func endFrame(_ index: Int, lane: Int, at time: UInt64) -> Slice {
        let frame = stacks[lane].remove(at: index)
        let end = max(time, frame.start)
        for inner in index..<stacks[lane].count where stacks[lane][inner].track == frame.track && stacks[lane][inner].start < end {
            var moved = stacks[lane][inner]
            move(&moved)
            stacks[lane][inner] = moved
        }
        return self.end(frame, at: end)
    }

    private mutating func end(_ frame: PerfettoFrame, at time: UInt64) -> Slice {
        var slice = Slice(frame: frame, end: max(time, frame.start))
        if slice.end < tracks[frame.track].until { move(&slice.frame) }
        if slice.frame.isShown { tracks.end(slice.frame.track, at: slice.end) } else { tracks.leave(slice.frame.track) }
        return slice
    }

    private mutating func move(_ frame: inout PerfettoFrame) {
        tracks.leave(frame.track)
        frame.track = tracks.take(for: frame.executor, from: frame.start)
    }

    /// Ends every open frame. `end` returns the end time for a task's body, or for a job if its argument is nil.
    mutating func endAll(_ end: (TaskID?) -> UInt64) -> [Slice] {
        var slices: [Slice] = []
        for lane in stacks.indices {
            while let index = stacks[lane].indices.last {
                slices.append(endFrame(index, lane: lane, at: end(stacks[lane][index].body)))
            }
        }
        for task in detached.keys.sorted() {
            if let frame = detached[task] { slices.append(self.end(frame, at: end(task))) }
        }
        homes = [:]
        detached = [:]
        return slices
    }

    /// Reserves one nanosecond on a free track, as the start of an arrow. Returns its track.
    mutating func addPoint(on executor: ExecutorID, at time: UInt64) -> Int {
        let track = tracks.take(for: executor, from: time)
        tracks.end(track, at: time + 1)
        return track
    }
}

/// An open slice of a thread: a job from an executor's queue, or a stretch of a task's body.
struct PerfettoFrame {
    enum Kind: Equatable {
        /// The task is `.none` for a raw closure.
        case job(TaskID)
        /// `stretch` counts the parts between suspensions, from 1.
        case body(TaskID, stretch: Int)
    }

    var kind: Kind
    var start: UInt64
    /// The executor whose job the thread runs, or else the requested executor. Its track shows the frame.
    var executor: ExecutorID
    var track: Int
    /// The number of bodies that began directly in this job.
    var bodies = 0
    /// Hops that the frame itself made.
    var sources: [Int] = []
    /// The hop that brought the task to this executor.
    var sink: Int?

    var job: TaskID? {
        if case .job(let task) = kind { return task }
        return nil
    }

    var body: TaskID? {
        if case .body(let task, _) = kind { return task }
        return nil
    }

    /// Whether the frame has its own slice. A job that contains a single body and made no hop itself has none.
    var isShown: Bool {
        switch kind {
        case .body: true
        case .job(let task): task == .none || bodies != 1 || !sources.isEmpty
        }
    }
}
