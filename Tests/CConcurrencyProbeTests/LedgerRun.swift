import Foundation
import InspectorTestKit
import TaskEvents
import Testing
import TraceFile
import TraceStore
import TraceTestKit

enum LedgerSettings {
    static let seeds = number("SEEDS")
    static let firstSeed = number("FIRST") ?? 1
    /// The number of plans that one process carries out.
    static let batch = number("BATCH") ?? 20
    /// The folder that gets plan, ledger, recording and report of each program that disagrees, which may be rare. None if nil.
    static let kept = ProcessInfo.processInfo.environment["HOPSCOPE_LEDGER_KEEP"]

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment["HOPSCOPE_LEDGER_\(name)"].flatMap { Int($0) }
    }
}

/// Runs plans under the probe with the built `hopscope`.
struct LedgerRun {
    private let program: [String]
    private let runtime: RuntimeCopy?
    private let folder: ScratchFolder
    private let hopscope = BuiltProbe.product("hopscope")

    /// `runtime` replaces the program's Swift runtime, but not that of `hopscope`. The run kills a program that takes longer with it than the
    /// deadline.
    init(_ program: String, runtime: RuntimeCopy? = nil, deadline seconds: Int = 120) throws {
        // The runtime's own report of a crash can wait for ever.
        let variables = ["SWIFT_BACKTRACE=enable=no"] + (runtime?.environment.map { "\($0)=\($1)" } ?? [])
        let start = ["/usr/bin/timeout", "-s", "KILL", "\(seconds)", "/usr/bin/env"] + variables
        self.program = try (runtime == nil ? [] : start) + [runtime?.prepared(program) ?? program]
        self.runtime = runtime
        folder = try ScratchFolder()
    }

    /// The recording of a program failed. With some runtimes a program fails by itself.
    private struct Ended: Error {
        let command: [String]
        let status: Int32
    }

    func compare(_ plan: some LedgerPlan) throws -> LedgerComparison {
        try #require(try compareUnlessIdle(plan), "nothing was recorded")
    }

    /// Nil if nothing was recorded because the probe was idle.
    func compareUnlessIdle(_ plan: some LedgerPlan) throws -> LedgerComparison? {
        for name in ["run.hop", "ledger", "report", "events"] { try? FileManager.default.removeItem(atPath: folder.path(name)) }
        try folder.write(String(decoding: try JSONEncoder().encode(plan), as: UTF8.self), to: "plan")
        let recording = [hopscope, "record", "-o", folder.path("run.hop"), "--"] + program + [folder.path("plan"), folder.path("ledger")]
        let status = try statusOf(recording)
        if status == Self.nothingToShow { return nil }
        guard status == 0 else { throw Ended(command: recording, status: status) }
        try run([hopscope, "report", folder.path("run.hop"), "--format", "json", "-o", folder.path("report")])
        try run([hopscope, "export", folder.path("run.hop"), "--to", "jsonl", "-o", folder.path("events")])
        let (ledger, report, events) = (folder.text("ledger"), folder.text("report"), folder.text("events"))
        let data = Data(try #require(report).utf8)
        // The toolchain's runtime has all routes.
        let routes = runtime == nil ? .all : try cut(1, of: 1).swiftRoutes
        if routes == [] { return nil }
        var comparison = try plan.compare(
            ledger: #require(ledger), report: data, events: Data(#require(events).utf8), lacking: .all.subtracting(routes))
        for part in 1...3 { try comparison.compareCut(cut(part, of: 4), report: data) }
        if !comparison.differences.isEmpty, let kept = LedgerSettings.kept {
            try FileManager.default.copyItem(atPath: folder.path, toPath: "\(kept)/\(UUID())")
        }
        return comparison
    }

    /// Whether the program carries out the plan without the probe.
    func runsAlone(_ plan: some LedgerPlan) throws -> Bool {
        try folder.write(String(decoding: try JSONEncoder().encode(plan), as: UTF8.self), to: "plan")
        return try statusOf(program + [folder.path("plan"), folder.path("ledger")]) == 0
    }

    /// The status with which `record` ends if the program ended with 0, and there was no task to show.
    private static let nothingToShow: Int32 = 69

    /// The trace as a recording has it that was stopped after so many parts of its events.
    private func cut(_ part: Int, of parts: Int) throws -> TraceStore {
        let history = TraceHistory(try TraceFileReader(path: folder.path("run.hop")))
        let end = history.eventCount * part / parts
        while history.latest.eventCount < end { _ = history.load(limit: end - history.latest.eventCount) }
        history.latest.end = .cut
        return history.latest
    }

    private func run(_ command: [String]) throws {
        let status = try statusOf(command)
        try #require(status == 0, "\(command) ended with \(status)")
    }

    private func statusOf(_ command: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path, "XDG_RUNTIME_DIR": folder.path]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }
}
