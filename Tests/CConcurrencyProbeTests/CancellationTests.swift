import TaskEvents
import Testing
import TraceAnalysis
import TraceStore

/// The paths of cancellations in real programs: who asked and where, which tasks a cancellation reached, and what they did.
@Suite(.serialized, .enabled(if: TraceRoutes.offered.contains(.cancellation), "a runtime without a symbol table shows no cancellation"))
struct CancellationTests {
    /// A cancellation with names in the place of tasks.
    private struct Named: Equatable {
        var asker: String?
        var line: Int?
        var request: CancellationRequest?
        /// By task, the task that it has its cancellation from; empty for none.
        var reached: [String: String] = [:]
    }

    private static func name(_ task: TaskID, _ store: TraceStore) -> String {
        guard let task = store.task(task) else { return "" }
        return task.kind == .asyncLet ? "async let" : task.kind == .main ? "main" : task.label.name
    }

    private static func named(_ path: CancellationPath, _ store: TraceStore) -> Named {
        let place = path.place(in: store).flatMap { Int($0.drop { $0 != ":" }.dropFirst()) }
        let reached = path.steps.map { (name($0.task, store), $0.from == .none ? "" : name($0.from, store)) }
        return Named(
            asker: path.asker == .none ? nil : name(path.asker, store), line: place, request: path.request,
            reached: Dictionary(reached, uniquingKeysWith: { first, _ in first }))
    }

    private static func paths(of shape: String, _ build: ProgramBuild, preloads: Bool = true) async throws -> (
        [CancellationPath], TraceStore
    ) {
        let run = try await WatchedRun(build.hazards(), [shape], preloads: preloads).symbolized
        #expect(run.status == 0, "\(run.output)")
        #expect(run.lost == 0)
        let store = run.store
        return (CancellationAnalysis(store).paths(), store)
    }

    @Test("One call cancels a tree of tasks, each after its parent", arguments: [ProgramBuild.debug, .release, .linkedDebug])
    func tree(_ build: ProgramBuild) async throws {
        let (paths, store) = try await Self.paths(of: "cancel-tree", build, preloads: build.isPreloaded)
        let line = try ProgramBuild.line(of: "// cancels the tree", in: "CancellationHazards")
        #expect(
            paths.map { Self.named($0, store) } == [
                Named(
                    asker: "main", line: line, request: .called,
                    reached: ["root": "", "async let": "root", "looks": "root", "holds": "root", "deep": "holds", "late": "root"])
            ])
        let path = try #require(paths.first)
        for step in path.steps where step.from != .none {
            let parent = try #require(path.steps.firstIndex { $0.task == step.from })
            #expect(try parent < #require(path.steps.firstIndex { $0.task == step.task }))
        }
        let notices = Dictionary(path.steps.map { (Self.name($0.task, store), $0) }, uniquingKeysWith: { first, _ in first })
        for name in ["looks", "deep"] {
            let step = try #require(notices[name])
            #expect(step.looked.map { $0 >= step.at && $0 <= step.ended ?? 0 } == true, "\(name): \(step.notice)")
        }
        for name in ["root", "holds", "late"] { #expect(notices[name]?.looked == nil, "\(name)") }
        #expect(notices["async let"]?.looked != nil)
    }

    @Test(
        "A sleep that a cancellation ends is a look, whatever the task does then", arguments: [ProgramBuild.debug, .release, .linkedDebug])
    func sleeps(_ build: ProgramBuild) async throws {
        let (paths, store) = try await Self.paths(of: "cancel-sleeps", build, preloads: build.isPreloaded)
        #expect(paths.map { $0.steps.map { Self.name($0.task, store) } } == [["goes on"], ["fails"], ["is deaf"]])
        let looks = paths.flatMap(\.steps).map { step in step.looked.map { $0 >= step.at && $0 <= step.ended ?? 0 } }
        #expect(looks == [true, true, nil])
    }

    @Test("A group's call and the end of a scope are cancellations of their own", arguments: [ProgramBuild.debug, .release])
    func scopes(_ build: ProgramBuild) async throws {
        let (paths, store) = try await Self.paths(of: "cancel-scopes", build)
        let line = try ProgramBuild.line(of: "// cancels the group", in: "CancellationHazards")
        #expect(
            paths.map { Self.named($0, store) } == [
                Named(
                    asker: "scopes", line: line, request: .called,
                    reached: ["spins": "", "first": "", "second": "", "async let": "second"]),
                Named(asker: "scopes", line: nil, request: .scope, reached: ["async let": ""]),
            ])
    }
}
