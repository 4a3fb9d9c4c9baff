import Foundation
import InspectorTestKit
import Testing

/// Random Swift Concurrency programs that write a ledger of what they do: the report of each says the same, fact by fact.
///
/// `make ledger SEEDS=1000` runs that many programs of each build, shrinks those that disagree, and prints them.
@Suite(.serialized, .enabled(if: LedgerSettings.seeds != nil))
struct LedgerTests {
    @Test("A report agrees with its program's ledger", arguments: [ProgramBuild.debug, .release])
    func agrees(_ build: ProgramBuild) async throws {
        let run = try LedgerRun(build)
        var facts = 0
        /// For each fact that differs: the number of programs, and the first of them.
        var findings: [String: (count: Int, seed: Int, text: String)] = [:]
        var disagreeing = 0
        let seeds = LedgerSettings.firstSeed..<LedgerSettings.firstSeed + (LedgerSettings.seeds ?? 1)
        for seed in seeds {
            let comparison = try await run.compare(NativePlan(seed: UInt64(seed)))
            facts += comparison.facts
            disagreeing += comparison.differences.isEmpty ? 0 : 1
            for (fact, texts) in Dictionary(grouping: comparison.differences, by: Self.fact) {
                let known = findings[fact] ?? (0, seed, texts[0])
                findings[fact] = (known.count + 1, known.seed, known.text)
            }
        }
        print("\(build): \(disagreeing) of \(seeds.count) programs disagree; \(facts) facts compared")
        for (fact, finding) in findings.sorted(by: { $0.value.count > $1.value.count }) {
            let plan = try await NativePlan(seed: UInt64(finding.seed)).shrunk { plan in
                try await run.compare(plan).differences.contains { Self.fact($0) == fact }
            }
            Issue.record("\(finding.count) programs, first seed \(finding.seed): \(finding.text)\nShrunk:\n\(plan)")
        }
    }

    private static func fact(_ difference: String) -> String { String(difference.prefix { $0 != ":" }) }
}

private enum LedgerSettings {
    static let seeds = number("SEEDS")
    static let firstSeed = number("FIRST") ?? 1

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment["HOPSCOPE_LEDGER_\(name)"].flatMap { Int($0) }
    }
}

/// Runs plans under the probe by the built `hopscope`.
private struct LedgerRun {
    private let program: String
    private let folder: ScratchFolder
    private let hopscope = BuiltProbe.product("hopscope")

    init(_ build: ProgramBuild) throws {
        program = try build.program("Ledger", sources: ["InspectorTestKit/NativePlan.swift"])
        folder = try ScratchFolder()
    }

    func compare(_ plan: NativePlan) async throws -> LedgerComparison {
        for name in ["run.hop", "ledger", "report"] { try? FileManager.default.removeItem(atPath: folder.path(name)) }
        try folder.write(String(decoding: try JSONEncoder().encode(plan), as: UTF8.self), to: "plan")
        try run([hopscope, "record", "-o", folder.path("run.hop"), "--", program, folder.path("plan"), folder.path("ledger")])
        try run([hopscope, "report", folder.path("run.hop"), "--format", "json", "-o", folder.path("report")])
        let ledger = NativeLedger(try #require(folder.text("ledger")), plan: plan)
        return try LedgerComparison(ledger, report: Data(try #require(folder.text("report")).utf8))
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
