import TaskEvents
import Testing
import TraceStore

/// A task's life, record by record and in every order.
@Suite struct LifeTests {
    /// The letter that stands for a record in these tables, so that a life is a word.
    ///
    /// c created, e enqueued, s started from the queue, i started inline, u suspended, r resumed, k skipped, o completed, f faulted,
    /// x cancelled, R released, E error read outside.
    private func event(_ letter: Character, at time: UInt64) -> TaskEvent {
        let task = TaskID(rawValue: 7)
        let executor = ExecutorID(rawValue: 1)
        switch letter {
        case "c": return TaskEvent(.created, task: task, at: time, executor: executor, detail: TaskKind.root.rawValue)
        case "e": return TaskEvent(.enqueued, task: task, at: time, executor: executor)
        case "s": return TaskEvent(.started, task: task, at: time, executor: executor, detail: StartManner.dequeued.rawValue)
        case "i": return TaskEvent(.started, task: task, at: time, executor: executor, detail: StartManner.inline.rawValue)
        case "u": return TaskEvent(.suspended, task: task, at: time, other: 9)
        case "r": return TaskEvent(.resumed, task: task, at: time)
        case "k": return TaskEvent(.skipped, task: task, at: time)
        case "o": return TaskEvent(.completed, task: task, at: time)
        case "f": return TaskEvent(.faulted, task: task, at: time)
        case "x": return TaskEvent(.cancelled, task: task, at: time)
        case "R": return TaskEvent(.released, task: task, at: time)
        case "E": return TaskEvent(.errorRead, task: task, at: time)
        default: preconditionFailure("no record is called \(letter)")
        }
    }

    private func store(of life: [TaskEvent]) -> TraceStore {
        let store = TraceStore()
        store.apply(life)
        return store
    }

    private func expectSound(_ store: TraceStore, _ life: String) {
        let task = store.task(TaskID(rawValue: 7))!
        let depth = store.executor(ExecutorID(rawValue: 1))?.depth ?? 0
        let queue = store.executor(ExecutorID(rawValue: 1)).map { Array($0.queue) } ?? []
        #expect(depth == (task.state == .queued ? 1 : 0), "\(life): depth")
        #expect(queue.map(\.task) == (task.state == .queued ? [task.id] : []), "\(life): queue")
        #expect(TaskState.allCases.reduce(0) { $0 + store.count(of: $1) } == store.taskCount, "\(life): counts")
        #expect(store.count(of: task.state) == 1, "\(life): count of \(task.state)")
        #expect((task.ended != nil) == task.state.hasEnded, "\(life): ended")
        #expect(task.waitsFor == nil || task.state == .suspended, "\(life): waits")
    }

    @Test(
        arguments: [
            ("c", .pending), ("ce", .queued), ("ces", .running), ("ci", .running), ("cesu", .suspended), ("cesur", .running),
            ("ceso", .succeeded), ("cesf", .faulted), ("cesx", .cancelled), ("cex", .cancelled), ("cko", .succeeded), ("ckf", .faulted),
            ("co", .succeeded), ("cesuo", .succeeded), ("cesuro", .succeeded), ("cesue", .queued), ("cesures", .running),
            ("cesuesu", .suspended), ("cesueso", .succeeded), ("R", .pending), ("E", .pending), ("k", .pending), ("e", .queued),
            ("s", .running), ("u", .suspended), ("r", .running), ("o", .succeeded), ("oo", .succeeded), ("ox", .succeeded),
            ("fo", .faulted), ("cc", .pending), ("cee", .queued), ("cess", .running), ("cesuu", .suspended), ("oes", .succeeded),
            ("eu", .suspended), ("eo", .succeeded), ("cesoe", .succeeded), ("cesos", .succeeded), ("cesou", .succeeded),
        ] as [(String, TaskState)])
    func aLifesRecordsLeadToItsState(life: String, state: TaskState) {
        let store = store(of: life.enumerated().map { event($1, at: UInt64($0) * 10 + 10) })
        #expect(store.task(TaskID(rawValue: 7))?.state == state)
        expectSound(store, life)
    }

    /// Every pair of records in both orders, and each record twice.
    @Test func noPairOfRecordsMakesAnImpossibleState() {
        let letters: [Character] = ["c", "e", "s", "i", "u", "r", "k", "o", "f", "x", "R", "E"]
        for first in letters {
            for second in letters {
                for times in [(10, 20), (20, 10), (10, 10)] as [(UInt64, UInt64)] {
                    let store = store(of: [event(first, at: times.0), event(second, at: times.1)])
                    expectSound(store, "\(first)\(second) at \(times)")
                }
            }
        }
    }

    private struct Summary: Equatable {
        var state: TaskState
        var created, queued, started, ended: UInt64?
        var busy, queuedTime, suspendedTime: UInt64?
        var manner: StartManner?
        var isSkipped, isSynthesised: Bool
        var waits: Int
        var longestWait: UInt64?

        init(_ store: TraceStore) {
            let task = store.task(TaskID(rawValue: 7))!
            state = task.state
            (created, queued, started, ended) = (task.created, task.queued, task.started, task.ended)
            (busy, queuedTime, suspendedTime) = (task.busy, task.queuedTime, task.suspendedTime)
            manner = task.startManner
            (isSkipped, isSynthesised) = (task.isSkipped, task.isSynthesised)
            waits = store.executor(ExecutorID(rawValue: 1))?.waits.count ?? 0
            longestWait = store.executor(ExecutorID(rawValue: 1))?.waits.max
        }
    }

    /// Records keep their times and arrive in every possible order.
    @Test(arguments: ["ces", "ceso", "cesf", "cio", "cko", "cesu", "cesuo", "cesuro", "cex"])
    func everyOrderOfALifesRecordsGivesTheSameState(life: String) {
        let events = life.enumerated().map { event($1, at: UInt64($0 * $0) * 10 + 10) }
        let expected = Summary(store(of: events))
        for order in permutations(of: Array(events.indices)) {
            let store = store(of: order.map { events[$0] })
            #expect(Summary(store) == expected, "\(life) as \(order)")
            expectSound(store, "\(life) as \(order)")
        }
    }

    private func permutations(of items: [Int]) -> [[Int]] {
        guard let first = items.first else { return [[]] }
        return permutations(of: Array(items.dropFirst())).flatMap { rest in
            (0...rest.count).map { index in Array(rest[..<index]) + [first] + Array(rest[index...]) }
        }
    }

    @Test func timesOfHoursAreExact() {
        let hour: UInt64 = 3_600_000_000_000
        let store = store(of: [event("c", at: 5), event("e", at: hour), event("s", at: 3 * hour), event("o", at: 100 * hour + 1)])
        let task = store.task(TaskID(rawValue: 7))!
        #expect(task.queued == hour)
        #expect(task.started == 3 * hour)
        #expect(task.ended == 100 * hour + 1)
        #expect(task.queuedTime == 2 * hour)
        #expect(task.busy == 97 * hour + 1)
    }

    @Test func anUnendedStateLastsUntilNow() {
        let store = store(of: [event("c", at: 10), event("e", at: 20), event("s", at: 50)])
        store.advance(to: 90)
        #expect(store.task(TaskID(rawValue: 7))?.busy == 40)
        #expect(store.task(TaskID(rawValue: 7))?.queuedTime == 30)
        store.advance(to: 60)
        #expect(store.now == 90)
    }

    @Test func aTaskThatSuspendsOftenKeepsItsTotals() {
        var life: [TaskEvent] = [event("c", at: 1)]
        for round in 0..<50 as Range<UInt64> {
            let start = round * 100 + 100
            life += [event("e", at: start), event("s", at: start + 10), event("u", at: start + 30)]
        }
        life.append(event("o", at: 5100))
        let task = store(of: life).task(TaskID(rawValue: 7))!
        #expect(task.queuedTime == 500)
        #expect(task.busy == 1000)
        // 50 times 70. The product of two literals beside an optional ends Swift 6.2's compiler.
        #expect(task.suspendedTime == 3500)
    }

    @Test func aTaskSeenBeforeItsCreationIsMarkedUntilItArrives() {
        let store = store(of: [event("e", at: 20)])
        #expect(store.task(TaskID(rawValue: 7))?.isSynthesised == true)
        #expect(store.task(TaskID(rawValue: 7))?.created == nil)
        #expect(store.synthesisedCount == 1)
        store.apply(event("c", at: 15))
        #expect(store.task(TaskID(rawValue: 7))?.isSynthesised == false)
        #expect(store.task(TaskID(rawValue: 7))?.created == 15)
        #expect(store.task(TaskID(rawValue: 7))?.queued == 20)
        #expect(store.synthesisedCount == 0)
    }

    @Test func theMarkStaysAfterALoss() {
        let store = store(of: [TaskEvent(.lost, at: 5, other: 3), event("e", at: 20), event("c", at: 15)])
        #expect(store.task(TaskID(rawValue: 7))?.isSynthesised == true)
        #expect(store.lostCount == 3)
    }

    @Test func unreadableRecordsAreCountedAndChangeNothing() {
        let store = TraceStore()
        store.apply(TaskEvent(.created, task: TaskID(rawValue: .max), at: 1))
        store.apply(TaskEvent(.antecedent, task: TaskID(rawValue: 1), at: 1, other: .max))
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 2), at: 1, other: 2, detail: TaskKind.continuation.rawValue))
        store.apply(TaskEvent(.created, task: TaskID(rawValue: 3), at: 1, detail: 99))
        #expect(store.unreadableCount == 2)
        #expect(store.taskCount == 2)
    }
}
