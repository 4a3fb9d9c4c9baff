import Foundation
import TaskEvents
import Testing
import TraceAnalysis
import TraceStore

/// Blocks of Dispatch, operation queues and run loops, compared with what the program says of each.
@Suite(.serialized)
struct BlocksTests {
    /// One line of the program's ledger.
    private struct Shape {
        var name: String
        var line: UInt32
        var executor: String
        var runs: Int
        var end: String
        var maker: String
        var operation: String

        init?(_ line: Substring) {
            let words = line.split(separator: " ")
            guard words.count == 8, words[0] == "block", let place = UInt32(words[2]), let runs = Int(words[4]) else { return nil }
            (name, self.line, executor, self.runs) = (String(words[1]), place, String(words[3]), runs)
            (end, maker, operation) = (String(words[5]), String(words[6]), String(words[7]))
        }
    }

    @Test(arguments: [ProgramBuild.debug, .release, .wrapped], ["dispatchMain", "runloop", "asyncMain"])
    func everyShapeHasItsLineItsExecutorItsRunsAndItsMaker(build: ProgramBuild, way: String) async throws {
        let run = try await WatchedRun(build.program("Blocks"), [way], preloads: build.isPreloaded).symbolized
        #expect(run.status == 0, "\(run.output)")
        #expect(run.lost == 0)
        #expect(run.entries.swiftRoutes.contains(.blocks))
        let store = run.store
        let blocks = store.blockRows.map { store[$0] }
        let shapes = run.output.split(separator: "\n").compactMap { Shape($0) }
        #expect(shapes.count >= (way == "runloop" ? 43 : 41))
        var lines: [String: UInt32] = [:]
        for shape in shapes { lines[shape.name] = shape.line }
        for shape in shapes {
            let found = blocks.filter {
                $0.label.line == shape.line && $0.label.file == "Blocks.swift" && ($0.label.givenName ?? "-") == shape.operation
            }
            #expect(found.count == max(1, shape.runs), "\(shape.name)")
            for block in found {
                #expect("\(block.state)" == shape.end, "\(shape.name)")
                #expect(shape.runs == 0 || block.started != nil && (block.busy ?? 0) > 0, "\(shape.name)")
                if shape.runs > 0, shape.executor != "*" {
                    #expect(store.description(of: block.executor).name == shape.executor, "\(shape.name)")
                }
                let maker = block.firstAntecedent.flatMap { store.task($0)?.label.line }
                #expect(maker == lines[shape.maker], "\(shape.name)")
            }
        }
        #expect(store.taskCount == 0)
        // A run loop waits as an event loop does, but what it runs are blocks.
        #expect(!store.executors.contains { $0.kind == .loop })
        // The end of the program is a block, too, with three inside it and Foundation's of the operation queue.
        let known = Set(shapes.map(\.line))
        let others = blocks.filter { $0.label.file == "Blocks.swift" && !known.contains($0.label.line) }
        #expect(others.count == 4)
    }

    // MARK: What holds main

    private static func hazard(_ name: String, _ build: ProgramBuild = .release) async throws -> (run: WatchedRun, list: WarningList) {
        let run = try await WatchedRun(build.program("BlockHazards"), [name]).symbolized
        #expect(run.status == 0)
        #expect(run.lost == 0)
        return (run, WarningEngine(settings: WarningSettings()).list(in: run.store, isOver: true))
    }

    private static func line(of text: String) throws -> Int {
        let lines = try ProgramBuild.source("BlockHazards").split(separator: "\n", omittingEmptySubsequences: false)
        return try #require(lines.firstIndex { $0.contains(text) }) + 1
    }

    @Test(arguments: [ProgramBuild.debug, .release])
    func theBlockThatHoldsMainIsNamedWithItsLine(build: ProgramBuild) async throws {
        let (run, list) = try await Self.hazard("stalled", build)
        let store = run.store
        let finding = try #require(list.findings.first { $0.rule == "main-stall" && $0.task.isBlock })
        let line = try Self.line(of: "// holds main")
        let message = list.message(of: finding, in: store)
        #expect(message.hasPrefix("The block at BlockHazards.swift:\(line) kept main busy for "))
        // The program and the trace read different clocks.
        #expect(finding.measure >= 299_000_000)
        // While the block runs, the chain of the task that waits for main ends at the block.
        let past = TraceStore()
        past.entries = run.entries
        for (event, lane) in zip(run.events, run.lanes) where event.time <= finding.at + 100_000_000 { past.apply(event, lane: Int(lane)) }
        let waiting = try #require(past.rows.map { past[$0] }.first { $0.state == .queued })
        let chain = WaitChain(of: .task(waiting.id), in: past)
        #expect(chain.links.map(\.subject) == [.task(waiting.id), .task(finding.task)])
        #expect(chain.end == .runs(mayBlock: false))
    }

    @Test func aProgramWithTheWorkElsewhereHasNoFinding() async throws {
        let (run, list) = try await Self.hazard("unstalled")
        #expect(list.findings.map { list.message(of: $0, in: run.store) } == [])
        // The task went on because a block resumed its continuation.
        let resumer = run.events.last { $0.kind == .enqueued && !$0.task.isBlock && $0.otherTask.isBlock }
        #expect(run.store.task(resumer?.otherTask ?? .none)?.label.name.contains("unstalled") == true)
        #expect(run.store.task(resumer?.task ?? .none)?.resumers.contains(resumer?.otherTask ?? .none) == true)
    }

    @Test func mainThatDoesNothingThatIsRecordedIsSaidToBeHeldByThat() async throws {
        let (run, list) = try await Self.hazard("silent")
        let messages = list.findings.map { list.message(of: $0, in: run.store) }
        #expect(
            messages.contains { $0.hasPrefix("main took no recorded job for ") && $0.hasSuffix("something that is not recorded held it.") })
    }

    /// A program whose blocks wait for each other, and the lines of all blocks of the circle.
    struct Circle: Sendable {
        let program: String
        let lines: [String]
    }

    @Test(arguments: [
        Circle(program: "deadlocked", lines: ["// waits for second", "// waits for first"]),
        Circle(program: "awaited", lines: ["// needs first"]),
        Circle(program: "grouped", lines: ["// a member for first"]),
        Circle(program: "crossed", lines: ["// an item for second", "// a block for first"]),
    ])
    func aDeadlockOfQueuesIsNamedWithAllLines(circle: Circle) async throws {
        let (run, list) = try await Self.hazard(circle.program)
        let finding = try #require(list.findings.first { $0.rule == "wait-cycle" })
        let message = list.message(of: finding, in: run.store)
        for text in circle.lines { #expect(message.contains("lock at BlockHazards.swift:\(try Self.line(of: text))"), "\(message)") }
    }

    @Test func blocksThatAllWaitStarveTheBlockThatTheyHold() async throws {
        let (run, list) = try await Self.hazard("exploded")
        let finding = try #require(list.findings.first { $0.rule == "pool-starvation" })
        let message = list.message(of: finding, in: run.store)
        let waiting = try #require(run.counts["waiting"])
        let holder = "where all \(waiting) running jobs were blocked in a wait: "
        #expect(message.contains(holder + "the block at BlockHazards.swift:\(try Self.line(of: "// waits for the last"))."), "\(message)")
    }

    // MARK: Event loops

    @Test("An event loop is an executor with ticks, and a long one is a finding", arguments: ["long", "blocked", "short"])
    func anEventLoopIsAnExecutorWithTicks(turns: String) async throws {
        let run = try await WatchedRun(ProgramBuild.release.program("EventLoop"), [turns]).symbolized
        #expect(run.status == 0)
        #expect(run.lost == 0)
        let store = run.store
        let loop = try #require(store.executors.first { $0.kind == .loop })
        #expect(loop.name == "test-loop")
        // A thread that has waited three times is a loop.
        #expect(loop.jobs == run.counts["turns"].map { $0 - 3 })
        #expect(loop.running.isEmpty)
        // The program and the trace read different clocks.
        #expect(turns == "short" || (loop.longestJob?.nanoseconds ?? 0) >= 149_000_000)
        let list = WarningEngine(settings: WarningSettings()).list(in: store, isOver: true)
        // Main waits for the thread, which is a finding of its own.
        let messages = list.findings.filter { $0.rule == "loop-stall" }.map { list.message(of: $0, in: store) }
        let lines = try ProgramBuild.source("EventLoop").split(separator: "\n", omittingEmptySubsequences: false)
        let line = try #require(lines.firstIndex { $0.contains("usleep(") }) + 1
        switch turns {
        case "long":
            let ending = "and what ran meanwhile is not recorded."
            #expect(messages.contains { $0.hasPrefix("test-loop took no new event for ") && $0.hasSuffix(ending) }, "\(messages)")
        case "blocked":
            let ending = ": its thread was blocked for most of that time in `spend(_:)`, EventLoop.swift:\(line)."
            #expect(messages.contains { $0.hasPrefix("test-loop took no new event for ") && $0.hasSuffix(ending) }, "\(messages)")
            #expect(!list.findings.contains { $0.rule == "blocking-wait" && $0.executor == loop.id })
        // A busy machine may keep any turn for longer.
        case _: #expect((loop.longestJob?.nanoseconds ?? 0) >= 100_000_000 || messages.isEmpty, "\(messages)")
        }
    }

    @Test("A loop's name that comes after too many others gives its turns to no other loop")
    func moreLoopsThanNames() async throws {
        let run = try await WatchedRun(ProgramBuild.release.program("EventLoop"), ["300"])
        #expect(run.status == 0)
        let loops = run.store.executors.filter { $0.kind == .loop }
        #expect(loops.count > 200 && loops.count <= 256)
        // Each loop waits six times, of which the first three do not count.
        #expect(loops.allSatisfy { $0.jobs <= 3 })
    }
}
