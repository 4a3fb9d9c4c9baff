import TaskEvents
import Testing
import TraceAnalysis
import TraceStore

/// The verdicts of errors that pass from one Swift task to another, in programs that end while their async main is still running.
@Suite(.serialized)
struct ReadErrorsTests {
    private static func run(_ name: String, without routes: TraceRoutes = []) async throws -> TraceStore {
        let run = try await WatchedRun(ProgramBuild.debug.program("ReadErrors"), [name], without: routes)
        #expect(run.status == 0)
        #expect(run.lost == 0)
        return run.store
    }

    /// The verdicts of the errors that tasks with this name threw.
    private static func verdicts(_ store: TraceStore, of name: String = "failing", isOver: Bool) -> [Verdict] {
        FaultAnalysis(store, isOver: isOver).faults().filter { store.task($0.origin)?.label.name == name }.map(\.verdict)
    }

    @Test("An error that reaches the async main is read, before and after the program's end", arguments: [false, true])
    func caught(isOver: Bool) async throws {
        let store = try await Self.run("caught")
        let verdicts = Self.verdicts(store, isOver: isOver)
        #expect(verdicts == [.read] || verdicts == [.recovered], "\(verdicts)")
    }

    @Test("A long-lived task that gets 34 errors leaves none of them pending")
    func server() async throws {
        let store = try await Self.run("server")
        #expect(Self.verdicts(store, isOver: false) == Array(repeating: .read, count: 34))
        #expect(WarningEngine().list(in: store, isOver: true).groups.allSatisfy { $0.rule != "unobserved-fault" })
    }

    @Test("An error that is rethrown or replaced is read where it is caught", arguments: ["forwarded", "transformed"])
    func passedOn(name: String) async throws {
        let store = try await Self.run(name)
        let faults = FaultAnalysis(store, isOver: true)
        let path = try #require(faults.faults().first { store.task($0.origin)?.label.name == "failing" })
        #expect(path.verdict == .read || path.verdict == .recovered)
        let roles = path.steps.map(\.role)
        #expect(roles.prefix(2) == [.thrown, name == "forwarded" ? .forwarded : .transformed])
    }

    @Test("An unread error is reported; without a route to reads its verdict is unknown, and no rule reports it")
    func unread() async throws {
        let store = try await Self.run("unread")
        #expect(Self.verdicts(store, isOver: true) == [.unobserved])
        #expect(WarningEngine().list(in: store, isOver: true).groups.map(\.rule) == ["unobserved-fault"])
        for route in [TraceRoutes.read, .waits, .slices] {
            for name in ["unread", "caught"] {
                let blind = try await Self.run(name, without: route)
                let verdicts = FaultAnalysis(blind, isOver: true).faults().map(\.verdict)
                #expect(!verdicts.contains(.unobserved) && !verdicts.contains(.pending), "\(name) without \(route.names)")
                #expect(WarningEngine().list(in: blind, isOver: true).isEmpty)
            }
        }
    }
}
