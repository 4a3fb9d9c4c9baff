import TaskEvents
import Testing
import TraceAnalysis
import TraceTestKit

@Suite struct ActorContentionTests {
    /// `count` calls of an actor that arrive at once from two callers' places. Each runs `nanoseconds` on the actor, which is then free for
    /// `pause`.
    private static func trace(calls count: Int, nanoseconds: UInt64, pause: UInt64 = 0, kind: ExecutorKind = .actor) -> TraceBuilder {
        var swift = SwiftTrace()
        let actor = swift.trace.executor("Inventory", kind)
        let calls = (0..<count).map { swift.task($0 % 3 == 0 ? "reserve" : "count", .detached) }
        for call in calls { swift.enqueue(call, on: actor) }
        for call in calls {
            swift.wait(nanoseconds: pause)
            swift.begin(call, on: actor)
            swift.wait(nanoseconds: nanoseconds)
            swift.complete(call)
        }
        return swift.trace
    }

    @Test(
        "Calls that wait for a busy actor beyond the threshold are reported with its share, the waits, the longest wait and the callers"
    )
    func positive() throws {
        let trace = Self.trace(calls: 21, nanoseconds: 10_000_000)
        let warned = Warned(trace)
        #expect(warned.rules == ["actor-contention"])
        #expect(
            warned.messages == [
                "Inventory is crowded: for 200.0 ms calls have waited for it all the time, 20 of them, typically 100.7 ms for a job of "
                    + "10.0 ms and at worst 200.0 ms; called by `count` and others at App/main.swift:2 (14), `reserve` and others at "
                    + "App/main.swift:1 (6)."
            ])
        #expect(warned.list.count(of: .warning) == 1)
        let finding = try #require(warned.findings("actor-contention").first)
        #expect(finding.evidence[finding.harm].kind == .started)
        #expect(warned.unproven(trace).isEmpty)
    }

    @Test("The words of a block have its place, which the sentence does not repeat")
    func blocks() {
        var swift = SwiftTrace()
        let actor = swift.trace.executor("Inventory", .actor)
        let code = swift.trace.code("Window.deinit", file: "App/main.swift", line: 12)
        let place = swift.trace.label("Window.deinit", code: code)
        let deinits = (1...12 as ClosedRange<UInt64>).map { number in
            let block = TaskID(rawValue: TaskID.firstBlock + 100 + number)
            swift.trace.emit(TaskEvent(.created, task: block, label: place, detail: TaskKind.block.rawValue))
            swift.trace.enqueue(block, on: actor)
            return block
        }
        let block = swift.trace.block("save()", on: actor, line: 30)
        for block in deinits + [block] {
            swift.begin(block, on: actor)
            swift.wait(milliseconds: 20)
            swift.complete(block)
        }
        let message = Warned(swift.trace).messages.first { $0.hasPrefix("Inventory") }
        #expect(
            message
                == "Inventory is crowded: for 240.0 ms calls have waited for it all the time, 12 of them, typically 134.2 ms for a job of "
                + "20.0 ms and at worst 240.0 ms; called by the operation `Window.deinit` at main.swift:12 and others like it (11), the "
                + "block at main.swift:30 (1).")
    }

    @Test("Two callers that take turns wait for one job each, and no call waits behind another")
    func turns() {
        var swift = SwiftTrace()
        let actor = swift.trace.executor("Inventory", .actor)
        let calls = (0..<40).map { _ in swift.task("reserve", .detached) }
        swift.enqueue(calls[0], on: actor)
        for (call, next) in zip(calls, calls.dropFirst()) {
            swift.begin(call, on: actor)
            swift.enqueue(next, on: actor)
            swift.wait(milliseconds: 10)
            swift.complete(call)
        }
        let list = Warned(swift.trace).list
        #expect(list.isEmpty)
    }

    @Test("Waits as long as the threshold, fewer than eight waits, an idle actor and a pool are no contention")
    func boundaries() {
        #expect(Warned(Self.trace(calls: 11, nanoseconds: 10_000_000)).findings("actor-contention").isEmpty, "100 ms")
        #expect(!Warned(Self.trace(calls: 11, nanoseconds: 10_000_001)).findings("actor-contention").isEmpty)
        #expect(Warned(Self.trace(calls: 8, nanoseconds: 50_000_000)).findings("actor-contention").isEmpty, "seven waits")
        #expect(!Warned(Self.trace(calls: 9, nanoseconds: 50_000_000)).findings("actor-contention").isEmpty)
        #expect(Warned(Self.trace(calls: 30, nanoseconds: 4_000_000, pause: 6_000_000)).findings("actor-contention").isEmpty, "40 %")
        #expect(!Warned(Self.trace(calls: 30, nanoseconds: 6_000_000, pause: 4_000_000)).findings("actor-contention").isEmpty)
        #expect(Warned(Self.trace(calls: 30, nanoseconds: 10_000_000, kind: .pool)).findings("actor-contention").isEmpty)
    }

    @Test("Consecutive calls never wait in line")
    func negative() {
        var swift = SwiftTrace()
        let actor = swift.trace.executor("Inventory", .actor)
        for _ in 0..<200 {
            let call = swift.task("reserve", .detached)
            swift.enqueue(call, on: actor)
            swift.wait(microseconds: 5)
            swift.begin(call, on: actor)
            swift.wait(milliseconds: 5)
            swift.complete(call)
        }
        #expect(Warned(swift.trace).list.isEmpty)
    }

    @Test("A line of waiting calls that still lasts is reported; after a loss it is not")
    func standing() {
        var swift = SwiftTrace()
        let actor = swift.trace.executor("Inventory", .actor)
        let calls = (0..<60).map { _ in swift.task("reserve", .detached) }
        for call in calls { swift.enqueue(call, on: actor) }
        for call in calls.prefix(20) {
            swift.begin(call, on: actor)
            swift.wait(milliseconds: 10)
            swift.complete(call)
        }
        #expect(Warned(swift.trace, isOver: false).rules == ["actor-contention"])
        swift.trace.lose(1)
        #expect(Warned(swift.trace, isOver: false).list.isEmpty)
    }
}

@Suite struct TaskGrowthTests {
    /// `count` tasks that are created `pause` apart. Each ends after `life` more have been created; with nil none ends.
    private static func trace(
        _ count: Int, pause: UInt64 = 10_000_000, life: Int? = nil, label: (Int, inout SwiftTrace) -> EntryID? = { _, _ in nil }
    ) -> TraceBuilder {
        var swift = SwiftTrace()
        var open: [TaskID] = []
        for number in 0..<count {
            swift.wait(nanoseconds: pause)
            let label = label(number, &swift)
            let task = label.map { swift.task(labelled: $0) } ?? swift.task("handle", .unstructured)
            swift.enqueue(task, on: swift.global)
            swift.wait(microseconds: 1)
            swift.begin(task, on: swift.global)
            swift.suspend(task, .continuation, on: swift.global)
            open.append(task)
            guard let life, number >= life else { continue }
            let oldest = open.removeFirst()
            swift.begin(oldest, on: swift.global)
            swift.complete(oldest)
        }
        swift.wait(nanoseconds: pause)
        swift.trace.mark("end")
        return swift.trace
    }

    @Test("A place whose live tasks only increase is reported with their number and the time since when")
    func positive() throws {
        let trace = Self.trace(200)
        let warned = Warned(trace)
        #expect(warned.rules == ["task-growth"])
        #expect(warned.messages[0].hasPrefix("200 tasks like `handle` made at App/main.swift:1 are live, of 200; "))
        let finding = try #require(warned.findings("task-growth").first)
        #expect(finding.evidence[finding.harm].kind == .suspended)
        #expect(warned.unproven(trace).isEmpty)
    }

    @Test("The first turn of a loop is another call than the next ones: their tasks are counted together")
    func callsOfOneLine() {
        var calls: [EntryID] = []
        let trace = Self.trace(300) { number, swift in
            if number < 2 { calls.append(swift.trace.label(code: swift.trace.code("handle()", file: "Leak.swift", line: 5))) }
            return calls[min(number, 1)]
        }
        let warned = Warned(trace)
        #expect(warned.messages.count == 1)
        #expect(warned.messages[0].hasPrefix("300 tasks like `handle() Leak.swift:5` are live, of 300; "))
    }

    @Test("As many live tasks as the threshold are not reported, one more is")
    func boundary() {
        #expect(Warned(Self.trace(100)).list.isEmpty)
        #expect(Warned(Self.trace(101)).rules == ["task-growth"])
    }

    @Test("A number that levels off, falls, or comes from one burst is no growth")
    func negative() {
        #expect(Warned(Self.trace(2000, life: 150)).list.isEmpty, "150 at a time, one after the other")
        var burst = Self.trace(300, pause: 1000)
        for _ in 0..<40 {
            burst.advance(milliseconds: 100)
            burst.mark("silence")
        }
        #expect(Warned(burst).list.isEmpty)
        var drained = Self.trace(200)
        drained.advance(milliseconds: 10)
        for task in 1...150 { drained.complete(TaskID(rawValue: UInt64(task))) }
        drained.advance(milliseconds: 10)
        drained.mark("end")
        #expect(Warned(drained).list.isEmpty)
    }

    /// Children of a group, made 10 ms apart, that end at once. The results of those before the last `kept` ones are taken.
    private static func children(_ count: Int, kept: Int) -> SwiftTrace {
        var swift = SwiftTrace()
        for number in 0..<count {
            swift.wait(milliseconds: 10)
            let task = swift.task("serve", .groupChild)
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global)
            swift.complete(task)
            if number >= kept { swift.trace.emit(TaskEvent(.released, task: TaskID(rawValue: task.rawValue - UInt64(kept)), detail: 2)) }
        }
        swift.wait(milliseconds: 10)
        swift.trace.mark("end")
        return swift
    }

    @Test("A group keeps children that have ended until their results are taken")
    func untaken() {
        let warned = Warned(Self.children(200, kept: 200).trace, isOver: false)
        #expect(
            warned.messages == [
                "200 children like `serve` made at App/main.swift:1 have ended, and nothing takes their results: their group keeps them all. "
                    + "Their number has only grown for 2.000 s."
            ])
        #expect(Warned(Self.children(200, kept: 0).trace, isOver: false).list.isEmpty, "each is taken at once")
        #expect(Warned(Self.children(200, kept: 60).trace, isOver: false).list.isEmpty, "never more than 60 wait for it")
        #expect(Warned(Self.children(99, kept: 99).trace, isOver: false).list.isEmpty, "there are few")
        var taken = Self.children(200, kept: 200)
        for task in 1...150 { taken.trace.emit(TaskEvent(.released, task: TaskID(rawValue: UInt64(task)), detail: 2)) }
        taken.wait(milliseconds: 10)
        #expect(Warned(taken.trace, isOver: false).list.isEmpty, "the loop that takes them has begun")
    }

    @Test("Without the route that shows which results are taken, ended children do not count, and the rule is not checked")
    func unseenChildren() {
        var swift = Self.children(200, kept: 200)
        swift.trace.state(.all.subtracting(.children))
        #expect(Warned(swift.trace, isOver: false).list.isEmpty)
        #expect(Warned(swift.trace, isOver: false).list.checks.contains { $0.rule == "task-growth" && !$0.isChecked })
    }

    @Test("A growing number is reported while it grows, and no longer after the tasks have ended")
    func standing() {
        let trace = Self.trace(200)
        #expect(Warned(trace, isOver: false).rules == ["task-growth"])
        var lost = trace
        lost.lose(1)
        #expect(Warned(lost, isOver: false).list.isEmpty)
    }
}
