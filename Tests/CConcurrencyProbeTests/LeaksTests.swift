import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// Tasks that are created faster than they end, by the place that creates them.
@Suite(.serialized)
struct LeaksTests {
    /// The comments that mark the creating lines of `Leaks.swift`.
    private static let ways = [
        "stream", "continuation", "actor", "sleep loop", "poll", "group", "discarding group", "nested group", "value", "source",
        "flattening", "deaf to cancellation",
    ]

    @Test("Twelve leaks are found by place within 1,000 tasks each")
    func leaks() async throws {
        let (list, store) = try await Self.warnings(of: "leaking", 1_000)
        let found = Set(list.findings.filter { $0.rule == "task-growth" }.compactMap { list.site(of: $0, in: store) })
        for way in Self.ways {
            // Chains name their module too.
            let site = try "Leaks.swift:\(Self.line(of: way))"
            #expect(found.contains { $0 == site || $0.hasSuffix("/\(site)") }, "\(way): \(found.sorted())")
        }
    }

    @Test("Healthy twins of the twelve leaks get no finding")
    func twins() async throws {
        let (list, store) = try await Self.warnings(of: "healthy", Stress.leaks(everyDay: 1_000))
        let found = list.findings.filter { $0.rule == "task-growth" }.compactMap { list.site(of: $0, in: store) }
        #expect(found.isEmpty)
    }

    private static func warnings(of manner: String, _ count: Int) async throws -> (WarningList, TraceStore) {
        let program = try ProgramBuild.debug.program("Leaks", with: BuiltProbe.runtime)
        let run = try await WatchedRun(program, [manner, "\(count)"]).symbolized
        try #require(run.status == 0)
        #expect(run.lost == 0)
        let store = run.store
        #expect(store.taskCount > ways.count * count)
        return (WarningEngine(settings: WarningSettings()).list(in: store, isOver: true), store)
    }

    private static func line(of way: String) throws -> Int {
        let source = try ProgramBuild.source("Leaks").split(separator: "\n", omittingEmptySubsequences: false)
        return try #require(source.firstIndex { $0.hasSuffix("// leak: \(way)") }) + 1
    }
}
