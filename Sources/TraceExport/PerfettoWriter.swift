import TaskEvents
import TextOutput
import TraceAnalysis
import TraceReport
import TraceStore

/// Writes the objects of Chrome's trace format, one per line.
struct PerfettoWriter {
    private let store: TraceStore
    private let rows: ReportRows
    private var asyncCount = 0

    init(_ store: TraceStore) {
        self.store = store
        rows = ReportRows(store)
    }

    // MARK: The trace

    /// Writes everything before the first event: facts about the trace, and the name of the process.
    func writeHead(program: String, lost: UInt64, synthesised: Int, to line: inout JSONLine) {
        line.begin("{")
        line.field("displayTimeUnit", "ns")
        line.object("otherData") { line in
            line.field("program", program)
            line.field("lost", lost)
            line.field("synthesised", synthesised)
        }
        line.begin("[", "traceEvents")
        metadata("process_name", track: PerfettoTracks.process, to: &line) {
            $0.field("name", program.isEmpty ? "unnamed program" : program)
        }
    }

    func writeName(of track: PerfettoTracks.Track, to line: inout JSONLine) {
        let name = name(of: track.executor)
        metadata("thread_name", track: track.id, to: &line) { $0.field("name", track.number == 1 ? name : "\(name) #\(track.number)") }
        metadata("thread_sort_index", track: track.id, to: &line) { $0.field("sort_index", place(of: track)) }
    }

    /// The position of a track in the viewer. The main executor comes first, then the others by id, as in reports. An executor's tracks are
    /// adjacent. Threads without an executor come last.
    private func place(of track: PerfettoTracks.Track) -> Int {
        if track.executor == .none { return 1 << 28 + track.number }
        let isMain = store.description(of: track.executor).kind == .main
        return (isMain ? 0 : Int(track.executor.rawValue)) << 12 + min(track.number, 1 << 12)
    }

    private func metadata(_ name: String, track: Int, to line: inout JSONLine, _ arguments: (inout JSONLine) -> Void) {
        line.object(onLine: true) { line in
            line.field("ph", "M")
            line.field("name", name)
            place(track: track, to: &line)
            line.object("args", arguments)
        }
    }

    private func place(track: Int, to line: inout JSONLine) {
        line.field("pid", PerfettoTracks.process)
        line.field("tid", track)
    }

    // MARK: Slices

    func write(_ slice: PerfettoLanes.Slice, track: PerfettoTracks.Track, to line: inout JSONLine) {
        let frame = slice.frame
        line.object(onLine: true) { line in
            line.field("ph", "X")
            switch frame.kind {
            case .job(let task):
                line.field("name", task == .none ? "job" : "job of \(name(of: task))")
                line.field("cat", "job")
            case .body(let task, _):
                line.field("name", name(of: task))
                line.field("cat", "task")
            }
            place(track: track.id, to: &line)
            line.field("ts", thousandths: frame.start)
            line.field("dur", thousandths: slice.end - frame.start)
            line.object("args") { line in
                switch frame.kind {
                case .job(let task): if task != .none { line.field("task", task.rawValue) }
                case .body(let task, let stretch): writeArguments(of: task, stretch: stretch, to: &line)
                }
            }
        }
    }

    /// Writes the report's facts about the task with its first stretch. Later stretches have only the task's id and their number.
    private func writeArguments(of id: TaskID, stretch: Int, to line: inout JSONLine) {
        line.field("task", id.rawValue)
        guard stretch == 1, let task = store.task(id).map(rows.task) else {
            line.field("stretch", stretch)
            return
        }
        line.field("chain", task.chain.rawValue)
        line.field("kind", task.kind.name)
        line.field("state", task.state.word)
        if let executor = task.executor { line.field("executor", executor) }
        if let site = task.label.knownSite { line.field("site", site) }
        line.field("queued_ns", orNull: task.queued)
        line.field("started_ns", orNull: task.started)
        line.field("ended_ns", orNull: task.ended)
        line.field("busy_ns", orNull: task.busy)
        if let error = task.error { line.field("error", error.text) }
        if let role = task.role { line.field("role", role.name) }
    }

    /// Writes a slice of one nanosecond for a thread that runs no executor's job.
    func writePoint(of task: TaskID, at time: UInt64, track: PerfettoTracks.Track, to line: inout JSONLine) {
        line.object(onLine: true) { line in
            line.field("ph", "X")
            line.field("name", "puts \(name(of: task))")
            line.field("cat", "hop")
            place(track: track.id, to: &line)
            line.field("ts", thousandths: time)
            line.field("dur", thousandths: 1)
            line.object("args") { $0.field("task", task.rawValue) }
        }
    }

    // MARK: Waiting

    mutating func writeWait(of task: TaskID, in executor: ExecutorID, from start: UInt64, until end: UInt64, to line: inout JSONLine) {
        writeAsync("queue", "waiting for \(name(of: executor))", task, from: start, until: end, to: &line)
    }

    mutating func writeSuspension(of task: TaskID, from start: UInt64, until end: UInt64, to line: inout JSONLine) {
        writeAsync("suspended", "suspended", task, from: start, until: end, to: &line)
    }

    private mutating func writeAsync(
        _ category: String, _ title: String, _ task: TaskID, from start: UInt64, until end: UInt64, to line: inout JSONLine
    ) {
        asyncCount += 1
        let id = "0x" + String(asyncCount, radix: 16)
        for (phase, time) in [("b", start), ("e", end)] {
            line.object(onLine: true) { line in
                line.field("ph", phase)
                line.field("name", title)
                line.field("cat", category)
                line.field("id", id)
                place(track: PerfettoTracks.process, to: &line)
                line.field("ts", thousandths: time)
                guard phase == "b" else { return }
                line.object("args") { line in
                    line.field("task", task.rawValue)
                    line.field("name", name(of: task))
                }
            }
        }
    }

    // MARK: Arrows and instants

    func write(_ arrow: PerfettoFlows.Arrow, to line: inout JSONLine) {
        for (phase, end) in [("s", arrow.from), ("f", arrow.to)] {
            line.object(onLine: true) { line in
                line.field("ph", phase)
                line.field("name", "hop")
                line.field("cat", "hop")
                line.field("id", arrow.id)
                if phase == "f" { line.field("bp", "e") }
                place(track: end.track, to: &line)
                line.field("ts", thousandths: end.time)
            }
        }
    }

    /// Writes an error where it originated. Tasks that took over the error unchanged show it in their slices.
    func writeFault(_ event: TaskEvent, track: PerfettoTracks.Track?, to line: inout JSONLine) {
        let error = ReportedError(event.label, in: store)
        writeInstant(error.text, "fault", at: event.time, track: track, to: &line) { line in
            line.field("task", event.task.rawValue)
            line.field("name", name(of: event.task))
            line.field("type", error.type)
            line.field("message", error.message)
            line.field("manner", orNull: EventDescription[.faulted].name(ofDetail: event.detail))
        }
    }

    func writeMark(_ event: TaskEvent, to line: inout JSONLine) {
        writeInstant(store.entries.text(event.label), "mark", at: event.time, track: nil, to: &line) { _ in }
    }

    func writeLoss(of count: UInt64, at time: UInt64, to line: inout JSONLine) {
        writeInstant("\(CountText.text(count, "record")) lost", "lost", at: time, track: nil, to: &line) { $0.field("count", count) }
    }

    /// Writes an instant. Without a track, it belongs to the whole process.
    private func writeInstant(
        _ name: String, _ category: String, at time: UInt64, track: PerfettoTracks.Track?, to line: inout JSONLine,
        _ arguments: (inout JSONLine) -> Void
    ) {
        line.object(onLine: true) { line in
            line.field("ph", "i")
            line.field("name", name)
            line.field("cat", category)
            line.field("s", track == nil ? "p" : "t")
            place(track: track?.id ?? PerfettoTracks.process, to: &line)
            line.field("ts", thousandths: time)
            line.object("args", arguments)
        }
    }

    // MARK: Names

    private func name(of task: TaskID) -> String {
        let name = store.task(task)?.label.name ?? ""
        return name.isEmpty ? "task \(task.rawValue)" : name
    }

    private func name(of executor: ExecutorID) -> String {
        executor == .none ? "no executor" : store.description(of: executor).name
    }
}
