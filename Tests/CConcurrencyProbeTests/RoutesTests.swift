import TaskEvents
import Testing

/// The routes of observation that a trace states, and the switch that takes one away for tests.
@Suite(.serialized)
struct RoutesTests {
    private static func run(without routes: TraceRoutes) async throws -> WatchedRun {
        let run = try await WatchedRun(ProgramBuild.release.program("Stress"), ["4"], without: routes)
        #expect(run.status == 0)
        #expect(run.counts["created"] == 27 * 4 + 4)
        return run
    }

    @Test("A preloaded probe has all routes, and says so")
    func complete() async throws {
        let run = try await Self.run(without: [])
        #expect(run.entries.swiftRoutes == .all)
        #expect((0..<run.entries.count).contains { run.entries.isStatementOfRoutes($0) })
        #expect(!run.events.contains { $0.kind == .mark })
    }

    @Test("A route that is taken away is missing from the statement, and so are its events", arguments: TraceRoutes.named.map(\.route))
    func incomplete(_ route: TraceRoutes) async throws {
        let run = try await Self.run(without: route)
        // A suspended task's record also names the queue that the task enters, and the task whose value it takes.
        let dependent: TraceRoutes = route == .waits ? [.queues, .read] : []
        #expect(run.entries.swiftRoutes == TraceRoutes.all.subtracting(route).subtracting(dependent))
        #expect(run.events.contains { $0.kind == .mark })
        let kinds = Set(run.events.compactMap(\.kind))
        #expect(kinds.isDisjoint(with: Self.events(of: route)))
    }

    /// Kinds of events that come by this route alone.
    private static func events(of route: TraceRoutes) -> Set<EventKind> {
        switch route {
        case .created: [.created]
        case .queues: [.enqueued]
        case .slices: [.started, .suspended, .resumed]
        case .ends: [.completed, .faulted, .cancelled]
        case .read: [.errorRead, .antecedent]
        case .cancellation: [.cancellationAsked]
        case .blocking: [.waitBegan, .waitEnded]
        default: []
        }
    }
}

extension EntryTable {
    fileprivate func isStatementOfRoutes(_ id: UInt32) -> Bool {
        guard case .swiftRoutes = self[EntryID(rawValue: id)] else { return false }
        return true
    }
}
