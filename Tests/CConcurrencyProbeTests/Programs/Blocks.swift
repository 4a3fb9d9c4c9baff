import Dispatch
import Foundation

// Blocks of every kind that Dispatch, operation queues and run loops take. Each shape prints what the trace should have of it: its name, the
// line that makes the block, the executor, the number of runs, how it ends, and what makes it.

/// Works for some microseconds, so that a block's run is not empty.
@inline(never)
func work() {
    var state: UInt32 = 1
    for _ in 0..<20_000 { state = state &* 1_664_525 &+ 1_013_904_223 }
    if state == 0 { print(state) }
}

func expect(
    _ name: String, on executor: String, runs: Int = 1, end: String = "succeeded", by maker: String = "-", named operation: String = "-",
    line: Int
) {
    print("block \(name) \(line) \(executor) \(runs) \(end) \(maker) \(operation)")
}

let serial = DispatchQueue(label: "serial")
let other = DispatchQueue(label: "other")
let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
let overMain = DispatchQueue(label: "over-main", target: .main)
let overSerial = DispatchQueue(label: "over-serial", target: serial)
let concurrentOverSerial = DispatchQueue(label: "concurrent-over-serial", attributes: .concurrent, target: serial)
let all = DispatchGroup()

/// Counts a block among those that the program waits for, until it has run.
func enter() { all.enter() }
func leave() {
    work()
    all.leave()
}

func queues() {
    enter()
    expect("async", on: "serial", line: #line + 1)
    serial.async { leave() }
    enter()
    expect("async-concurrent", on: "concurrent", line: #line + 1)
    concurrent.async { leave() }
    expect("async-global", on: "com.apple.root.default-qos", line: #line + 1)
    DispatchQueue.global().async(group: all) { work() }
    enter()
    expect("async-main", on: "main", line: #line + 1)
    DispatchQueue.main.async { leave() }
    enter()
    expect("barrier", on: "concurrent", line: #line + 1)
    concurrent.async(flags: .barrier) { leave() }
    enter()
    expect("target-main", on: "main", line: #line + 1)
    overMain.async { leave() }
    enter()
    expect("target-serial", on: "serial", line: #line + 1)
    overSerial.async { leave() }
    enter()
    expect("target-serial-of-concurrent", on: "serial", line: #line + 1)
    concurrentOverSerial.async { leave() }
    enter()
    expect("after", on: "other", line: #line + 1)
    other.asyncAfter(deadline: .now() + .milliseconds(5)) { leave() }
    enter()
    // Its time has come already, so Dispatch gives it to the queue at once.
    expect("after-now", on: "other", line: #line + 1)
    other.asyncAfter(deadline: .now()) { leave() }
    enter()
    expect("quality", on: "serial", line: #line + 1)
    serial.async(qos: .utility) { leave() }
    enter()
    expect("captures", on: "serial", line: #line + 2)
    let (first, second) = (CommandLine.arguments, all)
    serial.async { if !first.isEmpty, second === all { leave() } }
}

func waits() {
    expect("sync", on: "serial", line: #line + 1)
    serial.sync { work() }
    expect("sync-outer", on: "serial", line: #line + 2)
    expect("sync-inner", on: "concurrent", by: "sync-outer", line: #line + 2)
    serial.sync {
        concurrent.sync { work() }
    }
    expect("sync-barrier", on: "concurrent", line: #line + 1)
    concurrent.sync(flags: .barrier) { work() }
    expect("sync-value", on: "other", line: #line + 1)
    let value = other.sync { () -> Int in
        work()
        return 7
    }
    expect("perform", on: "global", runs: value, line: #line + 1)
    DispatchQueue.concurrentPerform(iterations: value) { _ in work() }
}

func groups() {
    let group = DispatchGroup()
    enter()
    expect("group", on: "concurrent", line: #line + 1)
    concurrent.async(group: group) { leave() }
    enter()
    expect("notify", on: "other", line: #line + 1)
    group.notify(queue: other) { leave() }
    enter()
    expect("notify-main", on: "main", line: #line + 1)
    group.notify(queue: .main) { leave() }
}

func items() {
    enter()
    expect("item", on: "serial", line: #line + 1)
    let item = DispatchWorkItem { leave() }
    serial.async(execute: item)
    enter()
    expect("item-notify", on: "other", line: #line + 1)
    item.notify(queue: other) { leave() }
    item.wait()
    expect("item-cancelled", on: "-", runs: 0, end: "cancelled", line: #line + 1)
    let cancelled = DispatchWorkItem { print("a cancelled item has run") }
    // However long this thread is held up, the item cannot begin before it is cancelled.
    other.suspend()
    other.asyncAfter(deadline: .now() + .milliseconds(5), execute: cancelled)
    cancelled.cancel()
    other.resume()
    expect("item-dropped", on: "-", runs: 0, end: "cancelled", line: #line + 1)
    _ = DispatchWorkItem { print("an unused item has run") }
    enter()
    enter()
    expect("item-twice", on: "other", runs: 2, line: #line + 1)
    let twice = DispatchWorkItem { leave() }
    other.async(execute: twice)
    other.async(execute: twice)
    expect("item-sync", on: "other", line: #line + 1)
    let synchronous = DispatchWorkItem { work() }
    other.sync(execute: synchronous)
}

func nested() {
    enter()
    expect("outer", on: "serial", line: #line + 3)
    expect("middle", on: "other", by: "outer", line: #line + 3)
    expect("inner", on: "serial", by: "middle", line: #line + 3)
    serial.async {
        other.async {
            serial.async { leave() }
            work()
        }
        work()
    }
    expect("sync-in-async", on: "other", by: "worker", line: #line + 5)
    expect("worker", on: "com.apple.root.default-qos", line: #line + 1)
    DispatchQueue.global().async(group: all) {
        // The compiler makes one function of two closures that do the same, and it has no line.
        work()
        other.sync { work() }
    }
    expect("sync-onto-main", on: "main", by: "worker-of-main", line: #line + 3)
    expect("worker-of-main", on: "com.apple.root.default-qos", line: #line + 1)
    DispatchQueue.global().async(group: all) {
        DispatchQueue.main.sync { work() }
    }
}

/// Kept, because a source without a reference is cancelled.
nonisolated(unsafe) var timer: (any DispatchSourceTimer)?

func sources() {
    enter()
    enter()
    let source = DispatchSource.makeTimerSource(queue: serial)
    source.schedule(deadline: .now(), repeating: .milliseconds(2))
    nonisolated(unsafe) var count = 0
    expect("timer", on: "serial", runs: 3, line: #line + 1)
    source.setEventHandler {
        count += 1
        work()
        if count == 3 {
            source.cancel()
            all.leave()
        }
    }
    expect("timer-cancel", on: "serial", line: #line + 1)
    source.setCancelHandler { leave() }
    source.resume()
    timer = source
}

/// Counts an operation among those that the program waits for, until nothing holds it. The block in which Foundation runs an operation
/// holds it, and ends some time after the operation is finished.
final class Hold: Sendable {
    init() { all.enter() }
    deinit { all.leave() }
}

final class Download: Operation, @unchecked Sendable {
    private let hold = Hold()
    override func main() { work() }
}

func operations() {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let holds = (Hold(), Hold())
    expect("operation", on: "*", named: "BlockOperation", line: #line + 1)
    queue.addOperation { withExtendedLifetime(holds.0, work) }
    let operation = BlockOperation { withExtendedLifetime(holds.1, work) }
    operation.name = "resize"
    expect("block-operation", on: "*", named: "resize", line: #line + 1)
    queue.addOperation(operation)
    expect("operation-class", on: "*", named: "Download", line: #line + 1)
    queue.addOperation(Download())
    for name in ["the-name-of-an-operation", "the-name-of-operation-\(CommandLine.arguments.count)"] {
        let named = Download()
        named.name = name
        named.qualityOfService = .utility
        // Each pass prints the shape, and both operations have its line.
        expect("operation-name", on: "*", named: name, line: #line + 1)
        queue.addOperation(named)
    }
    enter()
    expect("operation-main", on: "main", named: "BlockOperation", line: #line + 1)
    OperationQueue.main.addOperation { leave() }
}

func runLoop() {
    enter()
    enter()
    nonisolated(unsafe) var count = 0
    expect("loop-timer", on: "main", runs: 2, line: #line + 1)
    let timer = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { timer in
        count += 1
        work()
        if count == 2 {
            timer.invalidate()
            all.leave()
        }
    }
    RunLoop.main.add(timer, forMode: .common)
    expect("loop-block", on: "main", line: #line + 1)
    RunLoop.main.perform { leave() }
}

/// The runtime's function that runs the blocks on main's queue. The entry point of an asynchronous `main` calls it.
@_silgen_name("swift_task_asyncMainDrainQueue")
func drainMain() -> Never

@main
struct Blocks {
    static func main() {
        let way = CommandLine.arguments.last ?? ""
        queues()
        waits()
        groups()
        items()
        nested()
        sources()
        operations()
        if way == "runloop" { runLoop() }
        // A block that runs on main comes after the timer that was the last to leave. The other queues are empty once they have taken one.
        all.notify(queue: .main) { @Sendable in
            for queue in [serial, other, concurrent] { queue.sync(flags: .barrier) {} }
            exit(0)
        }
        switch way {
        case "runloop": RunLoop.main.run()
        case "asyncMain": drainMain()
        case _: dispatchMain()
        }
    }
}
