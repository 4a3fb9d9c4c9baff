import TaskEvents
import Testing
import TraceTestKit

/// The routes of observation that a trace states, and the switch that removes a route for tests.
@Suite(.serialized)
struct RoutesTests {
    private static func run(without routes: TraceRoutes) async throws -> WatchedRun {
        let run = try await WatchedRun(ProgramBuild.release.program("Stress"), ["4"], without: routes)
        #expect(run.status == 0)
        #expect(run.counts["created"] == 27 * 4 + 4)
        return run
    }

    @Test("A preloaded probe has all routes that the runtime offers and states them")
    func complete() async throws {
        let run = try await Self.run(without: [])
        #expect(run.entries.swiftRoutes == .offered)
        #expect((0..<run.entries.count).contains { run.entries.isStatementOfRoutes($0) })
        #expect(run.events.contains { $0.kind == .mark } == (TraceRoutes.offered != .all))
    }

    @Test("A removed route is missing from the trace's routes, and so are its events", arguments: TraceRoutes.named.map(\.route))
    func incomplete(_ route: TraceRoutes) async throws {
        let run = try await Self.run(without: route)
        // The record of a suspended task also names the queue that the task enters, and the task whose value it reads.
        let dependent: TraceRoutes = route == .waits ? [.queues, .read] : []
        #expect(run.entries.swiftRoutes == TraceRoutes.offered.subtracting(route).subtracting(dependent))
        #expect(run.events.contains { $0.kind == .mark })
        // Blocks have a route of their own.
        let kinds = Set(run.events.filter { !$0.task.isBlock }.compactMap(\.kind))
        #expect(kinds.isDisjoint(with: Self.events(of: route)))
        let takesResult = run.events.contains { $0.kind == .released && $0.detail == ReleaseManner.taken.rawValue }
        #expect(takesResult == (route != .children))
        #expect(route != .blocks || !run.events.contains { $0.task.isBlock || Self.otherTask(of: $0)?.isBlock == true })
    }

    /// The record's other task, if its kind has one: the field can also hold a number whose bits look like those of a block.
    private static func otherTask(of event: TaskEvent) -> TaskID? {
        guard let kind = event.kind, case .task = EventDescription[kind].other else { return nil }
        return event.otherTask
    }

    /// The kinds of events that only this route provides.
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

extension TraceRoutes {
    /// A runtime without a symbol table, as distributions ship it, has no place for the cancellation of children and none for a
    /// continuation that is released without being resumed.
    static var offered: TraceRoutes { RuntimeCopy.isToolchainStripped ? .all.subtracting([.cancellation, .continuations]) : .all }
}

extension EntryTable {
    fileprivate func isStatementOfRoutes(_ id: UInt32) -> Bool {
        guard case .swiftRoutes = self[EntryID(rawValue: id)] else { return false }
        return true
    }
}
