import TaskEvents
import Testing
import TraceAnalysis
import TraceTestKit

/// The order, the delay and the priority with which Swift tasks start.
@Suite struct SwiftOrderRuleTests {
    /// Tasks made in sequence that arrive at an actor in the given order.
    private static func arrivals(_ order: [Int], kind: TaskKind = .unstructured, pauses: Bool = false, isOutside: Bool = false)
        -> SwiftTrace
    {
        var swift = SwiftTrace()
        let journal = swift.trace.executor("Journal", .actor)
        let maker = swift.task("maker")
        if !isOutside {
            swift.enqueue(maker, on: swift.global)
            swift.begin(maker, on: swift.global, lane: 9)
        }
        let tasks = order.indices.map { _ in
            if isOutside {
                swift.wait(milliseconds: pauses ? 11 : 1)
                return swift.task("write", kind)
            }
            if pauses {
                swift.suspend(maker)
                swift.wait(milliseconds: 1)
                swift.begin(maker, on: swift.global, lane: 9)
            }
            return swift.task("write", kind, by: maker)
        }
        if !isOutside { swift.complete(maker) }
        for number in order {
            swift.enqueue(tasks[number], on: swift.global)
            swift.begin(tasks[number], on: swift.global)
            swift.take(journal, by: tasks[number])
            swift.complete(tasks[number])
        }
        return swift
    }

    @Test("A task that more than three later tasks overtake on the way to an actor is reported")
    func startOrder() {
        let swift = Self.arrivals([1, 2, 3, 4, 0])
        let warned = Warned(swift.trace)
        #expect(warned.messages == ["`write` came to Journal later than 4 that were made after it."])
        #expect(
            warned.evidence("start-order") == [
                "created 2", "created 3", "created 4", "created 5", "created 6", "hopped 3", "hopped 4", "hopped 5", "hopped 6", "hopped 2",
            ])
        #expect(warned.unproven(swift.trace).isEmpty)
        #expect(Warned(Self.arrivals([1, 2, 3, 0, 4]).trace).list.isEmpty)
        #expect(Warned(Self.arrivals([0, 1, 2, 3, 4]).trace).list.isEmpty)
    }

    @Test("Only the first of a task's visits counts, whichever actors it visits in between")
    func laterVisits() {
        var swift = SwiftTrace()
        let actors = ["Journal", "Index"].map { swift.trace.executor($0, .actor) }
        let maker = swift.task("maker")
        swift.enqueue(maker, on: swift.global)
        swift.begin(maker, on: swift.global, lane: 9)
        let tasks = (0..<6).map { _ in swift.task("write", by: maker) }
        for round in 0..<3 {
            // The first task is first in the first round, and last in the others.
            for task in round == 0 ? tasks : Array(tasks.dropFirst()) + [tasks[0]] {
                swift.enqueue(task, on: swift.global)
                swift.begin(task, on: swift.global)
                for actor in actors { swift.take(actor, by: task) }
                swift.suspend(task)
            }
        }
        #expect(!Warned(swift.trace, isOver: false).rules.contains("start-order"))
    }

    @Test("A return to main after an await is no arrival")
    func returns() {
        var swift = SwiftTrace()
        let maker = swift.task("maker")
        swift.enqueue(maker, on: swift.main)
        swift.begin(maker, on: swift.main)
        let tasks = (0..<6).map { _ in swift.task("waiter", by: maker) }
        swift.suspend(maker)
        for task in tasks {
            swift.enqueue(task, on: swift.main)
            swift.begin(task, on: swift.main)
            swift.suspend(task)
        }
        for task in tasks.reversed() {
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global)
            swift.leave(task, from: swift.global, to: swift.main)
            swift.begin(task, on: swift.main)
            swift.complete(task)
        }
        #expect(!Warned(swift.trace, isOver: false).rules.contains("start-order"))
    }

    @Test("Tasks made outside of every task count as one sequence until a pause of 10 ms")
    func fromOutside() {
        #expect(Warned(Self.arrivals([1, 2, 3, 4, 0], isOutside: true).trace, isOver: false).rules == ["start-order"])
        #expect(Warned(Self.arrivals([1, 2, 3, 4, 0], pauses: true, isOutside: true).trace, isOver: false).list.isEmpty)
    }

    @Test("Children of a group, and tasks that were not made in sequence, have no order")
    func noOrder() {
        #expect(Warned(Self.arrivals([5, 4, 3, 2, 1, 0], kind: .groupChild).trace).list.isEmpty)
        #expect(Warned(Self.arrivals([5, 4, 3, 2, 1, 0], pauses: true).trace).list.isEmpty)
    }

    @Test("A task made on main for main that waits longer than the threshold is reported", arguments: [true, false])
    func slowStart(isAsynchronousMain: Bool) {
        func trace(_ nanoseconds: UInt64, onMain: Bool = true) -> SwiftTrace {
            var swift = SwiftTrace()
            let executor = onMain ? swift.main : swift.global
            let maker = swift.task("main", isAsynchronousMain ? .root : .unstructured)
            if isAsynchronousMain {
                swift.beginMain(maker)
            } else {
                swift.enqueue(maker, on: swift.main)
                swift.begin(maker, on: swift.main)
            }
            // The maker has no thread of its own here; main's thread is used.
            let task = swift.trace.reserveTask()
            swift.trace.lane = 1
            swift.trace.created(task, .unstructured, "before", of: [maker])
            swift.trace.emit(TaskEvent(.enqueued, task: task, executor: executor, detail: 21))
            swift.suspend(maker, on: swift.main)
            swift.wait(nanoseconds: nanoseconds)
            swift.begin(task, on: executor)
            swift.complete(task)
            return swift
        }
        let reported = trace(100_000_001)
        #expect(Warned(reported.trace, isOver: false).messages == ["`before` was made on main and began there 100.0 ms later."])
        #expect(Warned(reported.trace, isOver: false).unproven(reported.trace).isEmpty)
        #expect(Warned(trace(100_000_000).trace, isOver: false).list.isEmpty)
        #expect(Warned(trace(900_000_000, onMain: false).trace, isOver: false).list.isEmpty, "not what was asked for")
    }

    @Test("A chain's job and the Swift tasks that it creates count as one thread, although the probe has a lane of its own")
    func slowStartFromChain() {
        var swift = SwiftTrace()
        swift.trace.lane = 1
        swift.trace.takeLane(thread: 77)
        swift.trace.lane = 20
        swift.trace.takeLane(thread: 77)
        swift.trace.lane = 1
        let chain = swift.trace.root("doWork", on: swift.main)
        swift.trace.enqueue(chain)
        swift.trace.start(chain)
        swift.trace.lane = 20
        let task = swift.trace.reserveTask()
        swift.trace.created(task, .unstructured, "before", of: [chain])
        swift.trace.emit(TaskEvent(.enqueued, task: task, executor: swift.main, detail: 21))
        swift.trace.lane = 1
        swift.wait(milliseconds: 60)
        swift.trace.complete(chain)
        swift.trace.endJob(chain)
        swift.wait(milliseconds: 60)
        swift.trace.lane = 20
        swift.trace.start(task, .slice, on: swift.main)
        swift.trace.complete(task)
        #expect(Warned(swift.trace, isOver: false).rules == ["slow-start"])
    }

    @Test("A task made elsewhere, or one that starts inside its maker, is not reported")
    func noSlowStart() {
        var swift = SwiftTrace()
        let maker = swift.task("maker")
        swift.enqueue(maker, on: swift.global)
        swift.begin(maker, on: swift.global)
        let show = swift.task("show", by: maker)
        swift.enqueue(show, on: swift.main)
        swift.wait(milliseconds: 900)
        swift.begin(show, on: swift.main)
        let immediate = swift.task("immediate", by: show)
        swift.trace.start(immediate, .inline, on: swift.main)
        swift.complete(immediate)
        swift.complete(show)
        // What held main meanwhile is not recorded, and that is all there is to say.
        #expect(Warned(swift.trace, isOver: false).rules == ["main-stall"])
    }

    /// A stream's consumer, woken by producers of these priorities.
    private static func woken(_ priorities: [UInt8], own: UInt8 = 17, by kind: TaskKind = .unstructured, codes: Int = 1) -> Warned {
        var swift = SwiftTrace()
        let sites = (0..<codes).map { swift.trace.label("await \($0)") }
        let consumer = swift.task("consumer")
        swift.enqueue(consumer, on: swift.global, priority: own)
        swift.begin(consumer, on: swift.global, lane: 11)
        for (index, priority) in priorities.enumerated() {
            swift.suspend(consumer, .continuation, at: sites[index % codes])
            let producer = swift.task("yield", kind)
            swift.enqueue(producer, on: swift.global, priority: priority)
            swift.begin(producer, on: swift.global)
            swift.enqueue(consumer, on: swift.global, priority: own, by: producer)
            swift.complete(producer)
            swift.begin(consumer, on: swift.global, lane: 11)
        }
        swift.complete(consumer)
        return Warned(swift.trace)
    }

    @Test("A task that works for tasks of several priorities, more than three times for a more urgent one, is reported")
    func fixedPriority() {
        let warned = Self.woken([25, 21, 25, 25])
        #expect(
            warned.messages == [
                "`consumer` was given work by tasks of several priorities, more than 3 times by a more urgent one such as `yield`, and does "
                    + "it at its own."
            ])
        #expect(warned.evidence("fixed-priority") == Array(repeating: "enqueued 1", count: 4))
        #expect(Self.woken([25, 17, 25, 25]).list.isEmpty, "three times")
    }

    @Test(
        "One priority, an urgent consumer, a timer's wake-up and different awaits are not reported")
    func ownPriority() {
        #expect(Self.woken([25, 25, 25, 25, 25, 25]).list.isEmpty)
        #expect(Self.woken([25, 21, 25, 21, 25, 21], own: 25).list.isEmpty)
        #expect(Self.woken([25, 21, 25, 21, 25, 21], by: .internal).list.isEmpty)
        #expect(Self.woken([25, 21, 25, 21, 25, 21], codes: 2).list.isEmpty)
        #expect(Self.woken([0, 0, 0, 0, 0, 0]).list.isEmpty, "not known")
    }

    private static func inversion(_ nanoseconds: UInt64, low: UInt8 = 9, high: UInt8 = 25, _ kind: ExecutorKind = .actor) -> SwiftTrace {
        var swift = SwiftTrace()
        let actor = swift.trace.executor("Index", kind)
        let (slow, urgent) = (swift.task("rebuild"), swift.task("search"))
        swift.enqueue(slow, on: actor, priority: low)
        swift.begin(slow, on: actor)
        swift.enqueue(urgent, on: actor, priority: high)
        swift.wait(nanoseconds: nanoseconds)
        swift.complete(slow)
        swift.wait(microseconds: 5)
        swift.begin(urgent, on: actor)
        swift.complete(urgent)
        return swift
    }

    @Test("A task that waits for an actor beyond the threshold while a less urgent task occupies it is reported")
    func priorityInversion() {
        let swift = Self.inversion(100_000_001)
        let warned = Warned(swift.trace)
        #expect(warned.messages == ["`search` waited 100.0 ms for Index, kept by `rebuild`, which is less urgent."])
        #expect(warned.evidence("priority-inversion") == ["enqueued 2", "started 1", "started 2"])
        #expect(warned.unproven(swift.trace).isEmpty)
        #expect(Warned(Self.inversion(100_000_000).trace).list.isEmpty)
        #expect(Warned(Self.inversion(900_000_000, high: 9).trace).list.isEmpty)
        #expect(Warned(Self.inversion(900_000_000, low: 0).trace).list.isEmpty, "not known")
        #expect(Warned(Self.inversion(900_000_000, .custom).trace).list.isEmpty, "it may have many threads")
        #expect(Warned(Self.inversion(900_000_000, .main).trace).rules == ["main-stall", "priority-inversion"])
    }
}
