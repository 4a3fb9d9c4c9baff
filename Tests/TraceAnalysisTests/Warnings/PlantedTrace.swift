import TaskEvents
import TraceTestKit

/// A random trace without problems, into which a test plants a problem.
struct PlantedTrace {
    var trace = TraceBuilder(at: 1)
    private var random: SeededGenerator
    private let main, net, disk, order, global: ExecutorID

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        main = trace.executor("main", .main)
        net = trace.executor("net", .pool)
        disk = trace.executor("disk", .queue)
        order = trace.executor("order", .custom)
        global = trace.executor("global", .global)
    }

    private mutating func number(_ range: ClosedRange<UInt64>) -> UInt64 {
        UInt64.random(in: range, using: &random)
    }

    private mutating func tick() {
        trace.advance(nanoseconds: number(1...50_000))
    }

    /// One thread for each executor.
    private mutating func on(_ executor: ExecutorID, _ body: (inout PlantedTrace) -> Void) {
        let lane = trace.lane
        trace.lane = executor.rawValue
        body(&self)
        trace.lane = lane
    }

    private mutating func job(
        _ task: TaskID, on executor: ExecutorID, milliseconds: UInt64, _ body: (inout PlantedTrace) -> Void = { _ in }
    ) {
        trace.enqueue(task)
        on(executor) { plant in
            plant.tick()
            plant.trace.start(task)
            body(&plant)
            plant.trace.advance(milliseconds: milliseconds)
            plant.trace.complete(task)
            plant.trace.endJob(task)
        }
    }

    private mutating func root(_ name: String, on executor: ExecutorID) -> TaskID {
        let task = trace.root(name, on: executor)
        job(task, on: executor, milliseconds: number(1...90))
        return task
    }

    // MARK: Without problems

    /// Adds `count` chains, each of a random kind.
    mutating func addClean(chains: Int) {
        for _ in 0..<chains {
            tick()
            switch number(0...9) {
            case 0: addChain()
            case 1: addHandledFault()
            case 2: addJoin()
            case 3: addShortWait()
            case 4: addCancellation()
            case 5: addRace()
            case 6: addDelay()
            case 7: addSwiftTasks()
            case 8: addSharingActor()
            case _: addOrderedJobs()
            }
        }
    }

    /// Steps with long visits to main, and sometimes one redundant hop.
    private mutating func addChain() {
        var last = root("load", on: net)
        var executor = net
        for _ in 0..<number(1...6) {
            let next = [main, net, disk][Int(number(0...2))]
            let task = trace.continuation("step", of: last, on: next)
            if executor != main || next != main { trace.hop(task, from: executor) }
            job(task, on: next, milliseconds: number(2...90))
            (last, executor) = (task, next)
        }
    }

    private mutating func addHandledFault() {
        let task = trace.source("request")
        trace.fault(task, type: "Timeout")
        let skipped = trace.continuation("parse", of: task)
        trace.skip(skipped)
        if number(0...1) == 0 {
            trace.readError(of: skipped)
        } else {
            let handler = trace.continuation("report", of: skipped, on: main)
            trace.hop(handler)
            job(handler, on: main, milliseconds: 1) { $0.trace.readError(of: skipped, by: handler) }
        }
        trace.release(skipped)
    }

    private mutating func addJoin() {
        let inputs = (0..<Int(number(2...90))).map { _ in trace.source("part") }
        let join = trace.join(of: inputs)
        for input in inputs { trace.complete(input) }
        trace.complete(join)
    }

    /// A short wait inside a body, a long one outside bodies.
    private mutating func addShortWait() {
        let source = trace.source("answer")
        let body = trace.root("ask", on: net)
        let time = number(1...10_000_000)
        job(body, on: net, milliseconds: 1) { plant in
            plant.trace.beginWait(for: source, by: body)
            plant.trace.advance(nanoseconds: time)
            plant.trace.complete(source)
            plant.trace.endWait(for: source, by: body)
        }
        let second = trace.source("end")
        trace.lane = 40
        trace.beginWait(for: second)
        trace.advance(milliseconds: number(1...900))
        trace.complete(second)
        trace.endWait(for: second)
        trace.lane = 0
    }

    private mutating func addCancellation() {
        let task = trace.root("search", on: disk)
        trace.enqueue(task)
        trace.cancel(task, .token)
        let source = trace.source("key")
        trace.skip(
            {
                let next = trace.continuation("look up", of: source)
                trace.cancel(source)
                return next
            }())
    }

    private mutating func addRace() {
        let source = trace.source("first answer")
        trace.complete(source)
        for _ in 0..<number(0...3) { trace.completeTwice(source, isError: false) }
    }

    private mutating func addDelay() {
        let delay = trace.delay()
        trace.advance(milliseconds: number(1...500))
        trace.complete(delay)
    }

    private mutating func addOrderedJobs() {
        let tasks = (0..<Int(number(2...5))).map { _ in trace.root("turn", on: order) }
        for task in tasks { trace.enqueue(task) }
        on(order) { plant in
            for task in tasks {
                plant.tick()
                plant.trace.start(task)
                plant.trace.complete(task)
                plant.trace.endJob(task)
            }
        }
    }

    /// Swift tasks, in a trace that continues this one.
    private mutating func swift<Answer>(_ body: (inout SwiftTrace, _ number: (ClosedRange<UInt64>) -> UInt64) -> Answer) -> Answer {
        var swift = SwiftTrace(trace, main: main, global: global)
        var random = random
        let answer = body(&swift) { UInt64.random(in: $0, using: &random) }
        (trace, self.random) = (swift.trace, random)
        trace.lane = 0
        return answer
    }

    /// A few tasks at a time, one of which shows a value on main.
    private mutating func addSwiftTasks() {
        swift { swift, number in
            let tasks = (0..<number(1...3)).map { _ in swift.task("work", .detached) }
            for (index, task) in tasks.enumerated() {
                swift.enqueue(task, on: swift.global, priority: [9, 17, 21, 25][Int(number(0...3))])
                swift.wait(microseconds: number(1...50))
                swift.begin(task, on: swift.global, lane: 60 + UInt16(index))
            }
            swift.wait(milliseconds: number(1...90))
            for task in tasks.dropFirst() { swift.complete(task) }
            swift.leave(tasks[0], from: swift.global, to: swift.main)
            swift.wait(microseconds: 100)
            swift.begin(tasks[0], on: swift.main)
            swift.wait(milliseconds: number(1...90))
            swift.complete(tasks[0])
        }
    }

    /// Calls of an actor that all await the first one's task.
    private mutating func addSharingActor() {
        swift { swift, number in
            let actor = swift.trace.executor("Careful", .actor)
            var made: TaskID?
            let callers = (0..<number(2...6)).map { _ in swift.task("get", .detached) }
            for caller in callers {
                swift.enqueue(caller, on: swift.global)
                swift.begin(caller, on: swift.global, lane: 60)
                swift.take(actor, by: caller)
                let task = made ?? swift.task("make", by: caller)
                made = task
                swift.suspend(caller, .task, awaiting: task, on: actor)
                swift.wait(microseconds: number(1...90))
            }
            swift.run(made!, on: swift.global, lane: 61)
            for caller in callers {
                swift.enqueue(caller, on: swift.global)
                swift.begin(caller, on: swift.global, lane: 60)
                swift.take(actor, by: caller)
                swift.complete(caller)
            }
        }
    }

    /// A program of the corpus.
    mutating func add(_ program: (inout SwiftTrace) -> Void) {
        swift { swift, _ in program(&swift) }
    }

    // MARK: Problems

    /// Plants the rule's problem and returns the task that the finding is about.
    mutating func plant(_ rule: String) -> TaskID {
        tick()
        switch rule {
        case "unobserved-fault": return plantUnobserved()
        case "swallowed-error": return plantSwallowed()
        case "main-stall": return plantStall()
        case "loop-stall": return plantLoopStall()
        case "blocking-wait": return plantWait()
        case "pool-starvation": return plantStarvation()
        case "wait-cycle": return plantCycle()
        case "never-completed": return plantNeverCompleted()
        case "completed-twice": return plantTwice()
        case "hop-bounce": return plantBounce()
        case "redundant-hop": return plantRedundant()
        case "fan-out": return plantFanOut()
        case "late-cancel": return plantLateCancel()
        case "cancelled-before-stored": return plantLateStore()
        case "start-order": return plantOvertaking()
        case "off-main": return plantOffMain()
        case "priority-inversion": return plantInversion()
        case "slow-start": return plantSlowStart()
        case "fixed-priority": return plantConsumer()
        case "actor-reentrancy": return plantStampede()
        case "actor-contention": return plantContention()
        case "task-growth": return plantGrowth()
        case _: preconditionFailure("nothing is planted for '\(rule)'")
        }
    }

    private mutating func plantUnobserved() -> TaskID {
        let origin = trace.source("lost")
        trace.fault(origin, type: "Lost")
        var last = origin
        for _ in 0..<number(0...20) {
            let next = trace.continuation("pass on", of: last)
            trace.skip(next)
            last = next
        }
        return origin
    }

    private mutating func plantSwallowed() -> TaskID {
        let origin = trace.source("unread")
        trace.fault(origin, type: "Unread")
        let body = trace.continuation("go on", of: origin, on: disk)
        trace.hop(body)
        job(body, on: disk, milliseconds: 1)
        return origin
    }

    private mutating func plantStall() -> TaskID {
        let task = trace.root("stall", on: main)
        job(task, on: main, milliseconds: number(101...5000))
        return task
    }

    private mutating func plantLoopStall() -> TaskID {
        let loop = trace.executor("NIO-ELT-0", .loop)
        let task = trace.create(.detached, "parse")
        let time = number(101...5000)
        on(loop) { plant in
            plant.trace.startClosure("wait", on: loop)
            plant.trace.enqueue(task, on: loop)
            plant.trace.start(task, .slice, on: loop)
            plant.trace.advance(milliseconds: time)
            plant.trace.complete(task)
            plant.trace.endClosure("wait", on: loop)
        }
        return task
    }

    private mutating func plantWait() -> TaskID {
        let source = trace.source("late")
        let body = trace.root("block", on: net)
        let time = number(11...500)
        job(body, on: net, milliseconds: 1) { plant in
            plant.trace.beginWait(for: source, by: body)
            plant.trace.advance(milliseconds: time)
            plant.trace.complete(source)
            plant.trace.endWait(for: source, by: body)
        }
        return body
    }

    private mutating func plantStarvation() -> TaskID {
        let pool = trace.executor("narrow", .pool)
        let source = trace.source("late")
        let bodies = (0..<Int(number(1...4))).map { _ in trace.root("block", on: pool) }
        for (index, body) in bodies.enumerated() {
            trace.lane = UInt16(50 + index)
            trace.start(body)
            trace.beginWait(for: source, by: body)
        }
        let victim = trace.root("victim", on: pool)
        trace.enqueue(victim)
        trace.advance(milliseconds: number(101...900))
        trace.complete(source)
        for (index, body) in bodies.enumerated() {
            trace.lane = UInt16(50 + index)
            trace.endWait(for: source, by: body)
            trace.complete(body)
            trace.endJob(body)
        }
        trace.start(victim)
        trace.complete(victim)
        trace.endJob(victim)
        trace.lane = 0
        return victim
    }

    private mutating func plantCycle() -> TaskID {
        let first = trace.root("first", on: net)
        trace.start(first)
        var last = first
        for _ in 0..<number(0...6) { last = trace.continuation("next", of: last, on: net) }
        trace.wait(first, forInner: last)
        trace.endJob(first)
        return first
    }

    private mutating func plantNeverCompleted() -> TaskID {
        let source = trace.source("forgotten")
        for _ in 0..<number(0...3) { _ = trace.continuation("wait", of: source) }
        trace.release(source)
        return source
    }

    private mutating func plantTwice() -> TaskID {
        let source = trace.source("twice")
        trace.complete(source)
        tick()
        trace.completeTwice(source, isError: true)
        return source
    }

    /// The chain's task at which the threshold is exceeded.
    private mutating func plantBounce() -> TaskID {
        var last = root("begin", on: disk)
        var reported = last
        for trip in 0..<number(4...12) {
            for (from, to, length) in [(disk, main, 1 as UInt64), (main, disk, 60)] {
                let task = trace.continuation("bounce", of: last, on: to)
                trace.hop(task, from: from)
                trace.enqueue(task)
                trace.advance(milliseconds: number(2...9))
                on(to) { plant in
                    plant.trace.start(task)
                    plant.trace.advance(milliseconds: length)
                    plant.trace.complete(task)
                    plant.trace.endJob(task)
                }
                last = task
            }
            if trip == 3 { reported = last }
        }
        return reported
    }

    private mutating func plantRedundant() -> TaskID {
        var last = root("begin", on: disk)
        var reported = last
        for step in 0..<number(9...40) {
            let task = trace.continuation("again", of: last, on: disk)
            trace.hop(task, from: disk)
            job(task, on: disk, milliseconds: 1)
            last = task
            if step == 8 { reported = last }
        }
        return reported
    }

    private mutating func plantFanOut() -> TaskID {
        let source = trace.source("burst")
        let all = (0..<Int(number(101...300))).map { _ in trace.continuation("drop", of: source) }
        trace.complete(source)
        for task in all { trace.skip(task) }
        return source
    }

    private mutating func plantLateCancel() -> TaskID {
        let outer = trace.root("wanted", on: net)
        let inner = trace.root("work", on: disk)
        trace.start(outer)
        trace.enqueue(inner)
        trace.wait(outer, forInner: inner)
        trace.endJob(outer)
        trace.cancel(outer, .token)
        on(disk) { plant in
            plant.trace.start(inner)
            plant.trace.advance(milliseconds: plant.number(101...900))
            plant.trace.complete(inner)
            plant.trace.endJob(inner)
        }
        return outer
    }

    private mutating func plantOvertaking() -> TaskID {
        let (one, two) = (trace.root("one", on: order), trace.root("two", on: order))
        trace.enqueue(one)
        tick()
        trace.enqueue(two)
        on(order) { plant in
            for task in [two, one] {
                plant.tick()
                plant.trace.start(task)
                plant.trace.complete(task)
                plant.trace.endJob(task)
            }
        }
        return one
    }

    private mutating func plantOffMain() -> TaskID {
        let task = trace.root("render list", on: net)
        job(task, on: net, milliseconds: 1)
        return task
    }

    private mutating func plantInversion() -> TaskID {
        swift { swift, number in
            let actor = swift.trace.executor("Index", .actor)
            let (slow, urgent) = (swift.task("rebuild", .detached), swift.task("search", .detached))
            swift.enqueue(slow, on: actor, priority: 9)
            swift.begin(slow, on: actor, lane: 60)
            swift.wait(milliseconds: number(1...50))
            swift.enqueue(urgent, on: actor, priority: 25)
            swift.wait(milliseconds: number(101...900))
            swift.complete(slow)
            swift.wait(microseconds: 5)
            swift.begin(urgent, on: actor, lane: 61)
            swift.complete(urgent)
            return urgent
        }
    }

    private mutating func plantLateStore() -> TaskID {
        swift { swift, number in
            let calls = swift.trace.code(
                CodeSymbol(function: "withTaskCancellationHandler<A>(operation:onCancel:isolation:)", isMachinery: true),
                CodeSymbol(function: "receive()", file: "main.swift", line: 3))
            let task = swift.task("reader", .detached)
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global, lane: 60)
            swift.ask(task)
            swift.wait(milliseconds: number(1...50))
            swift.suspend(task, .continuation, at: calls)
            return task
        }
    }

    private mutating func plantSlowStart() -> TaskID {
        swift { swift, number in
            let maker = swift.task("maker", .detached)
            swift.enqueue(maker, on: swift.main)
            swift.begin(maker, on: swift.main)
            let late = swift.task("before", by: maker)
            swift.enqueue(late, on: swift.main)
            for _ in 0..<2 {
                swift.wait(milliseconds: number(1...90))
                swift.suspend(maker, on: swift.main)
                swift.begin(maker, on: swift.main)
            }
            swift.suspend(maker, on: swift.main)
            swift.wait(milliseconds: 100)
            swift.begin(late, on: swift.main)
            swift.complete(late)
            swift.begin(maker, on: swift.main)
            swift.complete(maker)
            return late
        }
    }

    private mutating func plantConsumer() -> TaskID {
        swift { swift, number in
            let consumer = swift.task("consumer", .detached)
            swift.enqueue(consumer, on: swift.global, priority: 17)
            swift.begin(consumer, on: swift.global, lane: 60)
            for index in 0..<number(8...20) {
                swift.suspend(consumer)
                let producer = swift.task("produce", .detached)
                swift.enqueue(producer, on: swift.global, priority: index % 2 == 0 ? 25 : 21)
                swift.begin(producer, on: swift.global, lane: 61)
                swift.enqueue(consumer, on: swift.global, priority: 17, by: producer)
                swift.complete(producer)
                swift.begin(consumer, on: swift.global, lane: 60)
            }
            swift.complete(consumer)
            return consumer
        }
    }

    private mutating func plantStampede() -> TaskID {
        swift { swift, number in
            let actor = swift.trace.executor("Careless", .actor)
            let callers = (0..<number(3...9)).map { _ in swift.task("get", .detached) }
            for caller in callers {
                swift.enqueue(caller, on: swift.global)
                swift.begin(caller, on: swift.global, lane: 60)
                swift.take(actor, by: caller)
                let made = swift.task("make", by: caller)
                swift.suspend(caller, .task, awaiting: made, on: actor)
                swift.wait(microseconds: number(1...90))
            }
            for caller in callers {
                swift.enqueue(caller, on: swift.global)
                swift.begin(caller, on: swift.global, lane: 60)
                swift.take(actor, by: caller)
                swift.complete(caller)
            }
            return callers[0]
        }
    }

    /// Calls of an actor that all come at once; the last of them waits longest.
    private mutating func plantContention() -> TaskID {
        swift { swift, number in
            let actor = swift.trace.executor("Crowded", .actor)
            let calls = (0..<number(12...40)).map { _ in swift.task("call", .detached) }
            for call in calls { swift.enqueue(call, on: actor) }
            for call in calls {
                swift.wait(microseconds: 5)
                swift.begin(call, on: actor, lane: 60)
                swift.wait(milliseconds: number(10...60))
                swift.complete(call)
            }
            return calls.last!
        }
    }

    /// Tasks that never end.
    private mutating func plantGrowth() -> TaskID {
        swift { swift, number in
            // Each leak has a creation place of its own.
            let line = UInt32(swift.trace.events.count + 1000)
            let tasks = (0..<number(101...200)).map { _ in
                swift.wait(milliseconds: number(50...80))
                let task = swift.task("leak", .detached, line: line)
                swift.enqueue(task, on: swift.global)
                swift.begin(task, on: swift.global, lane: 60)
                swift.suspend(task, .continuation, on: swift.global)
                return task
            }
            return tasks[0]
        }
    }
}
