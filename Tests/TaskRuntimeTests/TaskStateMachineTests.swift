import Synchronization
import TaskEvents
import Testing

@testable import TaskRuntime

struct TaskStateMachineTests {
    typealias Stage = TaskStateMachine.Stage

    /// Something that is asked of a machine, and whether it may be asked at every stage.
    enum Step: CaseIterable {
        case begin, claimAsOwner, claimAsToken, claimAsInspector, addContinuation, addWaiter
    }

    static let allStages: [Stage] = [.waiting, .running, .awaitingInner, .ending, .ended]

    static func machine(at stage: Stage) -> TaskStateMachine {
        var machine = TaskStateMachine()
        switch stage {
        case .waiting: break
        case .running: _ = machine.begin()
        case .awaitingInner:
            _ = machine.begin()
            machine.awaitInner()
        case .ending: _ = machine.claim(by: .owner)
        case .ended:
            _ = machine.claim(by: .owner)
            _ = machine.end()
        }
        return machine
    }

    static func take(_ step: Step, with machine: inout TaskStateMachine) -> Bool {
        switch step {
        case .begin: machine.begin()
        case .claimAsOwner: machine.claim(by: .owner)
        case .claimAsToken: machine.claim(by: .token)
        case .claimAsInspector: machine.claim(by: .inspector)
        case .addContinuation: machine.add { _, _ in }
        case .addWaiter: machine.add(Waiter())
        }
    }

    /// The answer and the stage afterwards, for each stage.
    static let table: [(Step, [(Stage, answer: Bool, then: Stage)])] = [
        (
            .begin,
            [
                (.waiting, true, .running), (.running, false, .running), (.awaitingInner, false, .awaitingInner), (.ending, false, .ending),
                (.ended, false, .ended),
            ]
        ),
        (
            .claimAsOwner,
            [
                (.waiting, true, .ending), (.running, true, .ending), (.awaitingInner, true, .ending), (.ending, false, .ending),
                (.ended, false, .ended),
            ]
        ),
        (
            .claimAsToken,
            [
                (.waiting, true, .ending), (.running, false, .running), (.awaitingInner, true, .ending), (.ending, false, .ending),
                (.ended, false, .ended),
            ]
        ),
        (
            .claimAsInspector,
            [
                (.waiting, true, .ending), (.running, false, .running), (.awaitingInner, true, .ending), (.ending, false, .ending),
                (.ended, false, .ended),
            ]
        ),
        (
            .addContinuation,
            [
                (.waiting, true, .waiting), (.running, true, .running), (.awaitingInner, true, .awaitingInner), (.ending, true, .ending),
                (.ended, false, .ended),
            ]
        ),
        (
            .addWaiter,
            [
                (.waiting, true, .waiting), (.running, true, .running), (.awaitingInner, true, .awaitingInner), (.ending, true, .ending),
                (.ended, false, .ended),
            ]
        ),
    ]

    @Test(arguments: table)
    func answersAndMoves(step: Step, rows: [(Stage, answer: Bool, then: Stage)]) {
        #expect(rows.map(\.0) == Self.allStages)
        for (stage, answer, then) in rows {
            var machine = Self.machine(at: stage)
            #expect(Self.take(step, with: &machine) == answer, "\(step) when \(stage)")
            #expect(machine.stage == then, "\(step) when \(stage)")
        }
    }

    @Test func everyStepIsInTheTable() {
        #expect(Self.table.map(\.0) == Step.allCases)
    }

    @Test func onlyARunningTaskWaitsForAnInnerOne() async {
        await #expect(processExitsWith: .failure) {
            var machine = TaskStateMachineTests.machine(at: .waiting)
            machine.awaitInner()
        }
        await #expect(processExitsWith: .failure) {
            var machine = TaskStateMachineTests.machine(at: .ended)
            machine.awaitInner()
        }
    }

    @Test func onlyAClaimedTaskEnds() async {
        await #expect(processExitsWith: .failure) {
            var machine = TaskStateMachineTests.machine(at: .running)
            _ = machine.end()
        }
        await #expect(processExitsWith: .failure) {
            var machine = TaskStateMachineTests.machine(at: .ended)
            _ = machine.end()
        }
    }

    @Test func theEndHandsOverWhatWaited() {
        var machine = Self.machine(at: .running)
        let gaveUp = Waiter(), stayed = Waiter()
        _ = machine.add(gaveUp)
        _ = machine.add(stayed)
        _ = machine.add { _, _ in }
        machine.remove(gaveUp)
        _ = machine.claim(by: .owner)
        let (continuations, waiters) = machine.end()
        #expect(!continuations.isEmpty)
        #expect(waiters.map(ObjectIdentifier.init) == [ObjectIdentifier(stayed)])
        #expect(machine.abandon().isEmpty)
    }

    @Test func whatIsAbandonedIsHandedOverOnce() {
        var machine = Self.machine(at: .waiting)
        _ = machine.add { _, _ in }
        #expect(!machine.abandon().isEmpty)
        #expect(machine.abandon().isEmpty)
    }
}

struct ContinuationListTests {
    @Test(arguments: [0, 1, 2, 5])
    func keepsTheOrder(count: Int) {
        let log = Log()
        var list = ContinuationList()
        for number in 0..<count {
            list.append { _, _ in log.add("\(number)") }
        }
        #expect(list.isEmpty == (count == 0))
        var trampoline = Trampoline()
        trampoline.push(list, after: ChainTask(0))
        trampoline.run()
        #expect(log.lines == (0..<count).map(String.init))
    }
}

struct TrampolineTests {
    /// A continuation called `name` that pushes those named after it with more letters: "a" pushes "aa" and "ab".
    private static func continuation(_ name: String, depth: Int, _ log: Log) -> Continuation {
        { antecedent, trampoline in
            log.add(name)
            guard depth > 0 else { return }
            trampoline.push(list(["\(name)a", "\(name)b"], depth: depth - 1, log), after: antecedent)
        }
    }

    private static func list(_ names: [String], depth: Int, _ log: Log) -> ContinuationList {
        var list = ContinuationList()
        for name in names { list.append(continuation(name, depth: depth, log)) }
        return list
    }

    @Test func aContinuationsOwnComeBeforeItsSiblings() {
        let log = Log()
        Trampoline.run { $0.push(Self.list(["a", "b"], depth: 2, log), after: ChainTask(0)) }
        #expect(log.lines == ["a", "aa", "aaa", "aab", "ab", "aba", "abb", "b", "ba", "baa", "bab", "bb", "bba", "bbb"])
    }

    @Test func whatIsPushedLaterComesFirst() {
        let log = Log()
        Trampoline.run { trampoline in
            trampoline.push(Self.list(["a", "b"], depth: 0, log), after: ChainTask(0))
            trampoline.push(Self.list(["c", "d"], depth: 0, log), after: ChainTask(0))
            trampoline.push(ContinuationList(), after: ChainTask(0))
        }
        #expect(log.lines == ["c", "d", "a", "b"])
    }

    @Test func eachIsHandedItsAntecedent() {
        let log = Log()
        let tasks = [ChainTask(1), ChainTask(2)]
        Trampoline.run { trampoline in
            for task in tasks {
                var list = ContinuationList()
                for _ in 0..<2 { list.append { antecedent, _ in log.add("\(antecedent === task)") } }
                trampoline.push(list, after: task)
            }
        }
        #expect(log.lines == ["true", "true", "true", "true"])
    }

    @Test func isEmptyAgainWhenItReturns() {
        let log = Log()
        var trampoline = Trampoline()
        trampoline.push(Self.list(["a"], depth: 1, log), after: ChainTask(0))
        trampoline.run()
        trampoline.run()
        #expect(log.lines == ["a", "aa", "ab"])
    }
}
