import TaskEvents
import TraceExport
import TraceTestKit
import TraceTransport

@testable import TraceStore

extension ExportFormat {
    static let perfetto = ExportFormat(rawValue: "perfetto")!
    static let otlp = ExportFormat(rawValue: "otlp")!
    static let dot = ExportFormat(rawValue: "dot")!
    static let mermaid = ExportFormat(rawValue: "mermaid")!
    static let jsonl = ExportFormat(rawValue: "jsonl")!
    static let tables = ExportFormat(rawValue: "tables")!
    static let folded = ExportFormat(rawValue: "folded")!
    static let pprof = ExportFormat(rawValue: "pprof")!

    /// The formats that need no samples.
    static let ofEvents = allCases.filter { !$0.needsProfile }
}

/// A folded trace with its events, from which exports are made.
struct ExportedTrace {
    /// The Unix time at which the tests' traces begin.
    static let start: UInt64 = 1_790_000_000_123_456_789

    let store: TraceStore
    let events: [NumberedEvent]

    init(_ trace: TraceBuilder) {
        self.init(trace.batch, entries: trace.entries)
    }

    init(_ batch: TraceBatch, entries: EntryTable, retention: Retention = Retention()) {
        store = TraceStore(retention: retention)
        store.entries = entries
        store.apply(batch)
        events = zip(batch.events, batch.lanes).enumerated().map { number, event in
            NumberedEvent(number: number + 1, event: event.0, lane: Int(event.1))
        }
    }

    func text(_ format: ExportFormat, program: String = "sample") -> String {
        var text = ""
        Exporter(of: store, program: program, startedAt: Self.start, events: events).write(format, to: &text)
        return text
    }

    /// The process as `ship` has it after all events.
    func shipped() -> ShippedProcess {
        let process = ShippedProcess(program: "sample", startedAt: Self.start)
        process.store.entries = store.entries
        process.apply(TraceBatch(events: events.map(\.event), lanes: events.map { UInt16($0.lane) }))
        return process
    }

    /// A random trace as readers may receive it: complete, truncated, with missing records, or with its lanes interleaved at random.
    static func random(_ course: Course, seed: UInt64) -> ExportedTrace {
        let random = RandomTrace(seed: seed, tasks: 250, isComplete: course != .cutOff)
        switch course {
        case .complete, .cutOff: return ExportedTrace(random.trace)
        case .interleaved: return ExportedTrace(random.interleaved(seed: seed), entries: random.trace.entries)
        case .lossy: return ExportedTrace(losing(random.trace.batch, seed: seed), entries: random.trace.entries)
        }
    }

    /// Random records that no program emits: anything may begin or end anywhere, on any thread, at slightly wrong times.
    static func soup(seed: UInt64) -> ExportedTrace {
        var random = SeededGenerator(seed: seed)
        var trace = TraceBuilder()
        let executors = (0..<3).map { trace.executor("queue \($0)", .queue) } + [.none]
        let tasks = (0..<12).map { number in trace.root("task", on: executors[number % 4]) }
        var batch = trace.batch
        for step in 0..<600 as Range<UInt64> {
            let task = tasks.randomElement(using: &random)!
            let executor = executors.randomElement(using: &random)!
            let (from, time) = (UInt64.random(in: 0...3, using: &random), step * 10 + UInt64.random(in: 0..<25, using: &random))
            let kinds: [EventKind] = [.started, .started, .started, .suspended, .resumed, .jobEnded, .hopped, .enqueued, .completed, .lost]
            let kind = kinds.randomElement(using: &random)!
            let detail = UInt8.random(in: 0...1, using: &random)
            if kind == .completed || kind == .lost, Int.random(in: 0..<8, using: &random) > 0 { continue }
            batch.events.append(
                TaskEvent(kind, task: kind == .lost ? .none : task, at: time, other: from, executor: executor, detail: detail))
            batch.lanes.append(UInt16.random(in: 0..<3, using: &random))
        }
        return ExportedTrace(batch, entries: trace.entries)
    }

    enum Course: CaseIterable {
        case complete, cutOff, lossy, interleaved
    }

    /// The same records without some stretches of some lanes, with the loss event that a reader puts in their place.
    private static func losing(_ batch: TraceBatch, seed: UInt64) -> TraceBatch {
        var random = SeededGenerator(seed: seed ^ 77)
        var kept = TraceBatch()
        var missing: [UInt16: UInt64] = [:]
        var isLosing: Set<UInt16> = []
        for (event, lane) in zip(batch.events, batch.lanes) {
            let dice = Int.random(in: 0..<100, using: &random)
            if dice < 3 { isLosing.insert(lane) } else if dice < 25 { isLosing.remove(lane) }
            if isLosing.contains(lane) {
                missing[lane, default: 0] += 1
                continue
            }
            if let count = missing.removeValue(forKey: lane) {
                kept.events.append(TaskEvent(.lost, at: event.time, other: count))
                kept.lanes.append(lane)
            }
            kept.events.append(event)
            kept.lanes.append(lane)
        }
        return kept
    }
}
