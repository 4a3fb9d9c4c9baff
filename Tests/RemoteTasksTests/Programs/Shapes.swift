// Tasks of every shape, each in a state that stays. Prints each task that it has made, by name, with its kind and its state; `ready` follows once
// all are in these states. `COPIES` sets of them are made, and `SLEEPERS` further tasks that wait.
import Dispatch
import Glibc

func tell(_ kind: String, _ state: String, _ wait: String, _ name: String) { print("task \(kind) \(state) \(wait) \(name)") }

actor Ledger {
    var total = 0
    func hold(_ gate: DispatchSemaphore, _ entered: DispatchSemaphore) {
        entered.signal()
        gate.wait()
        total += 1
    }
    func add(_ n: Int) { total += n }
}
actor Quiet {
    var value = 1
    func touch() { value += 1 }
}
actor Box<Element> {
    var items: [Element] = []
    func put(_ element: Element) { items.append(element) }
}

nonisolated(unsafe) var lost: [CheckedContinuation<Void, Never>] = []
let lock = DispatchQueue(label: "lost")
func nap() async { try? await Task.sleep(nanoseconds: 3_600_000_000_000) }
func leaf(_ n: Int) async -> Int {
    await nap()
    return n
}
func branch(_ n: Int) async -> Int {
    if n == 0 { return await leaf(n) }
    async let a = branch(n - 1)
    async let b = branch(n - 1)
    return await a + b
}
func neverResumed() async { await withCheckedContinuation { continuation in lock.sync { lost.append(continuation) } } }
func consume(_ stream: AsyncStream<Int>) async { for await n in stream { print(n) } }

func makeShapes(_ copy: Int, _ ledger: Ledger, _ source: inout [AsyncStream<Int>.Continuation]) {
    for i in 0..<3 {
        let name = "sleeper-\(copy)-\(i)"
        Task(name: name) { await nap() }
        tell("unstructured", "suspended", "timer", name)
    }
    // The children of an async let have no names.
    Task(name: "tree-\(copy)", priority: .low) { _ = await branch(2) }
    tell("unstructured", "suspended", "task", "tree-\(copy)")
    for _ in 0..<2 { tell("async-let", "suspended", "task", "-") }
    for _ in 0..<4 { tell("async-let", "suspended", "timer", "-") }
    Task(name: "group-\(copy)") {
        await withTaskGroup(of: Int.self) { group in
            for i in 0..<4 { group.addTask(name: "member-\(copy)-\(i)") { await leaf(i) } }
            for await n in group { print(n) }
        }
    }
    tell("unstructured", "suspended", "group", "group-\(copy)")
    for i in 0..<4 { tell("group-child", "suspended", "timer", "member-\(copy)-\(i)") }
    Task(name: "discarding-\(copy)") {
        await withDiscardingTaskGroup { group in
            for i in 0..<2 { group.addTask(name: "discarded-\(copy)-\(i)") { await nap() } }
        }
    }
    tell("unstructured", "suspended", "group", "discarding-\(copy)")
    for i in 0..<2 { tell("group-child", "suspended", "timer", "discarded-\(copy)-\(i)") }
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    source.append(continuation)
    Task(name: "consumer-\(copy)") { await consume(stream) }
    tell("unstructured", "suspended", "continuation", "consumer-\(copy)")
    Task(name: "lost-\(copy)") { await neverResumed() }
    tell("unstructured", "suspended", "continuation", "lost-\(copy)")
    let awaited = Task(name: "awaited-\(copy)") { await nap() }
    tell("unstructured", "suspended", "timer", "awaited-\(copy)")
    Task(name: "waiter-\(copy)") { await awaited.value }
    tell("unstructured", "suspended", "task", "waiter-\(copy)")
    let cancelled = Task(name: "cancelled-\(copy)") { await neverResumed() }
    tell("unstructured", "suspended", "continuation", "cancelled-\(copy)")
    cancelled.cancel()
}

@main struct Shapes {
    static func main() async {
        let copies = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1
        let sleepers = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
        let gate = DispatchSemaphore(value: 0), entered = DispatchSemaphore(value: 0)
        let ledger = Ledger(), quiet = Quiet(), box = Box<String>()
        var sources: [AsyncStream<Int>.Continuation] = []
        await quiet.touch()
        await box.put("x")
        tell("unstructured", "suspended", "continuation", "-")  // main
        for copy in 0..<copies { makeShapes(copy, ledger, &sources) }
        for i in 0..<sleepers { Task(name: "many-\(i)") { await neverResumed() } }
        if sleepers > 0 { print("many \(sleepers)") }
        Task.detached(name: "blocker", priority: .high) { await ledger.hold(gate, entered) }
        tell("unstructured", "running", "-", "blocker")
        await Task.detached { block(on: entered) }.value
        for i in 0..<3 {
            // It runs here until it is in the actor's queue, so that the queue's order is known.
            // The library of Swift 6.1 has no such tasks. A runtime that is part of the program is the compiler's own, and no symbol shows it.
            if dlsym(nil, "swift_task_immediate") != nil || dlsym(nil, "swift_task_create") == nil {
                Task.immediateDetached(name: "caller-\(i)") { await ledger.add(i) }
            } else {
                Task.detached(name: "caller-\(i)") { await ledger.add(i) }
            }
            tell("unstructured", "queued", "executor", "caller-\(i)")
        }
        let done = Task(name: "done") { 7 }  // It has ended, and its handle is kept.
        _ = await done.value
        // Until every task is where it stays, which their continuations tell in part.
        while lock.sync(execute: { lost.count }) < copies * 2 + sleepers { try? await Task.sleep(nanoseconds: 10_000_000) }
        // It holds its thread meanwhile, because each `Task.sleep` makes a task that ends a little after the sleep.
        usleep(500_000)
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in
            DispatchQueue.main.async {  // It runs when this task waits.
                print("ready")
                fflush(stdout)
            }
        }
        sources[0].yield(1)
        _ = await done.value
        _ = (quiet, box)
    }

    static func block(on entered: DispatchSemaphore) { entered.wait() }
}
