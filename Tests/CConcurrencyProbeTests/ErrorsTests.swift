import CodeSymbols
import TaskEvents
import Testing
import TraceAnalysis
import TraceStore

/// Errors, told apart by their identity, and the places that throw them.
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
        "Every unread error is found, and no error is confused with another",
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

    /// The line numbers of the program's throws, found by the comments beside them.
    private static func lines(_ throwing: [String]) throws -> [String] {
        let source = try ProgramBuild.source("Errors").split(separator: "\n", omittingEmptySubsequences: false)
        return try throwing.map { comment in
            let line = try #require(source.firstIndex { $0.hasSuffix("// \(comment)") })
            return "Errors.swift:\(line + 1)"
        }
    }

    @Test("An error's place is its first throw; later throws are the steps of its path")
    func sites() async throws {
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

        let store = run.store
        let path = try #require(FaultAnalysis(store).faults().first { store.task($0.origin)?.label.name == "inner" })
        let steps = path.steps.prefix(4).map { "\(store.task($0.task)?.label.name ?? "") \($0.role?.name ?? "") \($0.site(in: store))" }
        #expect(
            steps == [
                "inner thrown \(sites[0])", "inner forwarded \(sites[1])", "inner forwarded \(sites[2])",
                "outer \(path.steps[3].role?.name ?? "") \(sites[3])",
            ])
        let sentences = FaultSentence(store, callsErrorIt: true)
        #expect(sentences.text(of: path.steps[1]).hasSuffix(" threw it again in \(sites[1])"))
    }

    @Test("The error that ends an async main is a fault of main", arguments: [ProgramBuild.debug, .release])
    func errorOfMain(_ build: ProgramBuild) async throws {
        let run = try await WatchedRun(build.program("Errors"), ["main"]).symbolized
        #expect(run.status != 0)
        let store = run.store
        let faults = Array(FaultAnalysis(store).faults())
        let fault = try #require(faults.first { _ in true })
        let main = try #require(store.task(fault.origin))
        #expect(main.kind == .main)
        #expect(main.state == .faulted)
        let error = try #require(run.entries.error(main.error))
        #expect(error.type == "Reason")
        #expect(try [error.site] == Self.lines(["throw of main"]))
        #expect(faults.count == 1)
        // The runtime prints the error, and the thread's waits for a backtrace are not the task's.
        #expect(main.isErrorReadOutside)
        #expect(WarningEngine(settings: WarningSettings()).list(in: store, isOver: true).groups.isEmpty)
    }

    @Test("A typed error's place is its first throw, too", arguments: [ProgramBuild.debug, .release])
    func typedSites(_ build: ProgramBuild) async throws {
        let run = try await Self.run(build, "typed").symbolized
        let store = run.store
        let throwsByTask = [
            "typed": ["first typed throw", "second typed throw"], "boxed": ["first typed throw", "second typed throw", "boxed throw"],
            "suspended": ["first typed throw", "second typed throw", "throw after a suspension"], "later": ["later throw"],
        ]
        for (name, comments) in throwsByTask {
            let row = try #require(store.rows.first { store[$0].label.name == name })
            let error = try #require(run.entries.error(store[row].error))
            #expect([error.site] + error.laterSites == (try Self.lines(comments)))
        }
    }
}

extension WatchedRun {
    /// The same run with names for all places.
    var symbolized: WatchedRun {
        var run = self
        run.entries.learn(Symbolizer().symbols(of: run.entries.unknownAddresses()))
        return run
    }
}
