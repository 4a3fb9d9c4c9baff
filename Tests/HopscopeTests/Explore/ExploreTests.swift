import Dispatch
import Foundation
import Hopscope
import Testing

/// The exploration of chains, in process.
struct ExploreTests {
    /// The orders of each healthy twin. `make explore` tries 2,000.
    private static let orders = ProcessInfo.processInfo.environment["HOPSCOPE_EXPLORE_ORDERS"].flatMap { Int($0) } ?? 8

    @Test(arguments: PlantedBug.all)
    func aPlantedBugIsFound(_ bug: PlantedBug) async throws {
        let failing = try await failing { try await bug.run(false) }
        let replays = "\(failing.sameReplays) of \(failing.replays) replays"
        print("explored: \(bug.name): order \(failing.number), \(failing.steps.count) choices, \(replays)")
        #expect(failing.sameReplays == failing.replays && !failing.steps.isEmpty && failing.steps.count <= 5, "\(failing)")
    }

    @Test(arguments: PlantedBug.all)
    func itsHealthyTwinHasNoFailingOrder(_ bug: PlantedBug) async throws {
        let result = try await Inspector.explore(orders: Self.orders) { try await bug.run(true) }
        #expect(result.orders == Self.orders && result.eventsFromOutside == 0 && result.cutShort == 0, "\(result)")
    }

    private func failing(_ body: @escaping @Sendable () async throws -> Void) async throws -> FailingChainOrder {
        let found = await #expect(throws: FailingChainOrder.self) { try await Inspector.explore(orders: 200, body) }
        return try #require(found)
    }

    private func bug(_ name: String) throws -> PlantedBug { try #require(PlantedBug.all.first { $0.name == name }) }

    // MARK: What is told

    @Test func aFailureIsToldInWords() async throws {
        let bug = try bug("two executors, one log")
        let lines = try await failing { try await bug.run(false) }.description.split(separator: "\n")
        #expect(lines[0].hasPrefix("Fails in order 2 (seed 1): it throws [\"told\", \"saved\"]. 20 of 20 replays fail alike."))
        #expect(lines[1] == "  1 choice differs from first come, first served:")
        #expect(lines[2].contains("`tell` (PlantedBug+Messages.swift:") && lines[2].contains(" runs instead of "))
        #expect(lines.contains("hopscope chain order 1"))
    }

    @Test func anOrderIsATextThatFailsAgain() async throws {
        let bug = try bug("missed wake-up")
        let order = try await failing { try await bug.run(false) }.order
        let read = try #require(ChainOrder(order.description))
        #expect(read.failure == "deadlock" && read.seed == order.seed)
        await #expect(throws: FailingChainOrder.self) { try await Inspector.replay(read) { try await bug.run(false) } }
        try await Inspector.replay(read) { try await bug.run(true) }
        #expect(ChainOrder("hopscope chain order 1\nchoice 1 2") == nil && ChainOrder("") == nil && ChainOrder("seed 1") == nil)
    }

    @Test func aSeedIsOneOrder() async throws {
        let bug = try bug("flush loses an item")
        let first = try await failing { try await bug.run(false) }, second = try await failing { try await bug.run(false) }
        #expect(first.order.description == second.order.description && first.result == second.result)
    }

    @Test func theUsualOrderFailsFirst() async throws {
        let failing = try await failing { throw Wrong("always") }
        #expect(failing.number == 1 && failing.steps.isEmpty && "\(failing)".contains("It fails first come, first served."))
    }

    @Test func anExpectationThatDoesNotHoldFails() async throws {
        let found = await #expect(throws: FailingChainOrder.self) {
            try await Inspector.explore {
                try await ChainTask(on: serial("a")) { 1 }.value
            } expecting: {
                $0 == 2
            }
        }
        #expect(found?.failure == "the expectation does not hold for 1")
    }

    @Test(arguments: [ExplorationPolicy.pct(depth: 3), .random])
    func everyPolicyFindsAnOverlap(_ policy: ExplorationPolicy) async throws {
        let bug = try bug("three steps in one order")
        await #expect(throws: FailingChainOrder.self) {
            try await Inspector.explore(orders: 400, policy: policy) { try await bug.run(false) }
        }
        let usual = try await Inspector.explore(policy: .fifo) { try await bug.run(false) }
        #expect(usual.orders == 1)
    }

    // MARK: What takes part

    @Test func timePassesAtOnce() async throws {
        try await Inspector.explore(orders: 5) {
            let slow = ChainTask<Void>.delay(.seconds(3_600)), fast = ChainTask<Void>.delay(.seconds(3_599))
            let order = Box<[String]>([])
            slow.continueWith { _ in order.change { $0.append("slow") } }
            fast.continueWith { _ in order.change { $0.append("fast") } }
            try await slow.value
            try must(order.value == ["fast", "slow"], "\(order.value)")
        }
    }

    @Test func aTimerFiresEarlyWithinTheLimit() async throws {
        let body: @Sendable () async throws -> Void = {
            let work = ChainTask<Void>.delay(.milliseconds(1)).continueWith(on: serial("work")) { _ in }
            try await work.timeout(after: .milliseconds(11)).value
        }
        let failing = try await failing(body)
        #expect(failing.condition == "It needs work that takes 10.0 ms longer than it usually does.")
        try await Inspector.explore(orders: 100, early: .milliseconds(9), body)
    }

    @Test func aSerialExecutorKeepsItsOrder() async throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let executors = [serial("s"), .pool(name: "p", width: 1), .main, .operationQueue(queue)]
        for executor in executors {
            try await Inspector.explore(orders: 20) {
                let seen = Box<[Int]>([])
                let tasks = (1...3).map { number in ChainTask(on: executor, name: "\(number)") { seen.change { $0.append(number) } } }
                try await ChainTask.whenAll(tasks).value
                try must(seen.value == [1, 2, 3], "\(seen.value)")
            }
        }
    }

    @Test func aConcurrentExecutorDoesNot() async throws {
        let executors = [
            .queue(DispatchQueue(label: "c", attributes: .concurrent)), .queue(.global()), .pool(name: "p", width: 3),
            ChainExecutor.operationQueue(OperationQueue()),
        ]
        for executor in executors {
            await #expect(throws: FailingChainOrder.self) {
                try await Inspector.explore(orders: 50) {
                    let seen = Box<[Int]>([])
                    let tasks = (1...3).map { number in ChainTask(on: executor, name: "\(number)") { seen.change { $0.append(number) } } }
                    try await ChainTask.whenAll(tasks).value
                    try must(seen.value == [1, 2, 3], "\(seen.value)")
                }
            }
        }
    }

    @Test("A loop that waits for another task leaves it its turn in each order")
    func aLoopThatYieldsIsNotCutShort() async throws {
        let result = try await Inspector.explore(orders: 20) {
            let isSet = Box(false)
            _ = ChainTask(on: serial("setter"), name: "set") { isSet.value = true }
            while !isSet.value { await Task.yield() }
        }
        #expect(result.cutShort == 0 && result.choices < 20_000, "\(result)")
    }

    @Test("A job that its queue does not begin passes the turn on, and takes part again when it begins")
    func aSuspendedQueueIsNoHang() async throws {
        let result = try await Inspector.explore(orders: 1) {
            let queue = OperationQueue()
            queue.isSuspended = true
            let held = ChainTask(on: .operationQueue(queue), name: "held") {}
            let release = ChainTask(on: serial("release"), name: "release") { queue.isSuspended = false }
            try await ChainTask.whenAll([held, release]).value
        }
        #expect(result.orders == 1)
    }

    @Test func jobsRunOnTheirQueues() async throws {
        let queue = DispatchQueue(label: "own")
        try await Inspector.explore(orders: 10) {
            let own = ChainTask(on: .queue(queue)) { dispatchPrecondition(condition: .onQueue(queue)) }
            try await own.continueWith(on: .main) { _ in dispatchPrecondition(condition: .onQueue(.main)) }.value
        }
    }

    @Test func anExecutorOfTheProgramsOwnTakesPart() async throws {
        let bug: @Sendable (ChainExecutor) async throws -> Void = { executor in
            let seen = Box<[String]>([])
            let own = ChainTask(on: executor, name: "own") { seen.change { $0.append("own") } }
            let other = ChainTask(on: serial("other"), name: "other") { seen.change { $0.append("other") } }
            try await ChainTask.whenAll([own, other]).value
            try must(seen.value == ["own", "other"], "\(seen.value)")
        }
        _ = try await failing {
            let queue = DispatchQueue(label: "calls later")
            try await bug(.custom(name: "calls later") { job in queue.async(execute: job) })
        }
        // It calls the job before it returns, so nothing can overtake it there.
        try await Inspector.explore(orders: 20) { try await bug(.custom(name: "calls at once") { $0() }) }
    }

    @Test func aBlockedThreadLeavesItsTurn() async throws {
        try await Inspector.explore(orders: 20) {
            let child = ChainTask<Void>.delay(.seconds(1)).continueWith(on: serial("child")) { _ in }
            let parent = ChainTask(on: serial("parent")) {
                waitFor(child)
                return wait(for: ChainTask<Void>.delay(.seconds(60)), atMost: .seconds(1))
            }
            try must(await !parent.value, "60 s passed within one")
        }
    }

    private func body(_ values: Box<[Int]>) async throws {
        async let first: Void = values.change { $0.append(1) }
        async let second: Void = values.change { $0.append(2) }
        _ = await (first, second)
    }

    @Test func childTasksTakePart() async throws {
        await #expect(throws: FailingChainOrder.self) {
            try await Inspector.explore(orders: 50) { [self] in
                let values = Box<[Int]>([])
                try await body(values)
                try must(values.value == [1, 2], "\(values.value)")
            }
        }
    }

    // MARK: What does not

    @Test func whatComesFromOutsideIsCounted() async throws {
        let result = try await Inspector.explore(orders: 3) {
            let value = try await Task { try await ChainTask(on: serial("of another task")) { 1 }.value }.value
            try must(value == 1, "another value")
        }
        #expect(result.eventsFromOutside >= 3 && "\(result)".contains("Not exact: \(result.eventsFromOutside) events"))
    }

    @Test func aThreadThatSleepsElsewhereDoesNotHoldTheOthers() async throws {
        let result = try await Inspector.explore(orders: 2) {
            let signal = DispatchSemaphore(value: 0)
            let waits = ChainTask(on: serial("waits")) { signal.wait() }
            let signals = ChainTask(on: serial("signals")) { _ = signal.signal() }
            try await ChainTask.whenAll([waits, signals]).value
        }
        #expect(result.orders == 2)
    }

    @Test func whatTheBodyBeganGoesOnToItsEnd() async throws {
        let ended = Box(0)
        try await Inspector.explore(orders: 4) {
            ChainTask<Void>.delay(.seconds(5)).continueWith(on: serial("late")) { _ in ended.change { $0 += 1 } }
        }
        #expect(ended.value == 4)
    }

    @Test func explorationsRunBesideOneAnotherAndCanBeCancelled() async throws {
        let bugs = [try bug("late subscriber"), try bug("lost update")]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for bug in bugs {
                group.addTask { _ = try await self.failing { try await bug.run(false) } }
            }
            try await group.waitForAll()
        }
        let endless = Task { try await Inspector.explore(orders: .max) { try await ChainTask(on: serial("a")) {}.value } }
        endless.cancel()
        await #expect(throws: CancellationError.self) { try await endless.value }
    }
}

/// Returns whether the task ended in time.
private func wait(for task: ChainTask<Void>, atMost timeout: Duration) -> Bool { task.wait(timeout: timeout) }
