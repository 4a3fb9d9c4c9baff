import TaskEvents
import TraceTestKit

extension WarningCorpus {
    /// Rules about chains.
    static let chains = [
        unobserved, swallowed, mainStall, blockingWait, starvation, cycle, neverCompleted, twice, bounce, redundant, fanOut, lateCancel,
        startOrder, offMain,
    ]

    private static func failed(_ swift: inout SwiftTrace) -> TaskID {
        let task = swift.trace.source("request")
        swift.trace.fault(task, type: "Timeout")
        return task
    }

    private static let unobserved = WarningCorpus(
        rule: "unobserved-fault",
        variants: [
            Variant(name: "released unread while the program runs", isFound: true, isOver: false) { swift in
                let task = failed(&swift)
                swift.trace.release(task)
                swift.wait(milliseconds: 200)
                swift.trace.mark("later")
            },
            Variant(name: "still held when the program ends", isFound: true) { _ = failed(&$0) },
            Variant(name: "still held while the program runs", isFound: false, isOver: false) { _ = failed(&$0) },
            Variant(name: "read and released at one instant", isFound: false) { swift in
                let task = failed(&swift)
                swift.trace.readError(of: task)
                swift.trace.release(task)
            },
            Variant(name: "read after it was passed on", isFound: false) { swift in
                let skipped = swift.trace.continuation("parse", of: failed(&swift))
                swift.trace.skip(skipped)
                swift.trace.readError(of: skipped)
            },
        ])

    private static let swallowed = WarningCorpus(
        rule: "swallowed-error",
        variants: [
            Variant(name: "a body that does not look", isFound: true) { swift in
                let disk = swift.trace.executor("disk", .queue)
                swift.job(swift.trace.continuation("go on", of: failed(&swift), on: disk), on: disk)
            },
            Variant(name: "a body that looks as it ends", isFound: false) { swift in
                let disk = swift.trace.executor("disk", .queue)
                let task = failed(&swift)
                let body = swift.trace.continuation("go on", of: task, on: disk)
                swift.job(body, on: disk) { $0.trace.readError(of: task, by: body) }
            },
            Variant(name: "another continuation looks", isFound: false) { swift in
                let disk = swift.trace.executor("disk", .queue)
                let task = failed(&swift)
                let handler = swift.trace.continuation("report", of: task, on: disk)
                swift.job(swift.trace.continuation("go on", of: task, on: disk), on: disk)
                swift.job(handler, on: disk) { $0.trace.readError(of: task, by: handler) }
            },
            Variant(name: "a join that ends after its failed input", isFound: true) { swift in
                let task = failed(&swift)
                let other = swift.trace.source("answer")
                let join = swift.trace.join("whenAny", of: [task, other])
                swift.trace.complete(other)
                swift.trace.complete(join)
            },
            Variant(name: "a body that only waits for its turn at the end", isFound: false) { swift in
                let disk = swift.trace.executor("disk", .queue)
                swift.trace.enqueue(swift.trace.continuation("go on", of: failed(&swift), on: disk))
            },
        ], companions: ["unobserved-fault"])

    private static let mainStall = WarningCorpus(
        rule: "main-stall", limit: 100 * milliseconds,
        shape: { swift, time in swift.job(swift.trace.root("draw", on: swift.main), on: swift.main, nanoseconds: time) },
        variants: [
            Variant(name: "for a second, but elsewhere", isFound: false) { swift in
                let disk = swift.trace.executor("disk", .queue)
                swift.job(swift.trace.root("draw", on: disk), on: disk, nanoseconds: 1000 * milliseconds)
            },
            Variant(name: "two jobs of 60 ms without a pause", isFound: false) { swift in
                for _ in 0..<2 { swift.job(swift.trace.root("draw", on: swift.main), on: swift.main, nanoseconds: 60 * milliseconds) }
            },
        ])

    private static func block(_ swift: inout SwiftTrace, for time: UInt64, inJob: Bool = true, timesOut: Bool = false) {
        let source = swift.trace.source("answer")
        guard inJob else {
            swift.trace.lane = 60
            swift.trace.beginWait(for: source)
            swift.wait(nanoseconds: time)
            swift.trace.complete(source)
            swift.trace.endWait(for: source)
            return
        }
        let net = swift.trace.executor("net", .pool)
        let body = swift.trace.root("ask", on: net)
        swift.job(body, on: net) { swift in
            swift.trace.beginWait(for: source, by: body)
            swift.wait(nanoseconds: time)
            if !timesOut { swift.trace.complete(source) }
            swift.trace.endWait(for: source, by: body, timedOut: timesOut)
            if timesOut { swift.trace.complete(source) }
        }
    }

    private static let blockingWait = WarningCorpus(
        rule: "blocking-wait", limit: 10 * milliseconds, shape: { block(&$0, for: $1) },
        variants: [
            Variant(name: "a thread of no executor", isFound: false) { block(&$0, for: 1000 * milliseconds, inJob: false) },
            Variant(name: "a wait that gives up", isFound: true) { block(&$0, for: 10 * milliseconds + 1, timesOut: true) },
        ])

    /// Each of the pool's jobs blocks for `time`; another waits from `later` on. One of two jobs goes on if `isFree`.
    private static func starve(_ swift: inout SwiftTrace, for time: UInt64, later: UInt64 = 0, isFree: Bool = false) {
        let pool = swift.trace.executor("narrow", .pool)
        let source = swift.trace.source("late")
        let bodies = (0..<2).map { _ in swift.trace.root("block", on: pool) }
        for (index, body) in bodies.enumerated() {
            swift.trace.lane = UInt16(70 + index)
            swift.trace.start(body)
            if !(isFree && index == 1) { swift.trace.beginWait(for: source, by: body) }
        }
        swift.wait(nanoseconds: later)
        let victim = swift.trace.root("victim", on: pool)
        swift.trace.lane = 0
        swift.trace.enqueue(victim)
        swift.wait(nanoseconds: time - later)
        swift.trace.complete(source)
        for (index, body) in bodies.enumerated() {
            swift.trace.lane = UInt16(70 + index)
            if !(isFree && index == 1) { swift.trace.endWait(for: source, by: body) }
            swift.trace.complete(body)
            swift.trace.endJob(body)
        }
        swift.trace.start(victim)
        swift.trace.complete(victim)
        swift.trace.endJob(victim)
    }

    private static let starvation = WarningCorpus(
        rule: "pool-starvation", limit: 100 * milliseconds, shape: { starve(&$0, for: $1) },
        variants: [
            Variant(name: "one thread is free", isFound: false) { starve(&$0, for: 900 * milliseconds, isFree: true) },
            Variant(name: "the job comes when half of the time is over", isFound: false) {
                starve(&$0, for: 160 * milliseconds, later: 80 * milliseconds)
            },
        ], companions: ["blocking-wait"])

    private static let cycle = WarningCorpus(
        rule: "wait-cycle",
        variants: [
            Variant(name: "a continuation that returns itself", isFound: true) { swift in
                let disk = swift.trace.executor("disk", .queue)
                let task = swift.trace.root("again", on: disk)
                swift.trace.start(task)
                swift.trace.wait(task, forInner: task)
                swift.trace.endJob(task)
            },
            Variant(name: "two tasks that return one another", isFound: true) { swift in
                let disk = swift.trace.executor("disk", .queue)
                let (one, two) = (swift.trace.root("one", on: disk), swift.trace.root("two", on: disk))
                for (task, other) in [(one, two), (two, one)] {
                    swift.trace.start(task)
                    swift.trace.wait(task, forInner: other)
                    swift.trace.endJob(task)
                }
            },
            Variant(name: "a task that returns one which returns a value", isFound: false) { swift in
                let disk = swift.trace.executor("disk", .queue)
                let (one, two) = (swift.trace.root("one", on: disk), swift.trace.source("two"))
                swift.trace.start(one)
                swift.trace.wait(one, forInner: two)
                swift.trace.endJob(one)
                swift.trace.complete(two)
                swift.trace.complete(one)
            },
            Variant(name: "a body that blocks for the threshold on a job of its own queue", isFound: false) {
                blockOnOwnQueue(&$0, for: 100 * milliseconds)
            },
            Variant(name: "a body that blocks for longer on a job of its own queue", isFound: true) {
                blockOnOwnQueue(&$0, for: 100 * milliseconds + 1)
            },
        ], companions: ["blocking-wait", "pool-starvation"])

    private static func blockOnOwnQueue(_ swift: inout SwiftTrace, for time: UInt64) {
        let disk = swift.trace.executor("disk", .queue)
        let (body, other) = (swift.trace.root("outer", on: disk), swift.trace.root("inner", on: disk))
        swift.trace.lane = 70
        swift.trace.start(body)
        swift.trace.enqueue(other)
        swift.trace.beginWait(for: other, by: body)
        swift.wait(nanoseconds: time)
        swift.trace.lane = 71
        swift.trace.mark("end")
    }

    private static let neverCompleted = WarningCorpus(
        rule: "never-completed", limit: 100 * milliseconds,
        shape: { swift, time in
            _ = swift.trace.source("answer")
            swift.wait(nanoseconds: time)
            swift.trace.mark("end")
        },
        variants: [
            Variant(name: "released while pending", isFound: true) { swift in swift.trace.release(swift.trace.source("answer")) },
            Variant(name: "released when it was over", isFound: false) { swift in
                let source = swift.trace.source("answer")
                swift.trace.complete(source)
                swift.trace.release(source)
            },
        ])

    private static func setTwice(_ swift: inout SwiftTrace, isError: Bool, _ end: (inout TraceBuilder, TaskID) -> Void) {
        let source = swift.trace.source("answer")
        end(&swift.trace, source)
        swift.trace.completeTwice(source, isError: isError)
    }

    private static let twice = WarningCorpus(
        rule: "completed-twice",
        variants: [
            Variant(name: "set after a value", isFound: true) { setTwice(&$0, isError: true) { $0.complete($1) } },
            Variant(name: "set after a cancellation", isFound: true) { setTwice(&$0, isError: true) { $0.cancel($1) } },
            Variant(name: "tried after a value", isFound: false) { setTwice(&$0, isError: false) { $0.complete($1) } },
            Variant(name: "tried after a cancellation", isFound: false) { setTwice(&$0, isError: false) { $0.cancel($1) } },
            Variant(name: "tried, and then set", isFound: true) { swift in
                setTwice(&swift, isError: false) { $0.complete($1) }
                setTwice(&swift, isError: true) { $0.complete($1) }
            },
        ])

    /// A chain that goes from disk to main and back; each visit to main takes `visit`, each wait `wait`.
    private static func bounce(_ swift: inout SwiftTrace, trips: UInt64, visit: UInt64 = 1, wait: UInt64 = 5, longTrip: UInt64 = .max) {
        let disk = swift.trace.executor("disk", .queue)
        var last = swift.trace.root("begin", on: disk)
        swift.job(last, on: disk)
        for trip in 0..<trips {
            for (from, to, time) in [(disk, swift.main, trip == longTrip ? 90 : visit), (swift.main, disk, 60)] {
                let task = swift.trace.continuation("bounce", of: last, on: to)
                swift.trace.hop(task, from: from)
                swift.trace.enqueue(task)
                swift.wait(milliseconds: wait)
                swift.trace.lane = to.rawValue + 30
                swift.trace.start(task)
                swift.wait(milliseconds: time)
                swift.trace.complete(task)
                swift.trace.endJob(task)
                swift.trace.lane = 0
                last = task
            }
        }
    }

    private static let bounce = WarningCorpus(
        rule: "hop-bounce", limit: 3, shape: { bounce(&$0, trips: $1) },
        variants: [
            Variant(name: "visits as long as the two waits", isFound: false) { bounce(&$0, trips: 8, visit: 10) },
            Variant(name: "one long visit in the middle", isFound: false) { bounce(&$0, trips: 7, longTrip: 3) },
        ])

    /// A chain on one queue. At `other` it goes elsewhere once.
    private static func hopInPlace(_ swift: inout SwiftTrace, times: UInt64, other: UInt64 = .max) {
        let (disk, net) = (swift.trace.executor("disk", .queue), swift.trace.executor("net", .queue))
        var (last, executor) = (swift.trace.root("begin", on: disk), disk)
        swift.job(last, on: disk)
        for step in 0..<times {
            let next = step == other ? net : disk
            let task = swift.trace.continuation("again", of: last, on: next)
            swift.trace.hop(task, from: executor)
            swift.job(task, on: next)
            (last, executor) = (task, next)
        }
    }

    private static let redundant = WarningCorpus(
        rule: "redundant-hop", limit: 8, shape: { hopInPlace(&$0, times: $1) },
        variants: [
            Variant(name: "elsewhere once on the way", isFound: false) { hopInPlace(&$0, times: 12, other: 6) },
            Variant(name: "elsewhere at first", isFound: true) { hopInPlace(&$0, times: 11, other: 0) },
            Variant(name: "a Swift task among actors that share a name", isFound: false) { swift in
                let actors = swift.trace.executor("Store#9…", .actor)
                let task = swift.task("visit", .detached)
                swift.enqueue(task, on: actors)
                swift.begin(task, on: actors, lane: 60)
                for _ in 0..<20 {
                    swift.leave(task, from: actors, to: actors)
                    swift.begin(task, on: actors, lane: 60)
                }
                swift.complete(task)
            },
        ])

    private static let fanOut = WarningCorpus(
        rule: "fan-out", limit: 100,
        shape: { swift, count in
            let source = swift.trace.source("burst")
            let all = (0..<count).map { _ in swift.trace.continuation("drop", of: source) }
            swift.trace.complete(source)
            for task in all { swift.trace.skip(task) }
        },
        variants: [
            Variant(name: "101 children of a group, the last of which waits for 100 ms", isFound: false) {
                gather(&$0, wait: 100 * milliseconds)
            },
            Variant(name: "101 children of a group, the last of which waits longer", isFound: true) {
                gather(&$0, wait: 100 * milliseconds + 1)
            },
        ])

    private static func gather(_ swift: inout SwiftTrace, wait: UInt64) {
        let parent = swift.task("parent", .detached)
        swift.enqueue(parent, on: swift.global)
        swift.begin(parent, on: swift.global)
        let children = (0..<101).map { _ in swift.task("child", .groupChild, by: parent) }
        for child in children { swift.enqueue(child, on: swift.global, by: parent) }
        swift.suspend(parent, .group)
        for child in children.dropLast() {
            swift.begin(child, on: swift.global, lane: 61)
            swift.complete(child)
        }
        swift.wait(nanoseconds: wait)
        swift.begin(children.last!, on: swift.global, lane: 61)
        swift.complete(children.last!)
    }

    private static let lateCancel = WarningCorpus(
        rule: "late-cancel", limit: 100 * milliseconds,
        shape: { swift, time in
            let task = swift.task("search", .detached)
            swift.enqueue(task, on: swift.global)
            swift.begin(task, on: swift.global)
            swift.trace.lane = 0
            swift.ask(task)
            swift.wait(nanoseconds: time)
            swift.complete(task)
        },
        variants: [
            Variant(name: "two slices after it, of 60 ms each", isFound: true) { runOn(&$0, slices: 2) },
            Variant(name: "one slice after it, of 60 ms, and a long sleep", isFound: false) { swift in
                runOn(&swift, slices: 1)
                swift.wait(milliseconds: 900)
            },
        ])

    private static func runOn(_ swift: inout SwiftTrace, slices: Int) {
        let task = swift.task("search", .detached)
        swift.enqueue(task, on: swift.global)
        swift.begin(task, on: swift.global)
        swift.trace.lane = 0
        swift.ask(task)
        for slice in 1...slices {
            swift.wait(milliseconds: 60)
            if slice < slices {
                swift.suspend(task)
                swift.wait(milliseconds: 200)
                swift.enqueue(task, on: swift.global)
                swift.begin(task, on: swift.global)
            }
        }
        swift.complete(task)
    }

    /// Two jobs of a custom executor, put there by threads `lanes` and begun in the order of `begun`.
    private static func order(_ swift: inout SwiftTrace, begun: [Int], lanes: [UInt16] = [0, 0]) {
        let order = swift.trace.executor("order", .custom)
        let tasks = (0..<2).map { _ in swift.trace.root("turn", on: order) }
        for (task, lane) in zip(tasks, lanes) {
            swift.trace.lane = lane
            swift.trace.enqueue(task)
            swift.wait(microseconds: 1)
        }
        swift.trace.lane = 70
        for index in begun {
            swift.trace.start(tasks[index])
            swift.wait(microseconds: 1)
            swift.trace.complete(tasks[index])
            swift.trace.endJob(tasks[index])
        }
        swift.trace.lane = 0
    }

    /// Tasks made in a row; `overtakers` of them come to an actor before the first.
    private static func arrive(_ swift: inout SwiftTrace, overtakers: UInt64) {
        let actor = swift.trace.executor("Log", .actor)
        let maker = swift.task("maker", .detached)
        swift.enqueue(maker, on: swift.global)
        swift.begin(maker, on: swift.global, lane: 62)
        let tasks = (0...overtakers).map { _ in swift.task("write", by: maker) }
        for task in tasks { swift.enqueue(task, on: swift.global, by: maker) }
        swift.complete(maker)
        for task in tasks.dropFirst() + [tasks[0]] {
            swift.begin(task, on: swift.global, lane: 61)
            swift.take(actor, by: task)
            swift.wait(microseconds: 1)
            swift.complete(task)
        }
    }

    private static let startOrder = WarningCorpus(
        rule: "start-order", limit: 3, shape: { arrive(&$0, overtakers: $1) },
        variants: [
            Variant(name: "two jobs of one thread, swapped", isFound: true) { order(&$0, begun: [1, 0]) },
            Variant(name: "two jobs of two threads, swapped", isFound: false) { order(&$0, begun: [1, 0], lanes: [0, 5]) },
        ])

    private static let offMain = WarningCorpus(
        rule: "off-main",
        variants: [
            Variant(name: "on main", isFound: false) { swift in
                swift.job(swift.trace.root("render list", on: swift.main), on: swift.main)
            },
            Variant(name: "elsewhere", isFound: true) { swift in
                let net = swift.trace.executor("net", .pool)
                swift.job(swift.trace.root("render list", on: net), on: net)
            },
            Variant(name: "elsewhere, with a name that is a letter short", isFound: false) { swift in
                let net = swift.trace.executor("net", .pool)
                swift.job(swift.trace.root("rende", on: net), on: net)
            },
            Variant(name: "inline in a job of main", isFound: false) { renderInline(&$0, isOnMain: true) },
            Variant(name: "inline in a job elsewhere", isFound: true) { renderInline(&$0, isOnMain: false) },
        ])

    private static func renderInline(_ swift: inout SwiftTrace, isOnMain: Bool) {
        let executor = isOnMain ? swift.main : swift.trace.executor("net", .pool)
        let inline = swift.trace.executor("immediate", .immediate)
        swift.job(swift.trace.root("load", on: executor), on: executor) { swift in
            let task = swift.trace.root("render list", on: inline)
            swift.trace.start(task, .inline)
            swift.trace.complete(task)
        }
    }
}
