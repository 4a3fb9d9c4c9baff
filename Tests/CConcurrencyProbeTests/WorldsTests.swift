import TaskEvents
import Testing
import TraceStore

/// Chains and Swift tasks in one program form one graph.
@Suite(.serialized)
struct WorldsTests {
    private static func program() throws -> String {
        try ProgramBuild.debug.program("Worlds", with: BuiltProbe.runtime)
    }

    @Test
    func chainsAndSwiftTasksAwaitAndStartEachOther() async throws {
        let run = try await WatchedRun(Self.program())
        #expect(run.status == 0)
        #expect(run.lost == 0)
        let store = run.store
        func task(_ name: String) throws -> TaskView {
            let names = store.rows.map { store[$0].label.name }
            let row = try #require(
                store.rows.first { store[$0].label.name == name }, "there is no \(name) in \(run.events.count) events of \(names)")
            return store[row]
        }
        // The store no longer changes, so facts read from it stay valid.
        let (chain, awaiting) = (try task("chain"), try task("awaiting"))
        #expect(Array(awaiting.awaited) == [chain.id])
        #expect(Array(chain.awaiters) == [awaiting.id])

        let (starting, started) = (try task("starting"), try task("started"))
        #expect(started.firstAntecedent == starting.id)
        #expect(started.kind == .detached)

        let (inner, outer) = (try task("inner"), try task("outer"))
        let body = try #require(store.task(outer.successors.first { _ in true } ?? .none))
        #expect(body.kind == .internal)
        #expect(body.chain == outer.id)
        #expect(body.label.name == "outer")
        #expect(Array(body.awaited) == [inner.id])

        let (failing, taking) = (try task("failing"), try task("taking"))
        #expect(taking.faultManner == .forwarded)
        #expect(taking.faultSource == failing.id)
        #expect(failing.readers.contains(taking.id))

        for name in ["sharing first", "sharing second"] {
            let sharing = try task(name)
            #expect(sharing.faultManner == .forwarded)
            #expect(sharing.faultSource == (try task("shared")).id)
        }

        let (refusing, refused) = (try task("refusing"), try task("refused"))
        #expect(refused.faultManner == .forwarded)
        #expect(refused.faultSource == refusing.id)
        #expect(refusing.readers.contains(refused.id), "and not what runs its body")

        let (ended, reading) = (try task("ended"), try task("reading"))
        #expect(Array(reading.awaited) == [ended.id], "and its child without saying so")
        #expect(Array(ended.awaiters).last == reading.id)
    }

    /// Tasks of both kinds have consecutive numbers, in the order in which they were created.
    @Test
    func chainsAndSwiftTasksShareOneSequenceOfNumbers() async throws {
        let run = try await WatchedRun(Self.program())
        let store = run.store
        let tasks = store.rows.map { store[$0] }
        #expect(tasks.map(\.id.rawValue) == Array(1...UInt64(tasks.count)))
        #expect(tasks.allSatisfy { task in task.antecedents.allSatisfy { $0 < task.id } })
    }
}
