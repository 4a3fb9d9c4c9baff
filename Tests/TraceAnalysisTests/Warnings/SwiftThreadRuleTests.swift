import TaskEvents
import Testing
import TraceAnalysis
import TraceTestKit

/// Swift tasks' slices that occupy threads, and the tasks that wait for these threads.
@Suite struct SwiftThreadRuleTests {
    @Test("A slice that occupies main longer than the threshold is a stall with its waiting tasks; an end or an await ends the slice")
    func mainStall() {
        func warned(_ nanoseconds: UInt64, suspends: Bool, isOver: Bool = true) -> Warned {
            var swift = SwiftTrace()
            let (long, late) = (swift.task("long"), swift.task("late", .detached))
            swift.enqueue(long, on: swift.main)
            swift.begin(long, on: swift.main)
            swift.enqueue(late, on: swift.main)
            swift.wait(nanoseconds: nanoseconds)
            guard isOver else { return Warned(swift.trace, isOver: false) }
            if suspends { swift.suspend(long, on: swift.main) } else { swift.complete(long) }
            swift.begin(late, on: swift.main)
            swift.complete(late)
            return Warned(swift.trace, isOver: false)
        }
        #expect(warned(100_000_001, suspends: false).messages == ["`long` kept main busy for 100.0 ms, while 1 job waited for it."])
        #expect(warned(100_000_001, suspends: true).evidence("main-stall") == ["started 1", "suspended 1", "enqueued 2"])
        #expect(warned(100_000_000, suspends: false).list.isEmpty)
        #expect(
            warned(200_000_000, suspends: false, isOver: false).messages == [
                "`long` has kept main busy for 200.0 ms, while `late` waited for it."
            ])
    }

    @Test("A slice elsewhere stalls no task")
    func noStall() {
        var swift = SwiftTrace()
        swift.run(swift.task("work"), on: swift.global, milliseconds: 500)
        #expect(Warned(swift.trace).list.isEmpty)
    }

    @Test("An asynchronous main that computes before its first await keeps main busy", arguments: [false, true])
    func stallBeforeFirstAwait(suspends: Bool) {
        var swift = SwiftTrace()
        let root = swift.task("main", .root)
        swift.beginMain(root)
        swift.wait(milliseconds: 500)
        if suspends {
            swift.suspend(root, on: swift.main)
            swift.wait(milliseconds: 500)
        } else {
            swift.complete(root)
        }
        let warned = Warned(swift.trace, isOver: false)
        #expect(warned.messages == ["`main` kept main busy for 500.0 ms."])
        #expect(warned.unproven(swift.trace).isEmpty)
    }

    @Test(
        "A task that took a free actor without waiting keeps it from a more urgent one, until it moves on or its slice ends",
        arguments: 0..<4)
    func inversionByTaker(shape: Int) {
        var swift = SwiftTrace()
        let actor = swift.trace.executor("Account", .actor)
        let (low, high) = (swift.task("low"), swift.task("high"))
        swift.enqueue(low, on: swift.global, priority: 9)
        swift.begin(low, on: swift.global)
        swift.wait(milliseconds: 150)
        swift.take(actor, by: low)
        swift.enqueue(high, on: actor, priority: 25)
        // The last two shapes tell of a stay in sum with others, or of a short one.
        swift.wait(milliseconds: 200)
        let hops = InlineHops(from: actor, count: shape == 2 ? 2 : 1, nanoseconds: shape == 3 ? 50_000_000 : 200_000_000)
        switch shape {
        case 0: swift.suspend(low, on: actor)
        default:
            swift.trace.lane = 10
            swift.trace.emit(
                TaskEvent(.hopped, task: low, other: hops.other, executor: swift.global, detail: HopManner.left.rawValue))
        }
        swift.begin(high, on: actor, lane: 11)
        swift.complete(high)
        let found = Warned(swift.trace, isOver: false)
        let message = "`high` waited 200.0 ms for Account, kept by `low`, which is less urgent."
        #expect(found.findings("priority-inversion").count == (shape < 2 ? 1 : 0))
        if shape < 2 { #expect(found.messages.contains(message)) }
        #expect(found.unproven(swift.trace).isEmpty)
    }

    /// Two threads, each with a slice, and a third task that waits.
    private static func pool(nanoseconds: UInt64, threads: UInt16 = 2, isOver: Bool = true) -> SwiftTrace {
        var swift = SwiftTrace()
        let holders = (0..<threads).map { _ in swift.task("hold") }
        for (index, holder) in holders.enumerated() {
            swift.enqueue(holder, on: swift.global)
            swift.begin(holder, on: swift.global, lane: 10 + UInt16(index))
        }
        let heartbeat = swift.task("heartbeat")
        swift.enqueue(heartbeat, on: swift.global)
        swift.wait(nanoseconds: nanoseconds)
        guard isOver else { return swift }
        swift.complete(holders[0])
        swift.begin(heartbeat, on: swift.global, lane: 10)
        swift.complete(heartbeat)
        for holder in holders.dropFirst() { swift.complete(holder) }
        return swift
    }

    @Test("A task that waits for the pool while the same slices occupy all its threads is reported beyond the threshold")
    func poolStarvation() {
        let swift = Self.pool(nanoseconds: 100_000_001)
        let warned = Warned(swift.trace)
        #expect(warned.messages == ["`heartbeat` waited 100.0 ms for a thread of Swift's pool, all kept by `hold` and 1 more."])
        #expect(warned.evidence("pool-starvation") == ["enqueued 3", "started 1", "started 2", "started 3"])
        #expect(warned.unproven(swift.trace).isEmpty)
        #expect(Warned(Self.pool(nanoseconds: 100_000_000).trace).list.isEmpty)
        #expect(
            Warned(Self.pool(nanoseconds: 300_000_000, isOver: false).trace, isOver: false).messages == [
                "`heartbeat` has been waiting 300.0 ms for a thread of Swift's pool, all kept by `hold` and 1 more."
            ])
    }

    @Test("A single thread may not be the whole pool, and a queue behind many short slices is no starvation")
    func noStarvation() {
        #expect(Warned(Self.pool(nanoseconds: 900_000_000, threads: 1).trace).list.isEmpty)
        var swift = SwiftTrace()
        let last = swift.task("last")
        swift.enqueue(last, on: swift.global)
        for lane in [10, 11] as [UInt16] {
            let task = swift.task("short")
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global, lane: lane)
            swift.wait(milliseconds: 1)
        }
        for _ in 0..<20 {
            let task = swift.task("short")
            swift.enqueue(task, on: swift.global)
            swift.complete(TaskID(rawValue: task.rawValue - 2))
            swift.begin(task, on: swift.global, lane: 10 + UInt16(task.rawValue % 2))
            swift.wait(milliseconds: 50)
        }
        swift.begin(last, on: swift.global, lane: 12)
        swift.complete(last)
        #expect(Warned(swift.trace, isOver: false).list.isEmpty)
    }

    @Test("A slice that blocks its thread is reported like any other job")
    func blockingWait() {
        func warned(_ nanoseconds: UInt64) -> Warned {
            var swift = SwiftTrace()
            let task = swift.task("load")
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global)
            swift.trace.beginWait(for: .none, by: task)
            swift.wait(nanoseconds: nanoseconds)
            swift.trace.endWait(for: .none, by: task)
            swift.complete(task)
            return Warned(swift.trace)
        }
        #expect(warned(10_000_001).messages == ["`load` blocked a thread of global for 10.0 ms in a blocking call."])
        #expect(warned(10_000_000).list.isEmpty)
    }

    @Test("A blocking call is placed by its function, and by its file and line if they are known", arguments: ["App/Store.swift", ""])
    func siteOfBlockingWait(file: String) {
        var swift = SwiftTrace()
        let task = swift.task("load")
        swift.enqueue(task, on: swift.global)
        swift.begin(task, on: swift.global)
        let call = swift.trace.label("Recorder.record(_:)", file: file, line: file.isEmpty ? 0 : 7)
        swift.trace.beginWait(for: .none, by: task, in: call)
        swift.wait(milliseconds: 11)
        swift.trace.endWait(for: .none, by: task)
        swift.complete(task)
        let site = "`Recorder.record(_:)`" + (file.isEmpty ? "" : ", App/Store.swift:7")
        #expect(
            Warned(swift.trace).messages == [
                "`load` blocked a thread of global for 11.0 ms in \(site)."
            ])
    }

    @Test("A task that the settings assign to main may continue elsewhere if it began on main")
    func offMain() throws {
        func rules(onMain: Bool) -> [String] {
            var swift = SwiftTrace()
            let first = onMain ? swift.main : swift.global
            let task = swift.task("render list")
            swift.enqueue(task, on: first)
            swift.begin(task, on: first)
            swift.wait(milliseconds: 1)
            swift.suspend(task)
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global)
            swift.complete(task)
            var settings = WarningSettings()
            settings.mainNames = [NamePattern("render*")]
            return Warned(swift.trace, settings).rules
        }
        #expect(rules(onMain: false) == ["off-main"])
        #expect(rules(onMain: true).isEmpty)
    }

    @Test("A slice continues if its awaited value is already there; records lost by another thread end nothing here")
    func resumed() {
        var swift = SwiftTrace()
        let task = swift.task("long")
        swift.enqueue(task, on: swift.main)
        swift.begin(task, on: swift.main)
        swift.suspend(task, on: swift.main)
        swift.trace.resume(task)
        swift.trace.lane = 30
        swift.trace.lose(2)
        swift.wait(milliseconds: 300)
        swift.complete(task)
        #expect(Warned(swift.trace).evidence("main-stall") == ["started 1", "completed 1"])
    }
}
