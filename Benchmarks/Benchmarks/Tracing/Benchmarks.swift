import Benchmark
import Foundation
import Measuring
import TaskEvents
import TraceFile
import TraceStore
import TraceTransport

/// Measures the cost of reading a trace. The budget: 20 million events folded a second; 96 bytes for an ended task that the store keeps; a
/// recording opens within a second and shows any event within 100 ms, whatever its size.
let benchmarks: @Sendable () -> Void = {
    // More, such as 300000000, fits the rows that read a recording; the others keep all events in memory.
    let events = ProcessInfo.processInfo.environment["HOPSCOPE_BENCHMARK_EVENTS"].flatMap { Int($0) } ?? 10_000_000
    let size = events.formatted(.number.locale(Locale(identifier: "en_US")))

    Benchmark("Events folded into state", configuration: .rounds(5, of: .rate)) { benchmark in
        var program = BusyProgram()
        let rate = foldingRate(of: events, program.entries) { program.next($0) }
        benchmark.measurement(.rate, rate)
        benchmark.reach(Double(rate) / 1_000, "M/s", atLeast: 20)
    }

    Benchmark("Events of Swift's tasks folded into state", configuration: .rounds(5, of: .rate)) { benchmark in
        var program = SwiftProgram()
        benchmark.measurement(.rate, foldingRate(of: events, program.entries) { program.next($0) })
    }

    Benchmark("Memory for a task that is kept", configuration: .rounds(1, of: .bytes)) { benchmark in
        var program = BusyProgram()
        let bytes = taskBytes(after: events, program.entries) { program.next($0) }
        benchmark.measurement(.bytes, bytes)
        benchmark.limit(Double(bytes), "bytes", atMost: 96)
    }

    Benchmark("Memory for a task of Swift's that is kept", configuration: .rounds(1, of: .bytes)) { benchmark in
        var program = SwiftProgram()
        benchmark.measurement(.bytes, taskBytes(after: events, program.entries) { program.next($0) })
    }

    Benchmark("A recording is written", configuration: .rounds(3, of: .rate)) { benchmark in
        var program = BusyProgram()
        let batches = (0..<events / 8192).map { _ in program.next(8192) }
        let path = NSTemporaryDirectory() + "hopscope-benchmark-writing.hop"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "busy", pid: 1, startRealtime: 0))
        writer.write(program.entries)
        let time = try nanoseconds {
            for batch in batches { try writer.write(batch) }
            try writer.finish()
        }
        benchmark.measurement(.rate, writer.eventCount * 1_000_000 / time)
        benchmark.reach(Double(writer.eventCount) * 1_000 / Double(time), "M/s", atLeast: 10)
        benchmark.limit(Double(writer.fileSize) / Double(writer.eventCount), "bytes", atMost: 5, of: "an event on disk")
    }

    Benchmark("A recording of \(size) events is opened, for its first screen", configuration: .rounds(10, of: .microseconds)) {
        benchmark in
        let path = try recording(of: events)
        let time = try nanoseconds {
            // The inspector folds this much before its first frame, and the rest between frames.
            let history = TraceHistory(try TraceFileReader(path: path))
            blackHole(history.load(limit: 65_536))
        }
        benchmark.measurement(.microseconds, time / 1_000)
        benchmark.limit(Double(time) / 1_000_000, "ms", atMost: 1_000)
    }

    Benchmark("A recording of \(size) events is read to its end", configuration: .rounds(3, of: .milliseconds)) { benchmark in
        let path = try recording(of: events)
        let time = try nanoseconds { TraceHistory(try TraceFileReader(path: path)).loadAll() }
        benchmark.measurement(.milliseconds, time / 1_000_000)
    }

    Benchmark("Going to any event of \(size)", configuration: .rounds(200, of: .microseconds)) { benchmark in
        let history = try Opened.history(of: events)
        let time = processorNanoseconds { history.seek(to: .random(in: 1...history.eventCount)) }
        benchmark.measurement(.microseconds, time / 1_000)
        benchmark.limit(Double(time) / 1_000_000, "ms", atMost: 100, summary: "p99")
    }

    Benchmark("A step back", configuration: .rounds(200, of: .microseconds)) { benchmark in
        let history = try Opened.history(of: events)
        let time = nanoseconds { history.step(.back) }
        benchmark.measurement(.microseconds, time / 1_000)
    }
}

/// Thousands of a program's events folded per second of this thread's processor time.
private func foldingRate(of events: Int, _ entries: EntryTable, _ next: (Int) -> TraceBatch) -> Int {
    let batches = (0..<events / 8192).map { _ in next(8192) }
    let store = TraceStore()
    store.entries = entries
    let time = processorNanoseconds { for batch in batches { store.apply(batch) } }
    return store.eventCount * 1_000_000 / time
}

/// Bytes of the store's tables per kept task, after a program's events have been folded.
private func taskBytes(after events: Int, _ entries: EntryTable, _ next: (Int) -> TraceBatch) -> Int {
    let store = TraceStore()
    store.entries = entries
    while store.eventCount < events { store.apply(next(8192)) }
    return store.tableBytes / store.keptCount
}

/// The path of a recording of about `events` events. The first call makes the recording.
private func recording(of events: Int) throws -> String {
    let path = NSTemporaryDirectory() + "hopscope-benchmark-\(events).hop"
    if let known = try? TraceFileReader(path: path), known.isComplete { return path }
    var program = BusyProgram()
    let writer = try TraceFileWriter(path: path, header: TraceFileHeader(program: "busy", pid: 1, startRealtime: 0))
    writer.write(program.entries)
    while writer.eventCount < events { try writer.write(program.next(8192)) }
    try writer.finish()
    return path
}

/// Holds the recording that all rounds of a benchmark read.
private enum Opened {
    // Benchmarks run one after the other on one thread.
    nonisolated(unsafe) private static var known: TraceHistory?

    static func history(of events: Int) throws -> TraceHistory {
        if let known { return known }
        let history = TraceHistory(try TraceFileReader(path: try recording(of: events)))
        history.loadAll()
        known = history
        return history
    }
}
