import Dispatch
import Foundation
import TaskEvents
import TraceStore
import TraceTestKit
import TraceTransport

/// A program that ran under the probe, its output, and all events of its trace, which were read while it ran.
struct WatchedRun: Sendable {
    let status: Int32
    let output: String
    let events: [TaskEvent]
    /// The lane of each event.
    let lanes: [UInt16]
    var entries: EntryTable
    let lost: UInt64

    /// Runs a program to its end. `isWatched` is false for a run without the probe; `without` lists routes that the probe then lacks;
    /// `runtime` replaces the program's Swift runtime, and `libraries` are preloaded after the probe.
    init(
        _ program: String, _ arguments: [String] = [], preloads: Bool = true, isWatched: Bool = true, without routes: TraceRoutes = [],
        runtime: RuntimeCopy? = nil, libraries: [String] = []
    ) async throws {
        let folder = try ScratchFolder()
        let traces = folder.path("traces")
        mkdir(traces, 0o700)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try runtime?.prepared(program) ?? program)
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment["HOPSCOPE"] = isWatched ? traces : nil
        environment["LD_PRELOAD"] = preloads ? try ([BuiltProbe.library()] + libraries).joined(separator: ":") : nil
        environment["HOPSCOPE_PROBE_WITHOUT"] = routes.isEmpty ? nil : routes.names.joined(separator: ",")
        if let runtime { environment.merge(runtime.environment) { _, new in new } }
        process.environment = environment
        let output = folder.path("output")
        try folder.write("", to: "output")
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardInput = FileHandle.nullDevice
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        let lanes = isWatched ? Self.read(process, until: ended, in: traces) : LaneReading()
        process.waitUntilExit()
        status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        self.output = folder.text("output") ?? ""
        (events, self.lanes, entries, lost) = (lanes.events, lanes.lanes, lanes.entries, lanes.lost)
    }

    private struct LaneReading {
        var events: [TaskEvent] = []
        var lanes: [UInt16] = []
        var entries = EntryTable()
        var lost: UInt64 = 0
    }

    /// The number of events between two reads, a fraction of a lane's capacity.
    private static let mostAtOnce = 16_384

    /// Reads the events until the process has ended. While none come, it looks for new ones every millisecond.
    private static func read(_ process: Process, until ended: DispatchSemaphore, in folder: String) -> LaneReading {
        var reading = LaneReading()
        var (isHeld, isIdle) = (false, true)
        var region: RegionFile?
        var merger: LaneMerger?
        func take(_ batch: TraceBatch) {
            reading.events += batch.events
            reading.lanes += batch.lanes
            reading.lost += batch.lost
        }
        while true {
            let hasEnded = ended.wait(timeout: isIdle ? .now() + .milliseconds(1) : .now()) == .success
            if region == nil,
                let name = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.first(where: { $0.hasSuffix(".hoplanes") })
            {
                region = try? RegionFile(path: "\(folder)/\(name)")
                merger = region.map { LaneMerger(source: $0) }
            }
            if let batch = merger?.round() {
                take(batch)
                // The reading speed is not under test, so the program waits for the reader.
                let isBehind = batch.events.count > (isHeld ? Self.mostAtOnce / 8 : Self.mostAtOnce)
                if isBehind != isHeld { kill(process.processIdentifier, isBehind ? SIGSTOP : SIGCONT) }
                isHeld = isBehind
                isIdle = batch.events.isEmpty
            }
            if hasEnded { break }
        }
        merger?.drain(take)
        region?.copyEntries(to: &reading.entries)
        return reading
    }

    /// The numbers that the program printed, by their names.
    var counts: [String: Int] {
        Dictionary(
            output.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                return words.count == 2 ? Int(words[1]).map { (String(words[0]), $0) } : nil
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The state that the events fold into.
    var store: TraceStore {
        let store = TraceStore()
        store.entries = entries
        store.apply(TraceBatch(events: events, lanes: lanes))
        return store
    }
}
