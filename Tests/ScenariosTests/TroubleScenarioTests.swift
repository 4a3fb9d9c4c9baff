import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

@testable import Scenarios

/// The scenarios that show a problem beside its solution.
@Suite(.serialized)
struct TroubleScenarioTests {
    @Test("main-stall: the same hash on main, and in the background with only its result on main")
    func mainStall() async throws {
        let report = try await PlayedReport(MainStallScenario())
        #expect(report.tasks("hash on main").map(\.executor) == ["main"])
        #expect(report.tasks("hash in the background").map(\.executor) == ["disk"])
        #expect(report.tasks("show").map(\.executor) == ["main", "main"])
        #expect(report.output.filter { !$0.hasPrefix("Scene ") } == ["Hashed 1048576 bytes.", "Hashed 1048576 bytes."])
        #expect(report.failures.isEmpty)
    }

    @Test("hop-storm: a hop to main and back for every line, a hop onto its own queue for every line, and one hop in all")
    func hopStorm() async throws {
        let report = try await PlayedReport(HopStorm())
        #expect(report.lost == 0)
        #expect(report.output.sorted() == ["bouncing: 5050", "queueing: 5050", "straight: 5050"])
        #expect(report.hops { $0.hasPrefix("progress") }.map(\.to) == Array(repeating: "main", count: 100))
        #expect(report.hops { $0.hasPrefix("add ") }.map(\.to) == Array(repeating: "bouncing", count: 100))
        #expect(report.hops { $0.hasPrefix("queue for") }.map(\.class) == Array(repeating: "redundant", count: 100))
        #expect(report.hops { $0.hasPrefix("go on") || $0 == "show straight" }.map(\.to) == ["main"])
    }

    @Test("hop-storm: the drawing closures that hops onto main waited for are named, and are main's longest jobs by name and place")
    func hopStormCauses() async throws {
        let store = try await Played(HopStorm()).store
        let words = TaskWords(store)
        let main = try #require(store.executors.first { $0.kind == .main })
        let analysis = HopAnalysis(store)
        let hops = analysis.hops().map(\.hop).filter { $0.to == main.id }
        let names = Set(hops.compactMap { analysis.cause(of: $0) }.map { words.name(of: $0.task, closure: $0.label) })
        #expect(names.contains("draw(until:_:)"))
        let longest = try #require(main.longestJob)
        #expect(words.site(of: .none, closure: longest.label)?.hasPrefix("HopStorm.swift:") == true || longest.task != .none)
    }

    @Test("deadlock: w names the ring of the two transfers, and the source that nothing sets")
    func deadlockChain() async throws {
        let store = try await Played(Deadlock()).store
        let names = { (chain: WaitChain) in chain.links.map { TaskWords(store).name(of: $0.subject) } }
        let task = { (name: String) in store.rows.lazy.map { store[$0] }.first { $0.label.name == name }?.id ?? .none }
        let receipt = WaitChain(of: .task(task("print the receipt")), in: store)
        #expect(names(receipt) == ["`print the receipt`", "`receipt`"])
        #expect(receipt.end == .unresumed(isLost: false))
        let transfer = WaitChain(of: .task(task("transfer from savings")), in: store)
        #expect(
            names(transfer) == [
                "`transfer from savings`", "`credit current, never`", "`transfer from current`", "`credit savings, never`",
            ])
        #expect(WaitWords(store).text(ofLink: 0, of: transfer).contains("at Deadlock.swift:"))
    }

    @Test("deadlock: tasks that wait for ever stay running, queued, suspended and pending; the safe variant ends")
    func deadlock() async throws {
        let report = try await PlayedReport(Deadlock())
        #expect(report["debit savings"] + report["credit current"] == ["succeeded", "succeeded"])
        #expect(report["transfer from savings"] + report["transfer from current"] == ["running", "running"])
        #expect(report["credit savings, never"] + report["credit current, never"] == ["queued", "queued"])
        #expect(report.antecedents(of: "returns itself") == ["begin", "returns itself"])
        #expect(report.antecedents(of: "returns the other") == ["begin both", "returns the one"])
        #expect(report.antecedents(of: "returns the one") == ["begin both", "returns the other"])
        #expect((1...12).allSatisfy { report["tick \($0)"] == ["succeeded"] })
        for name in ["returns itself", "returns the other", "returns the one"] {
            #expect(report[name] == ["suspended"])
        }
        for name in ["receipt", "print the receipt", "both transfers", "set the receipt"] {
            #expect(report[name] == ["pending"])
        }
        #expect(report.output.filter { !$0.hasPrefix("Scene ") } == ["Nothing else moves any more."])
    }

    @Test("load: however many tasks it makes, only so many are on their way", arguments: [4, 40])
    func loadIsBounded(tasksAtOnce: Int) async throws {
        let counts = Guarded((open: 0, most: 0, made: 0))
        _ = await EventRecording.alone {
            let scratch = ScratchSpace()
            defer { scratch.remove() }
            let note: @Sendable (LoadNote) -> Void = { note in
                counts.withLock {
                    $0.open += note == .made ? 1 : -1
                    $0.made += note == .made ? 1 : 0
                    $0.most = max($0.most, $0.open)
                }
            }
            await withCheckedContinuation { done in
                let stage = Stage(speed: 1e6, tasks: 4_000, scratch: scratch, time: TimeSource(), note: note) { _ in }
                Load(tasksAtOnce: tasksAtOnce).play(on: stage) { done.resume() }
            }
        }
        #expect(counts.withLock { $0.most } <= tasksAtOnce)
        #expect(counts.withLock { $0.made } == 4_000)
    }
}
