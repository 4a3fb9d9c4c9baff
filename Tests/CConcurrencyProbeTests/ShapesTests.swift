import TaskEvents
import Testing
import TraceAnalysis
import TraceStore

/// Programs whose errors are read, passed on, dropped and stored. The faults in the trace are those in the program's source.
struct Shape: Sendable, CustomTestStringConvertible {
    let name: String
    /// The paths of the faults, and how often each occurs.
    let faults: [String: Int]
    let rules: Set<String>

    init(_ name: String, _ faults: [String: Int], rules: Set<String> = []) {
        (self.name, self.faults, self.rules) = (name, faults, rules)
    }

    var testDescription: String { name }

    static let all = [
        Shape("async-let-ended", ["Boom thrown, read: read": 5]),
        Shape("async-let-left", ["Boom thrown: unobserved": 10], rules: ["unobserved-fault"]),
        Shape(
            "async-let-thrown-over", ["Boom thrown: unobserved": 5, "Bust thrown, read: read": 5], rules: ["unobserved-fault"]),
        Shape(
            "reader-fails-later", ["Boom thrown, read: read": 5, "Bust thrown: unobserved": 5], rules: ["unobserved-fault"]),
        Shape(
            "reader-fails-at-once",
            ["Boom thrown, read, transformed: read": 5, "Boom thrown, transformed: unknown": 5, "Bust thrown: unobserved": 5],
            rules: ["unobserved-fault"]),
        Shape("transformed", ["Boom thrown, read, transformed: read": 5]),
        Shape("transformed-on-main", ["Boom thrown, read, transformed: read": 5]),
        Shape("waiters", ["Boom thrown, forwarded, forwarded, forwarded, forwarded, forwarded, read: read": 1]),
        Shape("waiters-on-main", ["Boom thrown, recovered, recovered, recovered, recovered, recovered: recovered": 1]),
        Shape("stored", ["Boom thrown, read: read": 10, "Boom thrown: unobserved": 10], rules: ["unobserved-fault"]),
        Shape("cached-result", ["Boom thrown, read: read": 5]),
        Shape("group-without-next", ["Boom thrown: unobserved": 5], rules: ["unobserved-fault"]),
        Shape("group-failed-before", ["Boom thrown: unobserved": 5], rules: ["unobserved-fault"]),
        Shape("group-within-group", ["Boom thrown, -: unknown": 5]),
        Shape("group-drops-second", ["Boom thrown, -: unknown": 5]),
        Shape("discarding-group", ["Boom thrown, forwarded, read: read": 5, "Bust thrown, -: unknown": 5]),
        Shape("image-cache", [:]),
    ]
}

@Suite(.serialized)
struct ShapesTests {
    @Test("Each error of a program has the path and the verdict that its source gives it", arguments: Shape.all)
    func shape(_ shape: Shape) async throws {
        let run = try await WatchedRun(ProgramBuild.debug.program("Shapes"), [shape.name])
        #expect(run.status == 0)
        #expect(run.lost == 0)
        let store = run.store
        store.end = .exit
        let faults = FaultAnalysis(store).faults().map { Self.text($0, in: store) }
        #expect(Dictionary(faults.map { ($0, 1) }, uniquingKeysWith: +) == shape.faults)
        #expect(run.counts["origins"] == shape.faults.values.reduce(0, +))
        let list = WarningEngine(settings: WarningSettings()).list(in: store, isOver: true)
        let found = Set(list.groups.map(\.rule)).intersection(["unobserved-fault", "swallowed-error", "start-order", "actor-reentrancy"])
        #expect(found == shape.rules)
    }

    /// `Boom thrown, forwarded, read: read`. The roles behind the origin's are sorted, because waiters go on in any order.
    private static func text(_ path: FaultPath, in store: TraceStore) -> String {
        let roles = path.steps.filter { !$0.isAgain }.map { $0.role?.name ?? "-" }
        let type = store.entries.error(path.error)?.type ?? "unknown"
        let all = roles.prefix(1) + roles.dropFirst().sorted()
        return "\(type) \(all.joined(separator: ", ")): \(path.verdict.name)"
    }
}
