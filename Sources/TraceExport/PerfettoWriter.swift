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
        metadata("thread_sort_index", track: track.id, to: &line) { $0.field("sort_index", sortIndex(of: track)) }
    }

    /// The position of a track in the viewer. The main executor comes first, then the others by id, as in reports. An executor's tracks are
    /// adjacent. Threads without an executor come last.
    private func sortIndex(of track: PerfettoTracks.Track) -> Int {
        if track.executor == .none { return 1 << 28 + track.number }
        let isMain = store.description(of: track.executor).kind == .main
        return (isMain ? 0 : Int(track.executor.rawValue)) << 12 + min(track.number, 1 << 12)
    }

    private func metadata(_ name: String, track: Int, to line: inout JSONLine, _ arguments: (inout JSONLine) -> Void) {
        write("M", name, track: track, to: &line, rest: { $0.object("args", arguments) })
    }

    /// Writes an object: its phase, name, category and identity, then its place, and then what `rest` writes.
    private func write(
        _ phase: String, _ name: String, _ category: String? = nil, track: Int, at time: UInt64? = nil, to line: inout JSONLine,
        identity: (inout JSONLine) -> Void = { _ in }, rest: (inout JSONLine) -> Void = { _ in }
    ) {
        line.object(onLine: true) { line in
            line.field("ph", phase)
            line.field("name", name)
            if let category { line.field("cat", category) }
            identity(&line)
            line.field("pid", PerfettoTracks.process)
            line.field("tid", track)
            if let time { line.field("ts", thousandths: time) }
            rest(&line)
        }
    }

    func writeName(_ name: String, ofTrack track: Int, to line: inout JSONLine) {
        metadata("thread_name", track: track, to: &line) { $0.field("name", name) }
        metadata("thread_sort_index", track: track, to: &line) { $0.field("sort_index", 1 << 29 + track) }
    }

    /// Writes a part of a profile of samples.
    func writeProfile(
        _ name: String, _ id: String, track: Int, at time: UInt64, to line: inout JSONLine, _ data: (inout JSONLine) -> Void
    ) {
        write("P", name, "disabled-by-default-v8.cpu_profiler", track: track, at: time, to: &line) {
            $0.field("id", id)
        } rest: {
            $0.object("args") { $0.object("data", data) }
        }
    }

    // MARK: Slices

    private func writeSlice(
        _ name: String, _ category: String, track: PerfettoTracks.Track, at start: UInt64, length: UInt64, to line: inout JSONLine,
        _ arguments: (inout JSONLine) -> Void
    ) {
        write(
            "X", name, category, track: track.id, at: start, to: &line,
            rest: { line in
                line.field("dur", thousandths: length)
                line.object("args", arguments)
            })
    }

    func write(_ slice: PerfettoLanes.Slice, track: PerfettoTracks.Track, to line: inout JSONLine) {
        let (start, length) = (slice.frame.start, slice.end - slice.frame.start)
        switch slice.frame.kind {
        case .job(let task):
            let name = task == .none ? "job" : "job of \(name(of: task))"
            writeSlice(name, "job", track: track, at: start, length: length, to: &line) { line in
                if task != .none { line.field("task", task.rawValue) }
            }
        case .body(let task, let stretch):
            writeSlice(name(of: task), "task", track: track, at: start, length: length, to: &line) { line in
                writeArguments(of: task, stretch: stretch, to: &line)
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
        writeSlice("puts \(name(of: task))", "hop", track: track, at: time, length: 1, to: &line) { $0.field("task", task.rawValue) }
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
            write(phase, title, category, track: PerfettoTracks.process, at: time, to: &line) {
                $0.field("id", id)
            } rest: { line in
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
            write(phase, "hop", "hop", track: end.track, at: end.time, to: &line) { line in
                line.field("id", arrow.id)
                if phase == "f" { line.field("bp", "e") }
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
        write("i", name, category, track: track?.id ?? PerfettoTracks.process, at: time, to: &line) {
            $0.field("s", track == nil ? "p" : "t")
        } rest: {
            $0.object("args", arguments)
        }
    }

    // MARK: Names

    private func name(of task: TaskID) -> String {
        let name = store.task(task)?.label.fullName ?? ""
        return name.isEmpty ? task.words : name
    }

    private func name(of executor: ExecutorID) -> String {
        executor == .none ? "no executor" : store.description(of: executor).name
    }
}
