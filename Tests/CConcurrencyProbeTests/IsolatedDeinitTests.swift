import TaskEvents
import Testing
import TraceStore

/// Deinits that the runtime gives to an executor, compared with what the program does.
@Suite(.serialized)
struct IsolatedDeinitTests {
    @Test(
        "An isolated deinit is a block of its executor, made by the task that released the object",
        arguments: [ProgramBuild.debug, .release])
    func recordsDeinits(build: ProgramBuild) async throws {
        let run = try await WatchedRun(build.program("IsolatedDeinits"), []).symbolized
        #expect(run.status == 0 && run.lost == 0, "\(run.output)")
        let store = run.store
        let blocks = store.blockRows.map { store[$0] }.filter { $0.label.givenName?.hasSuffix(".deinit") == true }
        func named(_ name: String) -> [TaskView] { blocks.filter { $0.label.givenName == name + ".deinit" } }
        #expect(named("Window").count == 102 && named("Page").count == 1 && named("Cover").count == 1 && blocks.count == 104)
        for block in blocks {
            let isOfMain = block.label.givenName == "Window.deinit"
            #expect(store.description(of: block.executor).name == (isOfMain ? "main" : "Store"))
            #expect(block.state == .succeeded && (block.busy ?? 0) > 1_000_000)
            #expect(block.label.file == "IsolatedDeinits.swift", "\(block.label.file)")
        }
        let makers = blocks.compactMap { block in block.firstAntecedent.flatMap { store.task($0) } }
        #expect(makers.count { $0.kind == .detached } == 103)
        // A deinit that the runtime gives to main begins after the block that released the object.
        let maker = try #require(makers.first { $0.kind == .block })
        let made = try #require(blocks.first { $0.firstAntecedent == maker.id })
        #expect(try #require(made.started) >= #require(maker.ended))
        // The deinit of the superclass is a part of that of the subclass.
        #expect(try #require(named("Page").first?.busy) > 39_000_000 && #require(named("Cover").first?.busy) > 41_000_000)
        let busy = try #require(store.executors.first { store.description(of: $0.id).name == "Store" }?.busy)
        #expect(busy > 80_000_000)
    }
}
