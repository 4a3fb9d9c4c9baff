import Foundation
import Testing
import TraceTestKit

@testable import AlecrimTasks

/// Tasks of one category, whose bodies run one at a time.
@Suite(.explored) struct ExclusionTests {
    /// Records which task is inside, and whether two ever were at once.
    private final class Room: Sendable {
        let inside = Counter()
        let visits = Counter()
        let collisions = Counter()

        func enter(_ stay: () -> Void = {}) {
            if inside.add(1) > 1 { collisions.add(1) }
            stay()
            visits.add(1)
            inside.add(-1)
        }
    }

    @Test func tasksOfOneCategoryRunInCreationOrder() {
        let (log, barrier) = (Log(), Barrier())
        let tasks: [Task<Void>] = (0..<20).map { number in
            async(condition: MutuallyExclusiveTaskCondition("in order")) {
                if number == 0 { barrier.pass() }
                log.add("\(number)")
            }
        }
        barrier.open()
        for task in tasks { _ = outcome(of: task) }
        #expect(log.lines == (0..<20).map { "\($0)" })
    }

    @Test func categoriesAreIndependent() {
        let barrier = Barrier()
        let held: Task<Int> = async(condition: MutuallyExclusiveTaskCondition(.Alert)) {
            barrier.pass()
            return 1
        }
        let free: Task<Int> = async(condition: MutuallyExclusiveTaskCondition("none of its business")) { 2 }
        #expect(outcome(of: free) == "value 2")
        let nested: Task<Int> = async(
            condition: TaskCondition(subcondition: MutuallyExclusiveTaskCondition(.Alert)) { $0(.Satisfied) }
        ) { 3 }
        #expect(outcome(of: nested) == "value 3", "as a subcondition it excludes nobody")
        #expect(!held.finished)
        barrier.open()
        #expect(outcome(of: held) == "value 1")
    }

    @Test func aTaskTakesItsTurnBeforeItsOtherConditionsAndGivesItUpIfTheyFail() {
        let (log, begun, barrier) = (Log(), Barrier(), Barrier())
        func exclusive(_ name: String, _ result: TaskConditionResult) -> Task<Void> {
            let other = TaskCondition { answer in
                log.add("\(name) evaluated")
                answer(result)
            }
            return async(conditions: [other, MutuallyExclusiveTaskCondition("before others")], name: name) {
                if name == "first" {
                    begun.open()
                    barrier.pass()
                }
                log.add("\(name) body")
            }
        }
        let first = exclusive("first", .Satisfied)
        let others = [exclusive("refused", .NotSatisfied), exclusive("failed", .Failed(Boom())), exclusive("last", .Satisfied)]
        begun.pass()
        #expect(log.lines == ["first evaluated"])
        barrier.open()
        #expect(([first] + others).map { outcome(of: $0) } == ["value ()", cancelled, "error boom", "value ()"])
        #expect(log.lines == ["first evaluated", "first body", "refused evaluated", "failed evaluated", "last evaluated", "last body"])
    }

    // MARK: Cancelling

    /// After this the original never lets another task run.
    @Test func aTaskCancelledWhileItWaitsGivesUpItsTurn() {
        let (room, barrier) = (Room(), Barrier())
        let condition = MutuallyExclusiveTaskCondition("cancelled while waiting")
        let holder: Task<Void> = async(condition: condition) { room.enter(barrier.pass) }
        let waiting: [Task<Void>] = (0..<5).map { _ in async(condition: condition) { room.enter() } }
        for index in [1, 3, 4] { waiting[index].cancel() }
        #expect([1, 3, 4].map { outcome(of: waiting[$0]) } == [cancelled, cancelled, cancelled])
        #expect(!holder.finished && !waiting[0].finished)
        barrier.open()
        #expect([holder, waiting[0], waiting[2]].map { outcome(of: $0) } == ["value ()", "value ()", "value ()"])
        #expect(room.visits.value == 3 && room.collisions.value == 0)
        let next: Task<Int> = async(condition: condition) { 4 }
        #expect(outcome(of: next) == "value 4")
    }

    /// The original lets the next task run while the body still runs.
    @Test func theTurnOfACancelledTaskEndsWithItsBody() {
        let (room, barrier, begun) = (Room(), Barrier(), Barrier())
        let condition = MutuallyExclusiveTaskCondition("cancelled while running")
        let holder: Task<Void> = async(condition: condition) {
            room.enter {
                begun.open()
                barrier.pass()
            }
        }
        let next: Task<Void> = async(condition: condition) { room.enter() }
        begun.pass()
        holder.cancel()
        #expect(outcome(of: holder) == cancelled)
        #expect(!next.finished && room.inside.value == 1)
        barrier.open()
        #expect(outcome(of: next) == "value ()")
        #expect(room.visits.value == 2 && room.collisions.value == 0)
    }

    @Test func aTurnEndsWithTheTaskIfItsBodyHasReturned() {
        let condition = MutuallyExclusiveTaskCondition("finished from outside")
        let returned = Barrier()
        let holder: Task<Void> = asyncEx(condition: condition) { _ in returned.open() }
        let next: Task<Int> = async(condition: condition) { 4 }
        returned.pass()
        #expect(!next.finished)
        holder.finish()
        #expect(outcome(of: next) == "value 4")
    }

    @Test func aTaskFinishedWhileItWaitsKeepsItsPlaceForItsBody() {
        let (room, barrier) = (Room(), Barrier())
        let condition = MutuallyExclusiveTaskCondition("finished while waiting")
        let holder: Task<Void> = async(condition: condition) { room.enter(barrier.pass) }
        let finished: Task<Void> = async(condition: condition) { room.enter() }
        finished.finish()
        let last: Task<Void> = async(condition: condition) { room.enter() }
        barrier.open()
        #expect([holder, finished, last].map { outcome(of: $0) } == ["value ()", "value ()", "value ()"])
        #expect(room.visits.value == 3 && room.collisions.value == 0)
    }

    // MARK: Many threads

    /// Several threads make and cancel tasks of several categories at once: no category ever has two bodies inside, nothing
    /// stays behind, and every task that was not cancelled has run.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func noCategoryEverHasTwoBodiesRunning(seed: UInt64) {
        let names = ["a", "b", "c"].map { "many \($0) \(seed)" }
        let rooms = Dictionary(uniqueKeysWithValues: names.map { ($0, Room()) })
        let threads: [NonFailableTask<[Task<Void>]>] = (0..<4).map { thread in
            async {
                var random = SeededGenerator(seed: seed * 1_000 + UInt64(thread))
                var tasks: [Task<Void>] = []
                for _ in 0..<500 {
                    let own = names.filter { _ in Int.random(in: 0..<2, using: &random) == 0 }.shuffled(using: &random)
                    var conditions: [TaskCondition] = own.map { MutuallyExclusiveTaskCondition($0) }
                    if Int.random(in: 0..<8, using: &random) == 0 { conditions.append(BooleanTaskCondition(1 > 2)) }
                    let task: Task<Void> = async(conditions: conditions) {
                        for name in own where rooms[name]!.inside.add(1) > 1 { rooms[name]!.collisions.add(1) }
                        for name in own { rooms[name]!.visits.add(1) }
                        for name in own { rooms[name]!.inside.add(-1) }
                    }
                    tasks.append(task)
                    if let other = tasks.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 { other.cancel() }
                    if Int.random(in: 0..<16, using: &random) == 0 { task.finish() }
                }
                return tasks
            }
        }
        let tasks = threads.flatMap { `await`($0) }
        #expect(tasks.count == 2_000)
        for task in tasks { #expect(["value ()", cancelled].contains(outcome(of: task))) }
        // A task that was finished early or cancelled late may have a body yet to run; each of these jobs runs after all of them.
        for name in names {
            let last: Task<Void> = async(condition: MutuallyExclusiveTaskCondition(name)) {}
            #expect(outcome(of: last) == "value ()")
        }
        #expect(rooms.values.allSatisfy { $0.collisions.value == 0 && $0.inside.value == 0 && $0.visits.value > 0 })
    }
}
