import Foundation
import InspectorTestKit
import Testing
import TraceFile
import TraceStore
import TraceTestKit

/// Random programs that write a ledger of what they do: the report of each says the same, fact by fact.
///
/// A run of the tests compares a few programs of each kind, `make ledger SEEDS=1000` that many. Those that disagree are shrunk and printed.
/// One executable carries out all plans of a kind, so all programs have the same few places in code. A process carries out a batch of plans
/// one after another.
@Suite(.serialized)
struct LedgerTests {
    @Test("A report agrees with the ledger of its Swift Concurrency program", arguments: [ProgramBuild.debug, .release])
    func native(_ build: ProgramBuild) async throws {
        let program = try build.program(
            "Ledger", files: ["Book", "OtherThreads"], sources: ["InspectorTestKit/NativePlan.swift", "InspectorTestKit/PlanRandom.swift"])
        try await Self.compareAll(NativePlan.self, "\(build)", LedgerRun(program))
    }

    @Test("A report agrees with the ledger of its program of chains")
    func chains() async throws {
        let program = try ProgramBuild.debug.program(
            "ChainLedger", with: BuiltProbe.runtime + ["AWSTasks", "CThreadStack", "SwiftTasks", "AlecrimTasks"],
            files: ["OtherThreads"], sources: ["InspectorTestKit/ChainPlan.swift", "InspectorTestKit/PlanRandom.swift"])
        try await Self.compareAll(ChainPlan.self, "chains", LedgerRun(program))
    }

    @Test("A report agrees with the ledger of its program of blocks and tasks", arguments: [ProgramBuild.debug, .release])
    func blocks(_ build: ProgramBuild) async throws {
        let program = try build.program(
            "BlockLedger", files: ["Book", "OtherThreads"],
            sources: ["InspectorTestKit/BlockPlan.swift", "InspectorTestKit/PlanRandom.swift"])
        try await Self.compareAll(BlockPlan.self, "blocks, \(build)", LedgerRun(program))
    }

    private static func compareAll<Plan: LedgerPlan>(_: Plan.Type, _ kind: String, _ run: LedgerRun) async throws {
        var facts: [String: Int] = [:]
        /// For each fact that differs: the number of programs, and the first of them.
        var findings: [String: (count: Int, plan: Plan, text: String)] = [:]
        var disagreeing: [Int] = []
        let seeds = Array(LedgerSettings.firstSeed..<LedgerSettings.firstSeed + LedgerSettings.seeds)
        func note(_ comparison: LedgerComparison, of plan: Plan) {
            for (fact, texts) in Dictionary(grouping: comparison.differences, by: fact) {
                let known = findings[fact] ?? (0, plan, texts[0])
                findings[fact] = (known.count + 1, known.plan, known.text)
            }
        }
        for first in stride(from: 0, to: seeds.count, by: LedgerSettings.batch) {
            let batch = seeds[first..<min(first + LedgerSettings.batch, seeds.count)]
            let joined = Plan.joined(batch.map { Plan(seed: UInt64($0)) })
            let comparison = try run.compare(joined)
            facts.merge(comparison.facts, uniquingKeysWith: +)
            guard !comparison.differences.isEmpty else { continue }
            // Finds the programs that also disagree alone.
            let before = disagreeing.count
            for seed in batch {
                let plan = Plan(seed: UInt64(seed))
                let comparison = try run.compare(plan)
                guard !comparison.differences.isEmpty else { continue }
                disagreeing.append(seed)
                note(comparison, of: plan)
            }
            guard disagreeing.count == before else { continue }
            disagreeing += batch
            note(comparison, of: joined)
        }
        print("\(kind): \(disagreeing.count) of \(seeds.count) programs disagree; \(facts.values.reduce(0, +)) facts compared")
        print(facts.sorted { $0.key < $1.key }.map { "  \($0): \($1)" }.joined(separator: "\n"))
        if !disagreeing.isEmpty { print("seeds that disagree: \(disagreeing.prefix(50))") }
        for (name, finding) in findings.sorted(by: { $0.value.count > $1.value.count }) {
            print("\(finding.count) programs: \(finding.text)")
            let plan = try await finding.plan.shrunk { plan in
                try run.compare(plan).differences.contains { fact($0) == name }
            }
            Issue.record("\(finding.count) programs: \(finding.text)\nShrunk:\n\(plan)")
        }
    }

    private static func fact(_ difference: String) -> String { String(difference.prefix { $0 != ":" }) }
}

private enum LedgerSettings {
    static let seeds = number("SEEDS") ?? 100
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
private struct LedgerRun {
    private let program: String
    private let folder: ScratchFolder
    private let hopscope = BuiltProbe.product("hopscope")

    init(_ program: String) throws {
        self.program = program
        folder = try ScratchFolder()
    }

    func compare(_ plan: some LedgerPlan) throws -> LedgerComparison {
        for name in ["run.hop", "ledger", "report", "events"] { try? FileManager.default.removeItem(atPath: folder.path(name)) }
        try folder.write(String(decoding: try JSONEncoder().encode(plan), as: UTF8.self), to: "plan")
        try run([hopscope, "record", "-o", folder.path("run.hop"), "--", program, folder.path("plan"), folder.path("ledger")])
        try run([hopscope, "report", folder.path("run.hop"), "--format", "json", "-o", folder.path("report")])
        try run([hopscope, "export", folder.path("run.hop"), "--to", "jsonl", "-o", folder.path("events")])
        let (ledger, report, events) = (folder.text("ledger"), folder.text("report"), folder.text("events"))
        let data = Data(try #require(report).utf8)
        var comparison = try plan.compare(ledger: #require(ledger), report: data, events: Data(#require(events).utf8))
        for part in 1...3 { try comparison.compareCut(cut(part, of: 4), report: data) }
        if !comparison.differences.isEmpty, let kept = LedgerSettings.kept {
            try FileManager.default.copyItem(atPath: folder.path, toPath: "\(kept)/\(UUID())")
        }
        return comparison
    }

    /// The trace as a recording has it that was stopped after so many parts of its events.
    private func cut(_ part: Int, of parts: Int) throws -> TraceStore {
        let history = TraceHistory(try TraceFileReader(path: folder.path("run.hop")))
        let end = history.eventCount * part / parts
        while history.latest.eventCount < end { _ = history.load(limit: end - history.latest.eventCount) }
        history.latest.end = .cut
        return history.latest
    }

    private func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path, "XDG_RUNTIME_DIR": folder.path]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(command) ended with \(process.terminationStatus)")
    }
}
