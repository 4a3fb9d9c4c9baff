// Carries out a plan of blocks and tasks with Dispatch's and Swift Concurrency's own calls, and writes a ledger of its work. It does not
// refer to the probe. Each way to make a block has one place, in a function that does more after the call: a call that is a function's last
// act is a jump.
//
//   ledger PLAN LEDGER

import Dispatch
import Foundation
import Synchronization

let a = DispatchQueue(label: "a")
let b = DispatchQueue(label: "b")
/// In the order of `BlockPlan.queues`.
let queues = [
    a, DispatchQueue(label: "over-a", target: a), b, DispatchQueue(label: "over-b", attributes: .concurrent, target: b),
    DispatchQueue(label: "c", attributes: .concurrent), DispatchQueue.global(), DispatchQueue.main,
    DispatchQueue(label: "over-main", target: .main),
]

/// The blocks and tasks that have not run yet.
let open = DispatchGroup()

/// Writes that `maker` makes a block of the step at `line`, and returns the step's queue.
func make(_ step: BlockPlan.Step, _ maker: String, runs: Int = 1, line: Int = #line, on executor: String? = nil) -> DispatchQueue {
    make(step.id, step.queue, maker, runs: runs, line: line, on: executor)
}

func make(_ id: Int, _ queue: Int, _ maker: String, runs: Int, line: Int, on executor: String? = nil) -> DispatchQueue {
    for _ in 0..<runs { open.enter() }
    Book.shared.write("block \(id) \(line) \(executor ?? BlockPlan.queues[queue].executor) \(maker) \(runs)")
    return queues[queue]
}

/// The body of a block.
func run(_ step: BlockPlan.Step) { run(step.id, step.steps) }

func run(_ id: Int, _ steps: [BlockPlan.Step]) {
    let start = now()
    execute(steps, by: "b\(id)")
    Book.shared.write("ran \(id) \(now() - start)")
    open.leave()
}

func work(_ step: BlockPlan.Step) {
    let start = now()
    while now() - start < UInt64(step.number) * 1000 {}
}

/// The functions below end with it, so that their calls of Dispatch are not their last act.
@inline(never) func after() { Book.shared.write("ran 0 0") }

// MARK: - Ways to make a block

@inline(never) func async(_ step: BlockPlan.Step, _ maker: String) {
    make(step, maker, line: #line).async { run(step) }
    after()
}

@inline(never) func delay(_ step: BlockPlan.Step, _ maker: String) {
    make(step, maker, line: #line).asyncAfter(deadline: .now() + .microseconds(300)) { run(step) }
    after()
}

@inline(never) func barrier(_ step: BlockPlan.Step, _ maker: String) {
    make(step, maker, line: #line).async(flags: .barrier) { run(step) }
    after()
}

@inline(never) func sync(_ step: BlockPlan.Step, _ maker: String) {
    make(step, maker, line: #line).sync { run(step) }
    after()
}

@inline(never) func syncItem(_ step: BlockPlan.Step, _ maker: String) {
    let item = DispatchWorkItem { run(step) }
    make(step, maker, line: #line - 1).sync(execute: item)
    after()
}

@inline(never) func grouped(_ step: BlockPlan.Step, _ maker: String) {
    make(step, maker, line: #line).async(group: DispatchGroup()) { run(step) }
    after()
}

@inline(never) func notify(_ step: BlockPlan.Step, _ maker: String) {
    let queue = make(step, maker, line: #line + 1)
    DispatchGroup().notify(queue: queue) { run(step) }
    after()
}

@inline(never) func item(_ step: BlockPlan.Step, _ maker: String) {
    let queue = make(step, maker, runs: step.number, line: #line + 1)
    let item = DispatchWorkItem { run(step) }
    if step.operation == .itemNotify {
        _ = make(step.id + 1, step.queue, maker, runs: 1, line: #line + 1)
        item.notify(queue: queue) { run(step.id + 1, []) }
    }
    for _ in 0..<step.number { queue.async(execute: item) }
    after()
}

@inline(never) func unrunItem(_ step: BlockPlan.Step, _ maker: String) {
    let queue = make(step, maker, runs: 0, line: #line + 1)
    let item = DispatchWorkItem { run(step) }
    if step.operation == .itemCancelled {
        item.cancel()
        queue.async(execute: item)
    }
    after()
}

@inline(never) func perform(_ step: BlockPlan.Step, _ maker: String) {
    _ = make(step, maker, runs: step.number, line: #line + 1, on: "global")
    DispatchQueue.concurrentPerform(iterations: step.number) { _ in run(step) }
    after()
}

@inline(never) func resume(_ step: BlockPlan.Step, _ maker: String, _ continuation: CheckedContinuation<Void, Never>) {
    let queue = make(step, maker, line: #line + 1)
    queue.async {
        run(step)
        continuation.resume()
    }
    after()
}

// MARK: - Bodies

func execute(_ steps: [BlockPlan.Step], by maker: String) {
    for step in steps { execute(step, by: maker) }
}

func execute(_ step: BlockPlan.Step, by maker: String) {
    switch step.operation {
    case .work: work(step)
    case .async: async(step, maker)
    case .after: delay(step, maker)
    case .barrier: barrier(step, maker)
    case .sync: sync(step, maker)
    case .syncItem: syncItem(step, maker)
    case .grouped: grouped(step, maker)
    case .notify: notify(step, maker)
    case .item, .itemAgain, .itemNotify: item(step, maker)
    case .itemCancelled, .itemDropped: unrunItem(step, maker)
    case .perform: perform(step, maker)
    case .task: spawn(step, maker)
    case .resume: break
    }
}

/// The body of task `maker`.
func executeTask(_ steps: [BlockPlan.Step], by maker: String) async {
    for step in steps {
        if step.operation == .resume {
            await withCheckedContinuation { resume(step, maker, $0) }
        } else {
            execute(step, by: maker)
        }
    }
}

func spawn(_ step: BlockPlan.Step, _ maker: String) {
    open.enter()
    Book.shared.write("task \(step.id) \(maker)")
    Task.detached(name: "t\(step.id)") {
        await executeTask(step.steps, by: "t\(step.id)")
        open.leave()
    }
}

@main
struct BlockLedger {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let plan = try JSONDecoder().decode(BlockPlan.self, from: Data(contentsOf: URL(fileURLWithPath: arguments[1])))
        await executeTask(plan.steps, by: "t0")
        // Leaves main to the program's blocks. A block has ended a moment after its body.
        while open.wait(timeout: .now()) == .timedOut { await Task.yield() }
        waitForOtherThreads()
        try Book.shared.text.write(toFile: arguments[2], atomically: true, encoding: .utf8)
    }
}
