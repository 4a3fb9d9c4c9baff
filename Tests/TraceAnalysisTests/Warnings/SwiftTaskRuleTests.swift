import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

/// Swift tasks that hop, share actors, and end late or never.
@Suite struct SwiftTaskRuleTests {
    /// A task that hops to main `count` times, with the given durations of each visit and of each stay on its own executor.
    private static func visits(_ count: Int, visit: UInt64 = 1, home: UInt64 = 1, awaiting: Bool = false) -> SwiftTrace {
        var swift = SwiftTrace()
        let task = swift.task("show rows")
        swift.enqueue(task, on: swift.global)
        swift.begin(task, on: swift.global)
        for _ in 0..<count {
            swift.leave(task, from: swift.global, to: swift.main)
            swift.wait(microseconds: 10)
            swift.begin(task, on: swift.main)
            swift.wait(microseconds: visit)
            if awaiting {
                swift.suspend(task, on: swift.main)
                swift.begin(task, on: swift.main)
            }
            swift.leave(task, from: swift.main, to: swift.global)
            swift.wait(microseconds: 10)
            swift.begin(task, on: swift.global)
            swift.wait(microseconds: home)
        }
        swift.complete(task)
        return swift
    }

    @Test("A task that goes to main and back more than three times in a row for very short visits is reported once")
    func hopBounce() {
        let swift = Self.visits(9)
        let warned = Warned(swift.trace)
        #expect(
            warned.messages == [
                "`show rows` went to and fro between main and global 9 times in a row, each visit shorter than its two waits; "
                    + "they waited 0.2 ms of 0.2 ms."
            ])
        #expect(warned.unproven(swift.trace).isEmpty)
        #expect(Warned(Self.visits(4).trace).rules == ["hop-bounce"])
        #expect(Warned(Self.visits(3).trace).list.isEmpty)
    }

    @Test("Visits or stays that are longer than their hops, and those with an await, are not reported")
    func noBounce() {
        #expect(Warned(Self.visits(9, visit: 19).trace).rules == ["hop-bounce"])
        #expect(Warned(Self.visits(9, visit: 20).trace).list.isEmpty)
        #expect(Warned(Self.visits(9, home: 20).trace).list.isEmpty)
        #expect(Warned(Self.visits(9, awaiting: true).trace).list.isEmpty)
    }

    @Test("A series of visits ends before it began by the times of its lane, which step back: it took no time")
    func hopBounceBackInTime() throws {
        let trace = Self.visits(4).trace
        // The times of each visit: when the task hops away, starts there, hops back, and starts again. The first hop has the latest time.
        let visits: [(hop: UInt64, start: UInt64, back: UInt64, home: UInt64)] = [
            (100, 50, 10, 45), (46, 46, 46, 50), (51, 51, 51, 55), (56, 56, 56, 60),
        ]
        // A hop is a suspension, the hop itself and its enqueuing.
        let times = visits.flatMap { [$0.hop, $0.hop, $0.hop, $0.start, $0.back, $0.back, $0.back, $0.home] }
        let events = try zip(trace.events, [1, 1, 1] + times + [61]).map { event, time in
            TaskEvent(
                try #require(event.kind), task: event.task, at: time, other: event.other, executor: event.executor, label: event.label,
                detail: event.detail)
        }
        #expect(events.count == trace.events.count)
        let store = TraceStore()
        store.entries = trace.entries
        store.apply(TraceBatch(events: events, lanes: trace.lanes))
        let list = WarningEngine(settings: .ofTests).list(in: store, now: 100, isOver: true)
        #expect(
            list.findings.filter { $0.rule == "hop-bounce" }.map { list.message(of: $0, in: store) } == [
                "`show rows` went to and fro between main and global 4 times in a row, each visit shorter than its two waits."
            ])
    }

    /// Calls of one cache, each of which makes a task there and awaits it before the first call has returned.
    private static func calls(_ count: Int, sharing: Bool = false, overlapping: Bool = true, _ kind: ExecutorKind = .actor) -> SwiftTrace {
        var swift = SwiftTrace()
        let cache = swift.trace.executor("Cache", kind)
        let callers = (0..<count).map { _ in swift.task("get", .detached) }
        var shared: TaskID?
        func back(_ caller: TaskID) {
            swift.enqueue(caller, on: swift.global)
            swift.begin(caller, on: swift.global)
            swift.take(cache, by: caller)
            swift.complete(caller)
        }
        for caller in callers {
            swift.enqueue(caller, on: swift.global)
            swift.begin(caller, on: swift.global)
            swift.take(cache, by: caller)
            let value = sharing ? shared ?? swift.task("make", by: caller) : swift.task("make", by: caller)
            shared = value
            swift.wait(microseconds: 1)
            swift.suspend(caller, .task, awaiting: value, on: cache)
            swift.wait(microseconds: 1)
            if !overlapping { back(caller) }
        }
        if overlapping { for caller in callers { back(caller) } }
        return swift
    }

    @Test("More than one further call that makes its own task at an await that the first call is still in is reported once")
    func actorReentrancy() {
        let swift = Self.calls(3)
        let warned = Warned(swift.trace, isOver: false)
        #expect(
            warned.messages == [
                "`get` awaited a task that it had made on Cache, and before that ended 2 more calls reached the same await, each making "
                    + "its own."
            ])
        #expect(
            warned.evidence("actor-reentrancy") == [
                "created 4", "suspended 1", "created 5", "suspended 2", "created 6", "suspended 3", "hopped 1",
            ])
        #expect(warned.unproven(swift.trace).isEmpty)
        #expect(Warned(Self.calls(9).trace, isOver: false).findings("actor-reentrancy").count == 1)
        #expect(Warned(Self.calls(2).trace, isOver: false).list.isEmpty)
    }

    @Test("Calls that make their own tasks can be for different things: only an actor that the settings name is reported")
    func keyedActors() {
        var settings = WarningSettings()
        let warned = Warned(Self.calls(10).trace, isOver: false, settings)
        #expect(warned.list.isEmpty)
        #expect(warned.list.checks.first { $0.rule == "actor-reentrancy" }?.why == "no names of actors are given that do their work once")
        settings.onceNames = [NamePattern("Other")]
        #expect(Warned(Self.calls(10).trace, isOver: false, settings).list.isEmpty)
        settings.onceNames = [NamePattern("Cache")]
        #expect(Warned(Self.calls(10).trace, isOver: false, settings).rules == ["actor-reentrancy"])
    }

    @Test("Calls that await the first one's task, that follow one another, or that are on no actor are not reported")
    func carefulActors() {
        #expect(Warned(Self.calls(5, sharing: true).trace, isOver: false).list.isEmpty)
        #expect(Warned(Self.calls(5, overlapping: false).trace, isOver: false).list.isEmpty)
        #expect(Warned(Self.calls(5, .global).trace, isOver: false).list.isEmpty)
    }

    @Test("More children in a group than the threshold are reported if one waits long; fewer, or without a wait, are not")
    func fanOut() {
        func warned(_ count: Int, atATime: Int, waiting nanoseconds: UInt64 = 100_000_001) -> Warned {
            var swift = SwiftTrace()
            let parent = swift.task("parent")
            swift.enqueue(parent, on: swift.global)
            swift.begin(parent, on: swift.global, lane: 9)
            var open: [TaskID] = []
            for _ in 0..<count {
                if open.count == atATime { swift.complete(open.removeFirst()) }
                open.append(swift.task("child", .groupChild, by: parent))
            }
            swift.wait(nanoseconds: nanoseconds)
            for child in open {
                swift.begin(child, on: swift.global, lane: 10)
                swift.complete(child)
            }
            swift.complete(parent)
            return Warned(swift.trace)
        }
        let reported = warned(101, atATime: 101)
        #expect(reported.messages == ["`parent` had more than 100 children at a time, and `child` waited 100.0 ms for its first turn."])
        #expect(reported.findings("fan-out").first.map { $0.evidence[$0.harm].kind } == .started)
        #expect(warned(101, atATime: 101, waiting: 100_000_000).list.isEmpty)
        #expect(warned(300, atATime: 300, waiting: 0).list.isEmpty)
        #expect(warned(1000, atATime: 100).list.isEmpty)
    }

    @Test("A task that continues to run longer than the threshold after its cancellation is reported; time spent waiting does not count")
    func lateCancel() {
        func warned(_ nanoseconds: UInt64, slices: Int = 1, isOver: Bool = true) -> Warned {
            var swift = SwiftTrace()
            let task = swift.task("download")
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global)
            swift.wait(milliseconds: 500)
            swift.trace.lane = 3
            swift.ask(task)
            for slice in 0..<slices {
                if slice > 0 {
                    swift.suspend(task)
                    swift.wait(milliseconds: 700)
                    swift.begin(task, on: swift.global)
                }
                swift.wait(nanoseconds: nanoseconds / UInt64(slices))
            }
            if isOver { swift.complete(task) }
            return Warned(swift.trace, isOver: false)
        }
        #expect(warned(100_000_001).messages == ["`download` was cancelled, and ran on for 100.0 ms without a look."])
        #expect(warned(100_000_002, slices: 2).evidence("late-cancel") == ["cancellationAsked 1", "completed 1"])
        #expect(warned(100_000_000).list.isEmpty)
        #expect(warned(100_000_000, slices: 2).list.isEmpty)
        #expect(warned(300_000_000, isOver: false).evidence("late-cancel") == ["cancellationAsked 1", "started 1"])
    }

    @Test("A cancelled task that goes on in many slices is one finding that grows until its end", arguments: [false, true])
    func growingLateCancel(isOver: Bool) {
        var swift = SwiftTrace()
        let task = swift.task("encode")
        swift.enqueue(task, on: swift.global)
        swift.begin(task, on: swift.global)
        swift.ask(task)
        for slice in 1...10 {
            swift.wait(milliseconds: 60)
            if isOver, slice == 10 { swift.complete(task) } else { swift.suspend(task) }
            if slice < 10 { swift.begin(task, on: swift.global) }
        }
        swift.wait(milliseconds: 500)
        #expect(
            Warned(swift.trace, isOver: false).messages == ["`encode` was cancelled, and ran on for 600.0 ms without a look."])
    }

    @Test("Events that are missing end the time for which a cancelled task is known to have run on")
    func lateCancelBeforeLoss() {
        var swift = SwiftTrace()
        let task = swift.task("encode")
        swift.enqueue(task, on: swift.global)
        swift.begin(task, on: swift.global)
        swift.ask(task)
        swift.wait(milliseconds: 150)
        swift.suspend(task)
        swift.trace.emit(TaskEvent(.lost, other: 1000))
        swift.wait(milliseconds: 500)
        #expect(Warned(swift.trace, isOver: false).messages == ["`encode` was cancelled, and ran on for 150.0 ms."])
    }

    @Test("Work in a cancellation shield is not late: only work before and after it counts", arguments: [false, true])
    func lateCancelInShield(isLost: Bool) {
        var swift = SwiftTrace()
        let task = swift.task("clean up")
        func shield(_ manner: ShieldManner) { swift.trace.emit(TaskEvent(.shielded, task: task, detail: manner.rawValue)) }
        swift.enqueue(task, on: swift.global)
        swift.begin(task, on: swift.global)
        shield(.began)
        if isLost {
            swift.trace.emit(TaskEvent(.lost, other: 1000))
            swift.begin(task, on: swift.global)
            // The task is found in the shield, whose beginning may be among the lost events.
            shield(.found)
        }
        swift.ask(task)
        swift.wait(milliseconds: 500)
        swift.suspend(task)
        swift.begin(task, on: swift.global)
        swift.wait(milliseconds: 500)
        #expect(Warned(swift.trace, isOver: false).list.isEmpty)
        shield(.ended)
        swift.wait(milliseconds: 70)
        shield(.began)
        swift.wait(milliseconds: 300)
        shield(.ended)
        swift.wait(milliseconds: 50)
        let look = isLost ? "" : " without a look"
        #expect(Warned(swift.trace, isOver: false).messages == ["`clean up` was cancelled, and ran on for 120.0 ms\(look)."])
        let view = swift.trace.store().task(task)
        #expect(view?.shield == nil && view?.shieldedTime == 1_300_000_000)
    }

    @Test("The place of a late cancellation is the wait after which the task worked longest, and a look is no silence")
    func placeOfLateCancel() {
        func warned(looks: Bool) -> Warned {
            var swift = SwiftTrace()
            let task = swift.task("download")
            let calls = (1...3).map { swift.trace.code(CodeSymbol(function: "load()", file: "main.swift", line: $0 * 10)) }
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global)
            for (call, milliseconds) in zip(calls, [5, 90, 20] as [UInt64]) {
                swift.suspend(task, at: call)
                swift.begin(task, on: swift.global)
                if call == calls[0] { swift.ask(task) }
                if call == calls[1], looks { swift.trace.emit(TaskEvent(.cancellationSeen, task: task)) }
                swift.wait(milliseconds: milliseconds)
            }
            swift.complete(task)
            return Warned(swift.trace, isOver: false)
        }
        #expect(
            warned(looks: false).messages == [
                "`download` was cancelled, and ran on for 115.0 ms without a look, longest after main.swift:20."
            ])
        #expect(warned(looks: true).messages == ["`download` was cancelled, and ran on for 115.0 ms, longest after main.swift:20."])
    }

    @Test("A task that asks itself to stop again has been asked since the first time")
    func repeatedCancellation() {
        func warned(_ nanoseconds: UInt64) -> Warned {
            var swift = SwiftTrace()
            let task = swift.task("download")
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global)
            for _ in 0..<3 {
                swift.ask(task)
                swift.wait(nanoseconds: nanoseconds / 3)
            }
            swift.complete(task)
            return Warned(swift.trace, isOver: false)
        }
        #expect(warned(150_000_000).messages == ["`download` was cancelled, and ran on for 150.0 ms without a look."])
        #expect(warned(99_000_000).list.isEmpty)
    }

    @Test("A checked continuation that is released is reported; one that was resumed or is still awaited is not")
    func neverCompleted() {
        func warned(resumes: Bool, releases: Bool) -> Warned {
            var swift = SwiftTrace()
            let task = swift.task("forgotten")
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global)
            swift.suspend(task)
            if releases { swift.trace.release(task) }
            if resumes {
                swift.enqueue(task, on: swift.global)
                swift.begin(task, on: swift.global)
                swift.complete(task)
            }
            swift.wait(milliseconds: 300)
            swift.trace.mark("later")
            return Warned(swift.trace, isOver: false)
        }
        let reported = warned(resumes: false, releases: true)
        #expect(reported.messages == ["`forgotten` awaits a continuation that was released before it was resumed: it waits forever."])
        #expect(reported.evidence("never-completed") == ["created 1", "suspended 1", "released 1"])
        #expect(warned(resumes: true, releases: true).list.isEmpty)
        #expect(warned(resumes: false, releases: false).list.isEmpty)
    }

    @Test("A task's unread error is reported; that of an async let whose scope has ended is not")
    func unobservedFault() {
        func warned(_ kind: TaskKind) -> Warned {
            var swift = SwiftTrace()
            let parent = swift.task("parent")
            swift.enqueue(parent, on: swift.global)
            swift.begin(parent, on: swift.global, lane: 9)
            let task = swift.task("work", kind, by: parent)
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global)
            swift.trace.fault(task, type: "Broken")
            swift.complete(parent)
            return Warned(swift.trace)
        }
        #expect(warned(.unstructured).messages == ["`work` failed with Broken, and the error was never read."])
        #expect(warned(.detached).rules == ["unobserved-fault"])
        #expect(warned(.asyncLet).list.isEmpty)
        #expect(warned(.groupChild).list.isEmpty)
    }

    @Test("An error that a task read and replaced by an unread one is reported once, as the error that is unread")
    func replacedFault() {
        var swift = SwiftTrace()
        let (parent, work) = (swift.task("parent"), swift.task("work"))
        for (task, lane) in [(work, 10), (parent, 9)] as [(TaskID, UInt16)] {
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global, lane: lane)
        }
        swift.trace.fault(work, type: "Timeout")
        swift.trace.readError(of: work, by: parent)
        swift.trace.fault(parent, type: "Broken")
        #expect(Warned(swift.trace).messages == ["`parent` failed with Broken, and the error was never read."])
    }

    @Test("A cycle of Swift tasks has the place of each await, also that of a task that awaits itself", arguments: [false, true])
    func placesOfCycle(isOne: Bool) {
        var swift = SwiftTrace()
        let tasks = (isOne ? ["renew"] : ["renew", "load"]).map { swift.task($0) }
        for (index, task) in tasks.enumerated() {
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global, lane: 10 + UInt16(index))
        }
        for (index, task) in tasks.enumerated() {
            let line = UInt32(18 + index)
            let calls = swift.trace.code(CodeSymbol(function: "token(of:)", file: "Sessions.swift", line: line))
            swift.trace.lane = 10 + UInt16(index)
            swift.trace.suspend(task, .task, awaiting: tasks[(index + 1) % tasks.count], in: calls)
        }
        swift.wait(milliseconds: 300)
        swift.trace.mark("later")
        let ring = "`renew` awaits `load` at Sessions.swift:18, which awaits `renew` at Sessions.swift:19: none of them can end."
        let text = isOne ? "`renew` waits for itself at Sessions.swift:18, and never ends." : ring
        #expect(Warned(swift.trace, isOver: false).messages == [text])
    }

    @Test("A cycle of tasks that await one another is reported")
    func waitCycle() {
        var swift = SwiftTrace()
        let (one, other) = (swift.task("one"), swift.task("other"))
        for (task, lane) in [(one, 10), (other, 11)] as [(TaskID, UInt16)] {
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global, lane: lane)
        }
        swift.suspend(one, .task, awaiting: other)
        swift.suspend(other, .task, awaiting: one)
        swift.wait(milliseconds: 300)
        swift.trace.mark("later")
        #expect(Warned(swift.trace, isOver: false).messages == ["`one` awaits `other`, which awaits `one`: none of them can end."])
    }
}
