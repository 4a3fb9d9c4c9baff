import Foundation
import TaskEvents
import Testing
import TraceStore

@testable import Scenarios

/// The report of each scenario, compared with the text of its seed.
@Suite(.serialized)
struct ScenarioTests {
    @Test("AWS guide, first scenario: both calls succeed and the last continuation finds no error")
    func kinesisSuccess() async throws {
        let played = try await Played(KinesisSuccess())
        #expect(
            played.tasks.sorted() == [
                "report succeeded", "saveRecord succeeded", "submitAllRecords succeeded", "submitAllRecords succeeded",
            ])
        #expect(played.faults.isEmpty)
        #expect(played.output == ["Submitted 1 record."])
    }

    @Test("AWS guide, second scenario: submitAllRecords fails and the last continuation logs its error")
    func kinesisSubmitFails() async throws {
        let played = try await Played(KinesisSubmitFails())
        #expect(played.faults == ["submitAllRecords thrown, submitAllRecords forwarded, report recovered: recovered"])
        #expect(played.tasks.contains("saveRecord succeeded"))
        #expect(played.output == [#"Error: streamNotFound("test-stream-name")"#])
    }

    @Test("AWS guide, third scenario: saveRecord fails, submitAllRecords is skipped, the last continuation logs the error")
    func kinesisSaveFails() async throws {
        let played = try await Played(KinesisSaveFails())
        #expect(
            played.tasks == ["saveRecord faulted thrown", "submitAllRecords skipped, faulted forwarded", "report succeeded recovered"])
        #expect(played.faults == ["saveRecord thrown, submitAllRecords forwarded, report recovered: recovered"])
        #expect(played.output == ["Error: throttled"])
    }

    @Test("AWS guide, in parallel: 0...100 is 101 records, joined before they are submitted")
    func kinesisParallel() async throws {
        let played = try await Played(KinesisParallel())
        let join = try #require(played.store.rows.map { played.store[$0] }.first { $0.kind == .join })
        #expect(Array(join.antecedents).count == 101)
        #expect(played.faults.isEmpty)
        #expect(played.output == ["Submitted 101 records."])
    }

    @Test("Gini guide: the forced failure skips the next continuation, the handler recovers, the last one runs")
    func giniValedictorian() async throws {
        let played = try await Played(GiniValedictorian())
        #expect(
            played.faults == [
                "forcedFailure thrown, setValedictorian forwarded, findSalutatorian forwarded, handleError recovered: recovered"
            ])
        #expect(played.tasks.contains("findSalutatorian skipped, faulted forwarded"))
        #expect(played.tasks.contains("everythingIsDone succeeded"))
    }

    @Test("hash: one task for each regular file, each counted on main", arguments: [0, 1, 37])
    func hash(files: Int) async throws {
        let space = ScratchSpace()
        defer { space.remove() }
        let tree = try ScratchDirectory(in: space)
        for number in 0..<files {
            try Data("file \(number)".utf8).write(to: tree.url.appendingPathComponent("\(number)"))
        }
        let played = try await Played(HashTree(), path: tree.url.path)
        #expect(played.tasks.filter { $0 == "count succeeded" }.count == files)
        #expect(played.tasks.last == "\(files) files: \(files) hashed, 0 unreadable succeeded")
    }

    @Test("hash: a directory that cannot be listed is a faulted task with the system's error message")
    func missingDirectory() async throws {
        let played = try await Played(HashTree(), path: "/nowhere/at/all")
        #expect(played.faults == ["list /nowhere/at/all thrown, files of /nowhere/at/all recovered: recovered"])
        #expect(played.output.first == "/nowhere/at/all: No such file or directory")
    }

    @Test("load: makes as many tasks as asked for, and its own count equals the trace's", arguments: [1, 2, 3, 4, 5, 1000])
    func load(tasks: Int) async throws {
        let played = try await Played(Load(), tasks: tasks)
        let succeeded = played.store.count(of: .succeeded)
        let faulted = played.store.count(of: .faulted)
        #expect(played.views.count == tasks)
        #expect(played.store.lostCount == 0)
        #expect(played.output == ["load made \(tasks) tasks: \(succeeded) succeeded, \(faulted) faulted, 0 cancelled."])
    }

    @Test("The guides are played one after another and end")
    func guides() async throws {
        let played = try await Played(Tour.guides)
        for guide in ["AWS guide", "Gini guide", "SwiftTask", "Alecrim", "Async Contexts"] {
            #expect(played.output.contains { $0.contains(": \(guide)") }, "\(guide)")
        }
        #expect(Set(played.faults.compactMap { $0.split(separator: " ").last }) == ["recovered", "swallowed", "unobserved"])
        #expect(played.views.allSatisfy { $0.state.hasEnded })
    }

    @Test("Every scenario can be played again and leaves no file behind", .timeLimit(.minutes(1)), arguments: ScenarioList.all.map(\.name))
    func again(name: String) async throws {
        let scenario = try #require(ScenarioList.named(name))
        let space = ScratchSpace()
        defer { space.remove() }
        let input = ScratchSpace()
        defer { input.remove() }
        let tree = try ScratchDirectory(in: input)
        defer { tree.remove() }
        for _ in 1...2 {
            await withCheckedContinuation { done in
                scenario.play(on: Stage(speed: 1e6, path: tree.url.path, tasks: 100, scratch: space, time: TimeSource()) { _ in }) {
                    done.resume()
                }
            }
        }
        // The last job may still hold its objects for a moment.
        while let left = try? FileManager.default.contentsOfDirectory(atPath: space.url.path), !left.isEmpty { await Task.yield() }
        #expect((try? FileManager.default.contentsOfDirectory(atPath: space.url.path)) ?? [] == [])
    }

    @Test("Every scenario of the design exists")
    func all() {
        #expect(
            ScenarioList.all.map(\.name) == [
                "guides",
                "kinesis-success", "kinesis-submit-fails", "kinesis-save-fails", "kinesis-per-method", "kinesis-sequence",
                "kinesis-parallel", "kinesis-main-thread",
                "gini-extractions", "gini-valedictorian", "gini-main-thread",
                "swifttask-dependent", "swifttask-exception", "swifttask-all",
                "alecrim-basics", "alecrim-conditions", "alecrim-exclusive", "alecrim-observers", "alecrim-cancel",
                "recipes-ordering", "recipes-invisible-error", "recipes-background", "recipes-stream", "recipes-blocking",
                "recipes-reentrancy",
                "hash", "main-stall", "hop-storm", "deadlock", "load",
            ])
        #expect(
            ScenarioList.probed.map(\.name) == ["lost-error", "blocked-main", "await-ring", "hot-actor", "hung-test", "tour"])
    }

    @Test("Every scenario's description names a screen and the key that shows it")
    func summaries() {
        for scenario in ScenarioList.all where scenario.name != "guides" {
            let screens = ["1 Tasks", "2 Graph", "3 Executors", "5 Faults", "6 Hops", "7 Warnings", "8 Output"]
            #expect(screens.contains { scenario.summary.contains("\($0) ") || scenario.summary.contains("the header") }, "\(scenario.name)")
        }
    }

    @Test("Every scenario is found by its own name only")
    func names() {
        #expect(Set(ScenarioList.all.map(\.name)).count == ScenarioList.all.count)
        #expect(ScenarioList.all.allSatisfy { ScenarioList.named($0.name)?.name == $0.name })
        #expect(ScenarioList.named("nothing") == nil)
        #expect(Set((ScenarioList.probed + ScenarioList.all).map(\.name)).count == ScenarioList.probed.count + ScenarioList.all.count)
    }
}
