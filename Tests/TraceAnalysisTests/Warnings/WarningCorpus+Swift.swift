import TaskEvents
import TraceTestKit

extension WarningCorpus {
    /// Rules about Swift tasks.
    static let swift = [storedLate, loopStall, inversion, slowStart, fixedPriority, reentrancy, contention, growth]

    /// A task that waits for `time` in the scope of a cancellation handler, cancelled before or after it began to wait.
    private static func wait(
        _ swift: inout SwiftTrace, for time: UInt64, isLate: Bool = true, hasHandler: Bool = true, resumes: Bool = false
    ) {
        let task = swift.task("reader", .detached)
        let inner = CodeSymbol(function: "closure #1 in receive()", file: "main.swift", line: 4)
        let scope = CodeSymbol(function: "withTaskCancellationHandler<A>(operation:onCancel:isolation:)", isMachinery: true)
        let outer = CodeSymbol(function: "receive()", file: "main.swift", line: 3)
        let calls = hasHandler ? swift.trace.code(inner, scope, outer) : swift.trace.code(inner, outer)
        swift.enqueue(task, on: swift.global)
        swift.begin(task, on: swift.global, lane: 60)
        if isLate { swift.ask(task) }
        swift.wait(milliseconds: 2)
        swift.suspend(task, .continuation, at: calls)
        if !isLate { swift.ask(task) }
        swift.wait(nanoseconds: time)
        if resumes {
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global, lane: 60)
            swift.complete(task)
        }
        swift.trace.mark("end")
    }

    private static let storedLate = WarningCorpus(
        rule: "cancelled-before-stored", limit: 100 * milliseconds, shape: { wait(&$0, for: $1) },
        variants: [
            Variant(name: "cancelled when the continuation was stored", isFound: false) {
                wait(&$0, for: 900 * milliseconds, isLate: false)
            },
            Variant(name: "without a handler", isFound: false) { wait(&$0, for: 900 * milliseconds, hasHandler: false) },
            Variant(name: "resumed", isFound: false) { wait(&$0, for: 900 * milliseconds, resumes: true) },
            Variant(name: "while the program runs", isFound: true, isOver: false) { wait(&$0, for: 900 * milliseconds) },
        ])

    /// One turn of an event loop, or of a pool's thread, in which a task runs for `time`.
    private static func turn(_ swift: inout SwiftTrace, for time: UInt64, on kind: ExecutorKind = .loop, turns: Int = 1) {
        let loop = swift.trace.executor("NIO-ELT-0", kind)
        for _ in 0..<turns {
            let task = swift.task("parse", .detached)
            swift.enqueue(task, on: loop)
            swift.trace.lane = 60
            swift.trace.startClosure("wait", on: loop)
            swift.begin(task, on: loop, lane: 60)
            swift.wait(nanoseconds: time)
            swift.complete(task)
            swift.trace.endClosure("wait", on: loop)
        }
    }

    private static let loopStall = WarningCorpus(
        rule: "loop-stall", limit: 100 * milliseconds, shape: { turn(&$0, for: $1) },
        variants: [
            Variant(name: "for a second, but in a pool", isFound: false) { turn(&$0, for: 1000 * milliseconds, on: .pool) },
            Variant(name: "three turns of 60 ms without a pause", isFound: false) { turn(&$0, for: 60 * milliseconds, turns: 3) },
        ])

    /// A task of priority `slow` keeps an actor for `time` while one of priority `urgent` waits for it.
    private static func invert(_ swift: inout SwiftTrace, for time: UInt64, slow: UInt8 = 9, urgent: UInt8 = 25) {
        let actor = swift.trace.executor("Index", .actor)
        let (keeper, waiter) = (swift.task("rebuild", .detached), swift.task("search", .detached))
        swift.enqueue(keeper, on: actor, priority: slow)
        swift.begin(keeper, on: actor, lane: 60)
        swift.enqueue(waiter, on: actor, priority: urgent)
        swift.wait(nanoseconds: time)
        swift.complete(keeper)
        swift.begin(waiter, on: actor, lane: 61)
        swift.complete(waiter)
    }

    private static let inversion = WarningCorpus(
        rule: "priority-inversion", limit: 100 * milliseconds, shape: { invert(&$0, for: $1) },
        variants: [
            Variant(name: "as urgent as the one that waits", isFound: false) { invert(&$0, for: 900 * milliseconds, slow: 25) },
            Variant(name: "less urgent by one", isFound: true) { invert(&$0, for: 900 * milliseconds, slow: 24) },
        ])

    /// A task made on main, to run on `executor` or main, begins after `time`.
    private static func start(_ swift: inout SwiftTrace, after time: UInt64, elsewhere: Bool = false, begins: Bool = true) {
        let maker = swift.task("maker", .detached)
        swift.enqueue(maker, on: swift.main)
        swift.begin(maker, on: swift.main)
        let late = swift.task("before", by: maker)
        let executor = elsewhere ? swift.global : swift.main
        swift.enqueue(late, on: executor, by: maker)
        swift.suspend(maker, on: swift.main)
        swift.wait(nanoseconds: time)
        if begins {
            swift.begin(late, on: executor)
            swift.complete(late)
        }
        swift.enqueue(maker, on: swift.main)
        swift.begin(maker, on: swift.main)
        swift.complete(maker)
    }

    private static let slowStart = WarningCorpus(
        rule: "slow-start", limit: 100 * milliseconds, shape: { start(&$0, after: $1) },
        variants: [
            Variant(name: "made on main to run elsewhere", isFound: false) { start(&$0, after: 900 * milliseconds, elsewhere: true) },
            Variant(name: "has not begun yet", isFound: true, isOver: false) { start(&$0, after: 100 * milliseconds + 1, begins: false) },
        ])

    /// A task of priority 17 that is woken by tasks of these priorities.
    private static func consume(_ swift: inout SwiftTrace, _ priorities: [UInt8]) {
        let consumer = swift.task("consumer", .detached)
        swift.enqueue(consumer, on: swift.global, priority: 17)
        swift.begin(consumer, on: swift.global, lane: 60)
        for priority in priorities {
            swift.suspend(consumer)
            let producer = swift.task("produce", .detached)
            swift.enqueue(producer, on: swift.global, priority: priority)
            swift.begin(producer, on: swift.global, lane: 61)
            swift.enqueue(consumer, on: swift.global, priority: 17, by: producer)
            swift.complete(producer)
            swift.begin(consumer, on: swift.global, lane: 60)
        }
        swift.complete(consumer)
    }

    private static let fixedPriority = WarningCorpus(
        rule: "fixed-priority", limit: 3, shape: { swift, count in consume(&swift, [9] + (0..<count).map { _ in 25 }) },
        variants: [
            Variant(name: "all wakers of one priority", isFound: false) { consume(&$0, [25, 25, 25, 25, 25, 25]) },
            Variant(name: "less urgent ones only", isFound: false) { consume(&$0, [9, 9, 16, 16, 9, 9]) },
        ])

    /// Calls of an actor come to one await; the first is back before the last `late` of them come. They share one task if `shares`.
    private static func call(_ swift: inout SwiftTrace, _ count: UInt64, late: UInt64 = 0, shares: Bool = false) {
        let actor = swift.trace.executor("Cache", .actor)
        let callers = (0..<count).map { _ in swift.task("get", .detached) }
        var shared: TaskID?
        func come(_ caller: TaskID) {
            swift.enqueue(caller, on: swift.global)
            swift.begin(caller, on: swift.global, lane: 60)
            swift.take(actor, by: caller)
            let made = shares && shared != nil ? shared! : swift.task("make", by: caller)
            shared = made
            swift.suspend(caller, .task, awaiting: made, on: actor)
            swift.wait(microseconds: 1)
        }
        func goBack(_ caller: TaskID) {
            swift.enqueue(caller, on: swift.global)
            swift.begin(caller, on: swift.global, lane: 60)
            swift.take(actor, by: caller)
            swift.complete(caller)
            swift.wait(microseconds: 1)
        }
        let early = callers.dropLast(Int(late))
        for caller in early { come(caller) }
        goBack(callers[0])
        for caller in callers.dropFirst(early.count) { come(caller) }
        for caller in callers.dropFirst() { goBack(caller) }
    }

    private static let reentrancy = WarningCorpus(
        rule: "actor-reentrancy", limit: 1, shape: { call(&$0, $1 + 1) },
        variants: [
            Variant(name: "all await the first one's task", isFound: false) { call(&$0, 8, shares: true) },
            Variant(name: "the last comes when the first is back", isFound: false) { call(&$0, 3, late: 1) },
        ])

    /// `count` calls come at once and run one after the other, together for `time`, of which `idle` percent are no call's.
    private static func crowd(_ swift: inout SwiftTrace, _ count: UInt64, for time: UInt64, idle: UInt64 = 0) {
        let actor = swift.trace.executor("Store", .actor)
        let calls = (0..<count).map { _ in swift.task("call", .detached) }
        for call in calls { swift.enqueue(call, on: actor) }
        // The line lasts until the last call begins.
        let (turn, rest) = (time / (count - 1), time % (count - 1))
        for (index, call) in calls.enumerated() {
            swift.begin(call, on: actor, lane: 60)
            let busy = turn * (100 - idle) / 100
            swift.wait(nanoseconds: busy)
            swift.complete(call)
            swift.wait(nanoseconds: turn - busy + (index == 0 ? rest : 0))
        }
    }

    private static let contention = WarningCorpus(
        rule: "actor-contention", limit: 100 * milliseconds, shape: { crowd(&$0, 21, for: $1) },
        variants: [
            Variant(name: "busy for less than half of the time", isFound: false) { crowd(&$0, 21, for: 500 * milliseconds, idle: 51) },
            Variant(name: "seven waits", isFound: false) { crowd(&$0, 8, for: 500 * milliseconds) },
        ])

    /// Makes tasks that stay, one each `pause` milliseconds; `ending` of them end at the half.
    private static func grow(_ swift: inout SwiftTrace, _ count: UInt64, pause: UInt64 = 60, ending: Int = 0) {
        var tasks: [TaskID] = []
        for index in 0..<count {
            swift.wait(milliseconds: pause)
            let task = swift.task("leak", .detached, line: 900)
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global, lane: 60)
            swift.suspend(task, .continuation, on: swift.global)
            tasks.append(task)
            if index == count / 2 {
                for task in tasks.prefix(ending) {
                    swift.begin(task, on: swift.global, lane: 60)
                    swift.complete(task)
                }
            }
        }
    }

    private static let growth = WarningCorpus(
        rule: "task-growth", limit: 100, shape: { grow(&$0, $1) },
        variants: [
            Variant(name: "all made at once", isFound: false) { grow(&$0, 400, pause: 0) },
            Variant(name: "most of them end at the half", isFound: false) { grow(&$0, 260, ending: 120) },
        ])
}
