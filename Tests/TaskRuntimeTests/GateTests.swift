import Dispatch
import TaskEvents
import Testing
import TraceTestKit
import TraceTransport

@testable import TaskRuntime

/// Executors that are held, and jobs that are stepped one at a time.
@Suite(.serialized)
struct GateTests {
    private static func scope(_ executor: ChainExecutor) -> ControlScope { .executor(executor.core.id) }

    private static func carryOut(_ control: Control) -> ControlAnswer { ProcessTrace.shared.carryOut(control) }

    @Test func aHeldExecutorKeepsTheOrderOfItsJobs() {
        let manual = ManualExecutor(name: "kept"), log = Log(), scope = Self.scope(manual.executor)
        #expect(Self.carryOut(.hold(scope)) == .done("kept is held: timing is not the program's own."))
        for number in 1...5 { _ = ChainTask(on: manual.executor) { log.add("\(number)") } }
        #expect(manual.count == 0)
        #expect(Self.carryOut(.step(scope)).isDone && Self.carryOut(.step(scope)).isDone)
        #expect(manual.count == 2)
        #expect(Self.carryOut(.open(scope)) == .done("kept is open; 3 held jobs run."))
        _ = ChainTask(on: manual.executor) { log.add("6") }
        manual.runAll()
        #expect(log.lines == ["1", "2", "3", "4", "5", "6"])
        #expect(Self.carryOut(.step(scope)) == .failed("No job is held there."))
    }

    @Test("The region says whether gates hold jobs, also of a recording that begins later")
    func theRegionSays() throws {
        let executor = ManualExecutor(name: "said"), scope = Self.scope(executor.executor)
        _ = Self.carryOut(.hold(scope))
        let bus = try ProcessTrace.shared.join()
        defer { ProcessTrace.shared.leave() }
        #expect(bus.holdsJobs)
        _ = Self.carryOut(.hold(.all))
        _ = Self.carryOut(.open(scope))
        #expect(bus.holdsJobs)
        _ = Self.carryOut(.open(.all))
        #expect(!bus.holdsJobs)
    }

    @Test func anUnknownExecutorIsReported() {
        let nobody = ControlScope.executor(ExecutorID(rawValue: 65_000))
        for control in [Control.hold(nobody), .open(nobody), .step(nobody)] {
            #expect(Self.carryOut(control) == .failed("The program has no executor 65000."))
        }
        #expect(Self.carryOut(.ping) == .done("The program runs."))
    }

    @Test func aHeldJobAndItsStepAreEvents() async throws {
        let recording = try await EventRecording.of { _ in
            let manual = ManualExecutor(name: "held")
            _ = Self.carryOut(.hold(Self.scope(manual.executor)))
            let task = ChainTask(on: manual.executor, name: "job") { 1 }
            #expect(Self.carryOut(.step(Self.scope(manual.executor))) == .done("Task \(task.id.rawValue) was released to held."))
            _ = Self.carryOut(.open(Self.scope(manual.executor)))
            manual.runAll()
            #expect(task.result == 1)
        }
        #expect(
            recording.lines == [
                "created job root on held after -", "enqueued job on held", "held job on held", "stepped job on held",
                "started job on held dequeued", "completed job", "jobEnded job on held",
            ])
    }

    /// Inline executors have their jobs held as well; a stepped job runs on another thread.
    @Test(arguments: [("immediate", ChainExecutor.immediate), ("default", .default)])
    func inlineExecutorsAreHeldToo(name: String, executor: ChainExecutor) async {
        await EventRecording.alone {
            let log = Log(), scope = Self.scope(executor)
            _ = Self.carryOut(.hold(scope))
            let task = ChainTask(1).continueWith(on: executor) { _ in log.add("ran") }
            #expect(!task.isCompleted && log.lines.isEmpty)
            let answer = Self.carryOut(.step(scope))
            #expect(answer == .done("Task \(task.id.rawValue) was released to \(name)."))
            #expect(await eventually { task.isCompleted })
            _ = Self.carryOut(.open(scope))
            #expect(ChainTask(1).continueWith(on: executor) { _ in log.add("inline") }.isCompleted)
            #expect(log.lines == ["ran", "inline"])
        }
    }

    @Test func aStepCanFollowAChain() {
        let manual = ManualExecutor(), log = Log(), scope = Self.scope(manual.executor)
        _ = Self.carryOut(.hold(scope))
        let roots = (1...3).map { number in ChainTask(on: manual.executor) { log.add("root \(number)") } }
        roots[1].continueWith(on: manual.executor) { _ in log.add("after 2") }
        for _ in 0..<2 {
            #expect(Self.carryOut(.stepInto(chain: roots[1].id)).isDone)
            manual.runAll()
        }
        #expect(log.lines == ["root 2", "after 2"])
        #expect(
            Self.carryOut(.stepInto(chain: roots[1].id)) == .failed("No job of the chain \(roots[1].id.rawValue) is held."))
        _ = Self.carryOut(.open(scope))
        manual.runAll()
        #expect(log.lines == ["root 2", "after 2", "root 1", "root 3"])
    }

    /// A job that arrives while the gate opens is neither lost nor run before the waiting ones.
    @Test func openingAGateKeepsEveryJobInOrder() {
        let queue = DispatchQueue(label: "opening"), executor = ChainExecutor.queue(queue), log = Guarded<[[Int]]>([[], [], []])
        let group = DispatchGroup()
        for producer in 0..<3 {
            DispatchQueue(label: "producer \(producer)").async(group: group) {
                for number in 0..<2000 { executor.execute { log.withLock { $0[producer].append(number) } } }
            }
        }
        for _ in 0..<200 {
            _ = Self.carryOut(.hold(Self.scope(executor)))
            for _ in 0..<5 { _ = Self.carryOut(.step(Self.scope(executor))) }
            _ = Self.carryOut(.open(Self.scope(executor)))
        }
        group.wait()
        queue.sync {}
        for producer in 0..<3 { #expect(log.withLock { $0[producer] } == Array(0..<2000)) }
    }

    // MARK: All executors, in a process of its own

    @Test func theJobThatWasHeldFirstIsSteppedFirst() async {
        await #expect(processExitsWith: .success) {
            let before = ManualExecutor()
            _ = GateTests.carryOut(.hold(.all))
            let log = Log()
            let queue = ChainExecutor.queue(DispatchQueue(label: "made later")), later = ManualExecutor()
            for number in 1...3 {
                _ = ChainTask(on: [later.executor, queue, before.executor][number % 3], name: "\(number)") { log.add("\(number)") }
            }
            #expect(Gatekeeper.shared.heldExecutors.reduce(0) { $0 + $1.jobs } == 3)
            for count in 1...3 {
                #expect(GateTests.carryOut(.step(.all)).isDone)
                before.runAll()
                later.runAll()
                #expect(await eventually { log.lines.count == count })
            }
            #expect(log.lines == ["1", "2", "3"])
            _ = GateTests.carryOut(.open(.all))
            #expect(Gatekeeper.shared.heldExecutors.isEmpty)
        }
    }

    @Test func aRunStopsAtTheNextFault() async {
        await #expect(processExitsWith: .success) {
            let queue = ChainExecutor.queue(DispatchQueue(label: "work"))
            _ = GateTests.carryOut(.hold(.all))
            let log = Log()
            let tasks = (1...6).map { number in
                ChainTask(on: queue) {
                    log.add("\(number)")
                    if number % 2 == 0 { throw Boom("\(number)") }
                }
            }
            for fault in 1...3 {
                _ = GateTests.carryOut(.runToFault)
                #expect(await eventually { tasks[fault * 2 - 1].isFaulted })
                #expect(Gatekeeper.shared.heldExecutors.reduce(0) { $0 + $1.jobs } == 6 - fault * 2)
            }
            #expect(log.lines == (1...6).map(String.init))
            // The run is still armed and continues with the next jobs.
            _ = GateTests.carryOut(.runToFault)
            let (good, bad) = (ChainTask(on: queue) { 1 }, ChainTask<Int>(on: queue) { throw Boom() })
            #expect(await eventually { bad.isFaulted })
            #expect(good.result == 1)
        }
    }

    @Test func aRunStopsAtTheNextHopOntoMain() async {
        await #expect(processExitsWith: .success) {
            let queue = ChainExecutor.queue(DispatchQueue(label: "work")), log = Log()
            _ = GateTests.carryOut(.hold(.all))
            let chain = ChainTask(on: queue) { log.add("work") }
            let shown = chain.continueWith(on: .main) { _ in log.add("main") }
            _ = ChainTask(on: queue) { log.add("more work") }
            _ = GateTests.carryOut(.runToMainHop)
            #expect(await eventually { chain.isCompleted })
            let main = ChainExecutor.main.core.id
            #expect(await eventually { Gatekeeper.shared.heldExecutors.contains { $0.executor == main && $0.jobs == 1 } })
            #expect(!shown.isCompleted && log.lines == ["work"])
            _ = GateTests.carryOut(.open(.all))
            #expect(await eventually { log.lines.count == 3 })
        }
    }

    @Test func aRunStopsBeforeTheNamedJob() async {
        await #expect(processExitsWith: .success) {
            let queue = ChainExecutor.queue(DispatchQueue(label: "work"))
            _ = GateTests.carryOut(.hold(.all))
            let tasks = (0..<5).map { number in ChainTask(on: queue) { number } }
            let wanted = tasks[3].id
            Gatekeeper.shared.run { $0.task == wanted }
            #expect(await eventually { tasks[2].isCompleted })
            #expect(await eventually { Gatekeeper.shared.heldExecutors.contains { $0.jobs == 2 } })
            #expect(!tasks[3].isCompleted)
        }
    }

    /// A job that its executor drops does not end a run.
    @Test func aRunSurvivesADroppedJob() async {
        await #expect(processExitsWith: .success) {
            let manual = ManualExecutor()
            _ = GateTests.carryOut(.runToFault)
            let tasks = (0..<3).map { number in ChainTask(on: manual.executor) { number } }
            #expect(manual.count == 1)
            manual.dropAll()
            #expect(manual.count == 1)
            manual.runAll()
            #expect(tasks.map(\.result) == [nil, 1, 2])
        }
    }

    @Test("A run over many jobs of an executor that runs them at once takes no more of the stack with each")
    func aRunOverManyJobs() async {
        await #expect(processExitsWith: .success) {
            let direct = ChainExecutor.custom(name: "direct") { $0() }
            _ = GateTests.carryOut(.hold(.all))
            let tasks = (0..<20_000).map { number in ChainTask(on: direct) { number } }
            onThread(stack: 512 << 10) { _ = GateTests.carryOut(.runToFault) }
            #expect(tasks.allSatisfy { $0.isCompleted })
        }
    }

    @Test func aRunStopsBeforeAJobThatMatchesACondition() async {
        await #expect(processExitsWith: .success) {
            let queue = ChainExecutor.queue(DispatchQueue(label: "work")), other = ChainExecutor.queue(DispatchQueue(label: "other"))
            // The program's own trace has the names.
            _ = try ProcessTrace.shared.join()
            _ = GateTests.carryOut(.hold(.all))
            let chain = ChainTask(on: queue, name: "one") {}
                .continueWith(on: queue, name: "two") { _ in }
                .continueWith(on: other, name: "three") { _ in }
                .continueWith(on: queue, name: "four") { _ in }
            func isHeld(_ executor: ChainExecutor) -> Bool {
                Gatekeeper.shared.heldExecutors.contains { $0.executor == executor.core.id && $0.jobs == 1 }
            }
            #expect(GateTests.carryOut(.runTo(JobCondition([.init(.executor, ["other"])]))).isDone)
            #expect(await eventually { isHeld(other) })
            #expect(GateTests.carryOut(.runTo(JobCondition([.init(.name, isPart: true, ["our"])]))).isDone)
            #expect(await eventually { isHeld(queue) && !isHeld(other) })
            #expect(!chain.isCompleted)
            #expect(GateTests.carryOut(.step(.all)) == .done("`four` was released to work."))
            #expect(await eventually { chain.isCompleted })
            #expect(GateTests.carryOut(.cancel(chain.id)) == .failed("`four` had ended before."))
        }
    }
}
