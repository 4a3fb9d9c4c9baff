import CodeSymbols
import TaskEvents
import Testing
import TraceStore

/// Errors by their identity, and by the places that throw them.
@Suite(.serialized)
struct ErrorsTests {
    private static let runs = 3

    private static func run(_ build: ProgramBuild, _ mode: String) async throws -> WatchedRun {
        let run = try await WatchedRun(build.program("Errors"), [mode], preloads: build.isPreloaded)
        #expect(run.status == 0)
        #expect(run.lost == 0)
        return run
    }

    @Test(
        "Every lost error is found, and no error is taken for another one",
        arguments: [ProgramBuild.debug, .release, .staticallyLinked], ["unread", "unread-after-async-let"])
    func identity(_ build: ProgramBuild, _ mode: String) async throws {
        for _ in 0..<Self.runs {
            let run = try await Self.run(build, mode)
            let lost = try #require(run.counts["lost"])
            let handled = try #require(run.counts["handled"])
            let store = run.store
            let faulted = store.rows.map { store[$0] }.filter { $0.state == .faulted }
            #expect(faulted.count == lost + handled)
            #expect(faulted.allSatisfy { $0.faultManner == .thrown })
            #expect(faulted.count { $0.isReleased && !$0.isErrorReadOutside && Array($0.readers).isEmpty } == lost)
            let types = faulted.filter { $0.isReleased && $0.kind != .groupChild }.map { run.entries.error($0.error)?.type }
            #expect(types == Array(repeating: "Declined", count: lost))
        }
    }

    /// Line numbers of the program's throws, by the comments beside them.
    private static func lines(_ throwing: [String]) throws -> [String] {
        let source = try ProgramBuild.source("Errors").split(separator: "\n", omittingEmptySubsequences: false)
        return try throwing.map { comment in
            let line = try #require(source.firstIndex { $0.hasSuffix("// \(comment)") })
            return "Errors.swift:\(line + 1)"
        }
    }

    @Test("An error's place is its first throw; later throws are the steps of its path")
    func places() async throws {
        let run = try await Self.run(.debug, "rethrown").symbolized
        let sites = try Self.lines(["first throw", "second throw", "third throw", "fourth throw"])
        func error(_ name: String) throws -> ErrorDescription {
            let store = run.store
            let row = try #require(store.rows.first { store[$0].label.name == name })
            return try #require(run.entries.error(store[row].error))
        }
        let (inner, outer) = (try error("inner"), try error("outer"))
        #expect([inner.site] + inner.laterSites == Array(sites.prefix(3)))
        #expect([outer.site] + outer.laterSites == sites)
    }

    @Test("So it is of a typed error")
    func typedPlaces() async throws {
        let run = try await Self.run(.debug, "typed").symbolized
        let store = run.store
        let row = try #require(store.rows.first { store[$0].label.name == "typed" })
        let error = try #require(run.entries.error(store[row].error))
        #expect([error.site] + error.laterSites == (try Self.lines(["first typed throw", "second typed throw"])))
    }
}

extension WatchedRun {
    /// The same with the names of all places.
    var symbolized: WatchedRun {
        var run = self
        run.entries.learn(Symbolizer().symbols(of: run.entries.unknownPlaces()))
        return run
    }
}
