import TaskEvents

/// The frames of all threads, and the tracks that they are shown on: what begins and ends goes in, slices that nest come out.
struct PerfettoLanes {
    /// A frame that has ended, on the track where it fits.
    struct Slice {
        var frame: PerfettoFrame
        var end: UInt64
    }

    private(set) var tracks = PerfettoTracks()
    /// Of each thread, from the outermost.
    private var stacks: [[PerfettoFrame]] = []
    /// The time of each thread's last event.
    private var lastTimes: [UInt64] = []
    /// The thread on which a body runs.
    private var homes: [TaskID: Int] = [:]
    /// Bodies that run on no thread that is known: asynchronous ones, and those whose thread's records were lost.
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

    /// `executor` is the one asked for; a body that begins inside a job, or inside another body, is shown there.
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

    /// The track of what runs on the thread, or of a task's body.
    func track(ofLane lane: Int) -> Int? { stacks[lane].last?.track }

    func track(of task: TaskID) -> Int? {
        if let frame = detached[task] { return frame.track }
        guard let lane = homes[task] else { return nil }
        return stacks[lane].last { $0.body == task }?.track
    }

    /// Notes that a hop was made by what runs on the thread; false if nothing does.
    mutating func addSource(_ hop: Int, lane: Int) -> Bool {
        guard let top = stacks[lane].indices.last else { return false }
        stacks[lane][top].sources.append(hop)
        return true
    }

    // MARK: Ending

    mutating func endBody(_ task: TaskID, at time: UInt64) -> Slice? {
        if let frame = detached.removeValue(forKey: task) { return end(frame, at: time) }
        guard let lane = homes.removeValue(forKey: task), let place = stacks[lane].lastIndex(where: { $0.body == task }) else { return nil }
        return endFrame(place, lane: lane, at: time)
    }

    /// What still runs inside the job has been left behind: it goes on by itself.
    mutating func endJob(_ task: TaskID, on executor: ExecutorID, at time: UInt64, lane: Int) -> Slice? {
        guard let place = stacks[lane].lastIndex(where: { $0.job == task && $0.executor == executor }) else { return nil }
        let slice = endFrame(place, lane: lane, at: time)
        let left = Array(stacks[lane][place...])
        stacks[lane].replaceSubrange(place..., with: left.filter { $0.body == nil })
        for frame in left { detach(frame) }
        return slice
    }

    /// Nothing is known any more of what the thread runs: its jobs end with its last event.
    mutating func interrupt(lane: Int) -> [Slice] {
        var slices: [Slice] = []
        while let place = stacks[lane].lastIndex(where: { $0.job != nil }) {
            slices.append(endFrame(place, lane: lane, at: lastTimes[lane]))
        }
        for frame in stacks[lane] { detach(frame) }
        stacks[lane] = []
        return slices
    }

    /// The body goes on by itself, and so on a track of its own.
    private mutating func detach(_ frame: PerfettoFrame) {
        guard let task = frame.body else { return }
        var frame = frame
        if tracks[frame.track].open > 1 { move(&frame) }
        homes[task] = nil
        detached[task] = frame
    }

    /// Takes out a frame; those inside it that go on past its end are moved to tracks of their own.
    private mutating func endFrame(_ place: Int, lane: Int, at time: UInt64) -> Slice {
        let frame = stacks[lane].remove(at: place)
        let end = max(time, frame.start)
        for inner in place..<stacks[lane].count where stacks[lane][inner].track == frame.track && stacks[lane][inner].start < end {
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

    /// Ends everything that still runs; `end` says when a task's body did, nil stands for a job.
    mutating func endAll(_ end: (TaskID?) -> UInt64) -> [Slice] {
        var slices: [Slice] = []
        for lane in stacks.indices {
            while let place = stacks[lane].indices.last {
                slices.append(endFrame(place, lane: lane, at: end(stacks[lane][place].body)))
            }
        }
        for task in detached.keys.sorted() {
            if let frame = detached[task] { slices.append(self.end(frame, at: end(task))) }
        }
        homes = [:]
        detached = [:]
        return slices
    }

    /// A slice of one nanosecond where nothing runs, for an arrow to begin at. Returns its track.
    mutating func addPoint(on executor: ExecutorID, at time: UInt64) -> Int {
        let track = tracks.take(for: executor, from: time)
        tracks.end(track, at: time + 1)
        return track
    }
}
