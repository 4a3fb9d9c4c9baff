import InspectorTestKit
import Testing
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
        try await Self.compareAll(NativePlan.self, "\(build)", LedgerRun(Self.native(build)))
    }

    static func native(_ build: ProgramBuild) throws -> String {
        try build.program(
            "Ledger", files: ["Book", "OtherThreads"], sources: ["InspectorTestKit/NativePlan.swift", "InspectorTestKit/PlanRandom.swift"])
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

    @Test("A report agrees with the ledger of a program on a runtime of another version", arguments: OtherRuntime.all)
    func otherRuntime(_ runtime: OtherRuntime) async throws {
        let program = try Self.native(.debug)
        try await Self.compareAll(NativePlan.self, "\(runtime)", LedgerRun(program, runtime: RuntimeCopy([], of: runtime)), usualSeeds: 20)
        {
            // Swift 6.1 has no `Task.immediate`.
            NativePlan(seed: $0).replacing(.immediate, with: .unstructured)
        }
    }

    private static func compareAll<Plan: LedgerPlan>(
        _: Plan.Type, _ kind: String, _ run: LedgerRun, usualSeeds: Int = 100, makePlan: (UInt64) -> Plan = { Plan(seed: $0) }
    ) async throws {
        var facts: [String: Int] = [:]
        var unknown = 0
        /// For each fact that differs: the number of programs, and the first of them.
        var findings: [String: (count: Int, plan: Plan, text: String)] = [:]
        var disagreeing: [Int] = []
        let seeds = Array(LedgerSettings.firstSeed..<LedgerSettings.firstSeed + (LedgerSettings.seeds ?? usualSeeds))
        func note(_ comparison: LedgerComparison, of plan: Plan) {
            for (fact, texts) in Dictionary(grouping: comparison.differences, by: fact) {
                let known = findings[fact] ?? (0, plan, texts[0])
                findings[fact] = (known.count + 1, known.plan, known.text)
            }
        }
        for first in stride(from: 0, to: seeds.count, by: LedgerSettings.batch) {
            let batch = seeds[first..<min(first + LedgerSettings.batch, seeds.count)]
            let joined = Plan.joined(batch.map { makePlan(UInt64($0)) })
            let comparison = try run.compare(joined)
            facts.merge(comparison.facts, uniquingKeysWith: +)
            unknown += comparison.unknown
            guard !comparison.differences.isEmpty else { continue }
            // Finds the programs that also disagree alone.
            let before = disagreeing.count
            for seed in batch {
                let plan = makePlan(UInt64(seed))
                let comparison = try run.compare(plan)
                guard !comparison.differences.isEmpty else { continue }
                disagreeing.append(seed)
                note(comparison, of: plan)
            }
            guard disagreeing.count == before else { continue }
            disagreeing += batch
            note(comparison, of: joined)
        }
        let sum = facts.values.reduce(0, +)
        print("\(kind): \(disagreeing.count) of \(seeds.count) programs disagree; \(sum) facts compared, \(unknown) unknown")
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
