import Testing

@testable import TaskRuntime

struct TaskStateMachineTests {
    typealias Stage = TaskStateMachine.Stage

    /// A call on a machine, and the stages at which it is permitted.
    enum Step: CaseIterable {
        case begin, claimAsOwner, claimAsToken, claimAsInspector
    }

    static let allStages: [Stage] = [.waiting, .running, .awaitingInner, .ending, .succeeded, .faulted, .cancelled]

    static func bring(_ machine: borrowing TaskStateMachine, to stage: Stage) {
        switch stage {
        case .waiting: break
        case .running: _ = machine.begin()
        case .awaitingInner:
            _ = machine.begin()
            machine.awaitInner()
        case .ending: _ = machine.claim(by: .owner)
        case .succeeded, .faulted, .cancelled:
            _ = machine.claim(by: .owner)
            machine.end(as: stage)
        }
    }

    static func take(_ step: Step, with machine: borrowing TaskStateMachine) -> Bool {
        switch step {
        case .begin: machine.begin()
        case .claimAsOwner: machine.claim(by: .owner)
        case .claimAsToken: machine.claim(by: .token)
        case .claimAsInspector: machine.claim(by: .inspector)
        }
    }

    private static let tooLate: [(Stage, answer: Bool, then: Stage)] = [
        (.ending, false, .ending), (.succeeded, false, .succeeded), (.faulted, false, .faulted), (.cancelled, false, .cancelled),
    ]

    /// The answer and the next stage, for each stage.
    static let table: [(Step, [(Stage, answer: Bool, then: Stage)])] = [
        (.begin, [(.waiting, true, .running), (.running, false, .running), (.awaitingInner, false, .awaitingInner)] + tooLate),
        (.claimAsOwner, [(.waiting, true, .ending), (.running, true, .ending), (.awaitingInner, true, .ending)] + tooLate),
        (.claimAsToken, [(.waiting, true, .ending), (.running, false, .running), (.awaitingInner, true, .ending)] + tooLate),
        (.claimAsInspector, [(.waiting, true, .ending), (.running, false, .running), (.awaitingInner, true, .ending)] + tooLate),
    ]

    @Test(arguments: table)
    func aStepReturnsItsAnswerAndMovesToTheNextStage(step: Step, rows: [(Stage, answer: Bool, then: Stage)]) {
        #expect(rows.map(\.0) == Self.allStages)
        for (stage, answer, then) in rows {
            let machine = TaskStateMachine()
            Self.bring(machine, to: stage)
            let given = Self.take(step, with: machine)
            let reached = machine.stage
            #expect(given == answer, "\(step) when \(stage)")
            #expect(reached == then, "\(step) when \(stage)")
        }
    }

    @Test func everyCallIsInTheTable() {
        #expect(Self.table.map(\.0) == Step.allCases)
    }

    /// `#expect` cannot capture noncopyable values.
    @Test func anInjectedEndOverrulesTheBody() {
        for claimant in [TaskStateMachine.Claimant.inspector, .owner] {
            let machine = TaskStateMachine()
            let isFirst = machine.claim(by: claimant)
            machine.end(as: .cancelled)
            let (isOverruled, stage) = (machine.isOverruled, machine.stage)
            #expect(isFirst)
            #expect(isOverruled == (claimant == .inspector))
            #expect(stage == .cancelled)
        }
    }

    @Test func theBodyClaimsTheEnd() async {
        let machine = TaskStateMachine()
        let hasBegun = machine.begin()
        machine.claimAfterBody()
        let isClaimedAgain = machine.claim(by: .owner)
        #expect(hasBegun)
        #expect(!isClaimedAgain)
        await #expect(processExitsWith: .failure) {
            TaskStateMachine().claimAfterBody()
        }
    }

    @Test func onlyARunningTaskWaitsForAnInnerTask() async {
        await #expect(processExitsWith: .failure) {
            TaskStateMachine().awaitInner()
        }
        await #expect(processExitsWith: .failure) {
            let machine = TaskStateMachine()
            TaskStateMachineTests.bring(machine, to: .succeeded)
            machine.awaitInner()
        }
    }

    @Test func onlyAClaimedTaskEnds() async {
        await #expect(processExitsWith: .failure) {
            let machine = TaskStateMachine()
            TaskStateMachineTests.bring(machine, to: .running)
            machine.end(as: .succeeded)
        }
        await #expect(processExitsWith: .failure) {
            let machine = TaskStateMachine()
            TaskStateMachineTests.bring(machine, to: .succeeded)
            machine.end(as: .faulted)
        }
        await #expect(processExitsWith: .failure) {
            let machine = TaskStateMachine()
            TaskStateMachineTests.bring(machine, to: .ending)
            machine.end(as: .running)
        }
    }
}

struct FollowersTests {
    private static let nothing: Continuation = { _, _, _ in .over }

    @Test func allFollowersAreHandedOverOnce() {
        var followers = Followers()
        let gaveUp = Waiter(), stayed = Waiter()
        #expect(followers.isEmpty)
        followers.add(gaveUp)
        followers.add(stayed)
        followers.append(Follower(continuation: Self.nothing))
        followers.remove(gaveUp)
        let taken = followers.take()
        var handedOver = 0
        taken.forEachFromLast { _ in handedOver += 1 }
        #expect(handedOver == 1)
        #expect(taken.waiters.map(ObjectIdentifier.init) == [ObjectIdentifier(stayed)])
        #expect(followers.isEmpty)
        #expect(followers.take().isEmpty)
    }

    @Test(arguments: [0, 1, 2, 5])
    func followersKeepTheirOrder(count: Int) {
        let log = Log()
        var followers = Followers()
        for number in 0..<count {
            let continuation: Continuation = { _, _, _ in
                log.add("\(number)")
                return .over
            }
            followers.append(Follower(continuation: continuation))
        }
        #expect(followers.isEmpty == (count == 0))
        var trampoline = Trampoline()
        trampoline.push(followers, after: ChainTask(0))
        trampoline.run()
        #expect(log.lines == (0..<count).map(String.init))
    }
}

struct TrampolineTests {
    /// A continuation called `name` that pushes continuations whose names begin with its own: "a" pushes "aa" and "ab".
    private static func continuation(_ name: String, depth: Int, _ log: Log) -> Continuation {
        { antecedent, _, trampoline in
            log.add(name)
            if depth > 0 { trampoline.push(list(["\(name)a", "\(name)b"], depth: depth - 1, log), after: antecedent) }
            return .over
        }
    }

    private static func list(_ names: [String], depth: Int, _ log: Log) -> Followers {
        var list = Followers()
        for name in names { list.append(Follower(continuation: continuation(name, depth: depth, log))) }
        return list
    }

    @Test func aContinuationsOwnFollowersComeBeforeItsSiblings() {
        let log = Log()
        Trampoline.run { $0.push(Self.list(["a", "b"], depth: 2, log), after: ChainTask(0)) }
        #expect(log.lines == ["a", "aa", "aaa", "aab", "ab", "aba", "abb", "b", "ba", "baa", "bab", "bb", "bba", "bbb"])
    }

    @Test func theLatestPushComesFirst() {
        let log = Log()
        Trampoline.run { trampoline in
            trampoline.push(Self.list(["a", "b"], depth: 0, log), after: ChainTask(0))
            trampoline.push(Self.list(["c", "d"], depth: 0, log), after: ChainTask(0))
            trampoline.push(Followers(), after: ChainTask(0))
        }
        #expect(log.lines == ["c", "d", "a", "b"])
    }

    @Test func eachFollowerReceivesItsAntecedent() {
        let log = Log()
        let tasks = [ChainTask(1), ChainTask(2)]
        Trampoline.run { trampoline in
            for task in tasks {
                var list = Followers()
                for _ in 0..<2 {
                    let continuation: Continuation = { antecedent, _, _ in
                        log.add("\(antecedent === task)")
                        return .over
                    }
                    list.append(Follower(continuation: continuation))
                }
                trampoline.push(list, after: task)
            }
        }
        #expect(log.lines == ["true", "true", "true", "true"])
    }

    @Test func theListIsEmptyAgainAtTheEnd() {
        let log = Log()
        var trampoline = Trampoline()
        trampoline.push(Self.list(["a"], depth: 1, log), after: ChainTask(0))
        trampoline.run()
        trampoline.run()
        #expect(log.lines == ["a", "aa", "ab"])
    }
}
