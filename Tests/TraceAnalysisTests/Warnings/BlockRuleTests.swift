import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// Rules about blocks of Dispatch: what held main, blocks that wait for each other, and a concurrent queue without a free thread.
@Suite struct BlockRuleTests {
    private struct Blocks {
        var trace = TraceBuilder(at: 1)
        let main, pool, first, second: ExecutorID

        init() {
            main = trace.executor("main", .main)
            pool = trace.executor("com.apple.root.default-qos", .pool)
            first = trace.executor("first", .queue)
            second = trace.executor("second", .queue)
        }

        mutating func begin(_ block: TaskID, on executor: ExecutorID, lane: UInt16) {
            trace.lane = lane
            trace.start(block, .slice, on: executor)
        }

        /// A block that another one makes, and waits for until it has run.
        mutating func sync(_ line: UInt32, on executor: ExecutorID, by maker: TaskID, lane: UInt16) -> TaskID {
            trace.lane = lane
            let block = trace.block("sync", on: executor, by: maker, line: line)
            trace.beginWait(for: block, by: maker)
            return block
        }
    }

    @Test func aBlockThatHoldsMainIsNamedByItsLine() {
        var blocks = Blocks()
        let block = blocks.trace.block("load", on: blocks.main, line: 12)
        let late = blocks.trace.block("load", on: blocks.main, line: 20)
        blocks.begin(block, on: blocks.main, lane: 1)
        blocks.trace.advance(milliseconds: 300)
        blocks.trace.complete(block)
        blocks.begin(late, on: blocks.main, lane: 1)
        blocks.trace.complete(late)
        let warned = Warned(blocks.trace, isOver: false)
        #expect(warned.messages == ["The block at main.swift:12 kept main busy for 300.0 ms, while 1 job waited for it."])
    }

    @Test("Main that runs no recorded job for twice the threshold, while one waits, was held by something else", arguments: [200, 201])
    func silence(milliseconds: UInt64) {
        var blocks = Blocks()
        let task = blocks.trace.create(.detached, "load")
        blocks.trace.enqueue(task, on: blocks.main)
        blocks.trace.advance(milliseconds: milliseconds)
        blocks.begin(task, on: blocks.main, lane: 1)
        blocks.trace.complete(task)
        let expected = [
            "main took no recorded job for 201.0 ms, while `load` waited for it: something that is not recorded held it."
        ]
        #expect(Warned(blocks.trace, isOver: false).messages == (milliseconds > 200 ? expected : []))
    }

    @Test func mainThatStillTakesNoJobIsNamed() {
        var blocks = Blocks()
        let task = blocks.trace.create(.detached, "load")
        blocks.trace.enqueue(task, on: blocks.main)
        blocks.trace.advance(milliseconds: 400)
        blocks.trace.mark("now")
        #expect(
            Warned(blocks.trace, isOver: false).messages == [
                "main has taken no recorded job for 400.0 ms, while `load` waited for it: something that is not recorded held it."
            ])
    }

    @Test func mainThatRanAnotherJobMeanwhileWasNotSilent() {
        var blocks = Blocks()
        let (task, block) = (blocks.trace.create(.detached, "load"), blocks.trace.block("tick", on: blocks.main, line: 12))
        blocks.trace.enqueue(task, on: blocks.main)
        blocks.trace.advance(milliseconds: 150)
        blocks.begin(block, on: blocks.main, lane: 1)
        blocks.trace.advance(milliseconds: 90)
        blocks.trace.complete(block)
        blocks.trace.advance(milliseconds: 150)
        blocks.begin(task, on: blocks.main, lane: 1)
        blocks.trace.complete(task)
        #expect(Warned(blocks.trace, isOver: false).list.isEmpty)
    }

    @Test func twoQueuesThatWaitForEachOtherAreADeadlockWithBothLines() throws {
        var blocks = Blocks()
        let (one, two) = (
            blocks.trace.block("one", on: blocks.first, line: 5), blocks.trace.block("two", on: blocks.second, line: 9)
        )
        blocks.begin(one, on: blocks.first, lane: 1)
        blocks.begin(two, on: blocks.second, lane: 2)
        let third = blocks.sync(6, on: blocks.second, by: one, lane: 1)
        _ = blocks.sync(10, on: blocks.first, by: two, lane: 2)
        blocks.trace.advance(milliseconds: 500)
        blocks.trace.mark("now")
        let warned = Warned(blocks.trace)
        let message = try #require(warned.messages.first { $0.contains("none of them can end") })
        for line in [5, 6, 9, 10] { #expect(message.contains("he block at main.swift:\(line)")) }
        #expect(message.contains("needs second, held by"))
        guard case .ring = WaitChain(of: .task(third), in: blocks.trace.store()).end else {
            Issue.record("the chain of waits is no ring")
            return
        }
    }

    @Test("A thread that waits for a group waits for a block of it, until that block has ended", arguments: [false, true])
    func groups(hasEnded: Bool) throws {
        var blocks = Blocks()
        let waiter = blocks.trace.block("load", on: blocks.first, line: 7)
        let member = blocks.trace.block("part", on: blocks.second, line: 9)
        blocks.begin(member, on: blocks.second, lane: 2)
        blocks.begin(waiter, on: blocks.first, lane: 1)
        blocks.trace.beginWait(for: member, by: waiter)
        if hasEnded {
            blocks.trace.lane = 2
            blocks.trace.complete(member)
        }
        blocks.trace.advance(milliseconds: 50)
        blocks.trace.mark("now")
        let chain = WaitChain(of: .task(waiter), in: blocks.trace.store())
        #expect(chain.links.map(\.subject) == (hasEnded ? [.task(waiter)] : [.task(waiter), .task(member)]))
        #expect(chain.end == (hasEnded ? .blocks : .runs(mayBlock: false)))
    }

    @Test("A thread that waits by sync for a queue names the block that keeps the queue", arguments: [false, true])
    func kept(isOver: Bool) {
        var blocks = Blocks()
        let (task, keeper) = (
            blocks.trace.create(.detached, "look up"), blocks.trace.block("sweep", on: blocks.first, line: 15)
        )
        blocks.begin(keeper, on: blocks.first, lane: 2)
        blocks.begin(task, on: blocks.pool, lane: 1)
        let turn = blocks.sync(12, on: blocks.first, by: task, lane: 1)
        blocks.trace.advance(milliseconds: 50)
        if isOver {
            blocks.trace.lane = 2
            blocks.trace.complete(keeper)
            blocks.begin(turn, on: blocks.first, lane: 1)
            blocks.trace.complete(turn)
            blocks.trace.endWait(for: turn, by: task)
        } else {
            blocks.trace.mark("now")
        }
        let warned = Warned(blocks.trace, isOver: false)
        #expect(
            warned.messages == [
                "`look up` \(isOver ? "blocked" : "has blocked") a thread of com.apple.root.default-qos for 50.0 ms, waiting for first, "
                    + "kept by the block at main.swift:15."
            ])
        #expect(warned.unproven(blocks.trace).isEmpty)
    }

    @Test func aQueueOfItsOwnMayWaitAndMainMayNot() {
        func messages(_ executor: (Blocks) -> ExecutorID) -> [String] {
            var blocks = Blocks()
            let block = blocks.trace.block("load", on: executor(blocks), line: 7)
            blocks.begin(block, on: executor(blocks), lane: 1)
            blocks.trace.beginWait(for: .none, by: block)
            blocks.trace.advance(milliseconds: 50)
            blocks.trace.endWait(for: .none, by: block)
            blocks.trace.complete(block)
            return Warned(blocks.trace, isOver: false).messages
        }
        #expect(messages(\.first).isEmpty)
        #expect(messages(\.pool).isEmpty)
        #expect(messages(\.main) == ["The block at main.swift:7 blocked a thread of main for 50.0 ms in a blocking call."])
    }

    @Test func aConcurrentQueueWhoseBlocksAllWaitStarvesTheNextOne() throws {
        var blocks = Blocks()
        for lane in 1...3 {
            let block = blocks.trace.block("load", on: blocks.pool, line: 7)
            blocks.begin(block, on: blocks.pool, lane: UInt16(lane))
            blocks.trace.beginWait(for: .none, by: block)
        }
        _ = blocks.trace.block("late", on: blocks.pool, line: 20)
        blocks.trace.advance(milliseconds: 300)
        blocks.trace.mark("now")
        let message = try #require(Warned(blocks.trace, isOver: false).messages.first)
        #expect(
            message == "The block at main.swift:20 has been waiting 300.0 ms for com.apple.root.default-qos, where all 3 running jobs were "
                + "blocked in a wait: the block at main.swift:7.")
    }

    @Test func onlyAQueryThatNamesTheKindAsksForBlocks() throws {
        #expect(try TaskQuery("kind:block").asksForBlocks)
        #expect(try TaskQuery("kind:block,detached on:main").asksForBlocks)
        #expect(try !TaskQuery("-kind:block").asksForBlocks)
        #expect(try !TaskQuery("on:main").asksForBlocks)
        var blocks = Blocks()
        let block = blocks.trace.block("load", on: blocks.main, line: 7)
        let task = blocks.trace.create(.detached, "load")
        let store = blocks.trace.store()
        #expect(try TaskQueryMatcher(TaskQuery("name:load"), in: store).tasks() == [task])
        #expect(try TaskQueryMatcher(TaskQuery("kind:block"), in: store).tasks() == [block])
    }

    // MARK: Event loops

    /// What the rules say of one turn of a loop, in which `run` lets the time pass.
    private func turn(isOver: Bool = true, _ run: (inout Blocks, ExecutorID) -> Void) -> [String] {
        var blocks = Blocks()
        let loop = blocks.trace.executor("NIO-ELT-0", .loop)
        blocks.trace.lane = 1
        blocks.trace.startClosure("wait", on: loop)
        run(&blocks, loop)
        if isOver { blocks.trace.endClosure("wait", on: loop) } else { blocks.trace.mark("now") }
        return Warned(blocks.trace, isOver: false).messages
    }

    @Test(arguments: [100, 101])
    func aLongTurnOfALoopIsAStall(milliseconds: UInt64) {
        let told = turn { blocks, _ in blocks.trace.advance(milliseconds: milliseconds) }
        let message = "NIO-ELT-0 took no new event for 101.0 ms, and what ran meanwhile is not recorded."
        #expect(told == (milliseconds > 100 ? [message] : []))
    }

    @Test func aTurnThatIsNotOverIsToldWithItsCall() {
        let told = turn(isOver: false) { blocks, _ in
            let call = blocks.trace.label(code: blocks.trace.code("load()", file: "Handler.swift", line: 12))
            blocks.trace.beginWait(for: .none, in: call)
            blocks.trace.advance(milliseconds: 300)
        }
        #expect(
            told == [
                "NIO-ELT-0 has taken no new event for 300.0 ms: its thread was blocked for most of that time in "
                    + "`load()`, Handler.swift:12."
            ])
    }

    @Test("A task on a loop is named if it took most of the turn, and of a shorter one nothing is said", arguments: [160, 140])
    func slices(milliseconds: UInt64) {
        let told = turn { blocks, loop in
            let task = blocks.trace.create(.detached, "parse")
            blocks.trace.enqueue(task, on: loop)
            blocks.trace.start(task, .slice, on: loop)
            blocks.trace.advance(milliseconds: milliseconds)
            blocks.trace.complete(task)
            blocks.trace.advance(milliseconds: 300 - milliseconds)
        }
        let cause = milliseconds > 150 ? ": `parse` ran for most of that time." : ", and what ran meanwhile is not recorded."
        #expect(told == ["NIO-ELT-0 took no new event for 300.0 ms\(cause)"])
    }
}
