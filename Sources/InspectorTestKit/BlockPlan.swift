/// A random program of Dispatch blocks and Swift tasks, as a tree of steps that `Programs/BlockLedger.swift` carries out.
///
/// The same source is compiled into that program, so it depends on the standard library only.
package struct BlockPlan: Codable, Equatable, Sendable {
    package enum Operation: String, Codable, Sendable {
        /// Occupies its thread for `number` microseconds.
        case work
        /// Gives block `id`, which runs `steps`, to a queue in one of Dispatch's ways.
        case async, after, barrier, sync, syncItem, grouped
        /// The same with a work item: it runs once, or `number` times at once. Block `id + 1` runs after the first run.
        case item, itemAgain, itemNotify
        /// A work item that never runs.
        case itemCancelled, itemDropped
        /// Block `id` follows the empty group.
        case notify
        /// `number` iterations of block `id`.
        case perform
        /// Makes Swift task `id`.
        case task
        /// The task waits for a continuation that the block with this `id` resumes.
        case resume
    }

    package struct Step: Codable, Equatable, Sendable {
        package var operation: Operation
        package var id = 0
        /// The place of the queue in ``BlockPlan/queues``.
        package var queue = 0
        package var number = 1
        package var steps: [Step] = []

        package init(_ operation: Operation) { self.operation = operation }
    }

    package struct Queue: Sendable {
        /// The executor of its blocks: the serial queue at the bottom of its targets.
        package var executor: String
        /// A block waits by `sync` only for queues of a higher rank, so no blocks wait for one another.
        package var rank: Int
        package var isSerial = true
    }

    /// The program's queues: `a` and one on it, `b` and a concurrent one on it, a concurrent one, the global one, main and one on it.
    package static let queues = [
        Queue(executor: "a", rank: 1), Queue(executor: "a", rank: 1), Queue(executor: "b", rank: 2), Queue(executor: "b", rank: 2),
        Queue(executor: "c", rank: 3, isSerial: false), Queue(executor: "com.apple.root.default-qos", rank: 3, isSerial: false),
        Queue(executor: "main", rank: 4), Queue(executor: "main", rank: 4),
    ]

    package var steps: [Step]

    package init(_ steps: [Step]) { self.steps = steps }

    /// The program for a seed.
    package init(seed: UInt64) {
        var generator = BlockPlanGenerator(seed: seed)
        steps = generator.steps(in: .task, rank: 0, depth: 0, length: 6...14)
    }
}

private struct BlockPlanGenerator {
    enum Body { case task, block }

    private var random: PlanRandom
    private var nextID = 1
    private var budget = 40

    init(seed: UInt64) { random = PlanRandom(seed: seed, stream: 3) }

    /// Each step has two numbers, because some make two blocks.
    private mutating func id() -> Int {
        defer { nextID += 2 }
        return nextID
    }

    mutating func steps(in body: Body, rank: Int, depth: Int, length: ClosedRange<Int>) -> [BlockPlan.Step] {
        (0..<random.number(in: length)).map { _ in step(in: body, rank: rank, depth: depth) }
    }

    private mutating func step(in body: Body, rank: Int, depth: Int) -> BlockPlan.Step {
        budget -= 1
        guard budget > 0, depth < 4 else { return work() }
        switch random.number(in: 0...19) {
        case 0, 1: return work()
        case 2...6: return block([.async, .async, .after, .barrier, .grouped][random.number(in: 0...4)], depth)
        case 7...9: return sync(rank, depth)
        case 10...13:
            let operations: [BlockPlan.Operation] = [.item, .itemAgain, .itemNotify, .itemCancelled, .itemDropped]
            return item(operations[random.number(in: 0...4)], depth)
        case 14: return block(.notify, depth)
        case 15:
            var step = BlockPlan.Step(.perform)
            step.id = id()
            step.number = random.number(in: 1...6)
            step.steps = [work()]
            return step
        case 16...17 where body == .task:
            var step = block(.resume, 4)
            step.steps = [work()]
            return step
        default:
            var step = BlockPlan.Step(.task)
            step.id = id()
            step.steps = steps(in: .task, rank: 0, depth: depth + 1, length: 1...4)
            return step
        }
    }

    private mutating func work() -> BlockPlan.Step {
        var step = BlockPlan.Step(.work)
        step.number = random.number(in: 1...6) * 25
        return step
    }

    private mutating func block(_ operation: BlockPlan.Operation, _ depth: Int) -> BlockPlan.Step {
        var step = BlockPlan.Step(operation)
        step.id = id()
        step.queue = random.number(in: 0...BlockPlan.queues.count - 1)
        step.steps = steps(in: .block, rank: BlockPlan.queues[step.queue].rank, depth: depth + 1, length: 1...3)
        return step
    }

    private mutating func sync(_ rank: Int, _ depth: Int) -> BlockPlan.Step {
        let higher = BlockPlan.queues.indices.filter { BlockPlan.queues[$0].rank > rank }
        guard !higher.isEmpty else { return work() }
        var step = BlockPlan.Step(random.isTrue(1, in: 3) ? .syncItem : .sync)
        step.id = id()
        step.queue = higher[random.number(in: 0...higher.count - 1)]
        step.steps = steps(in: .block, rank: BlockPlan.queues[step.queue].rank, depth: depth + 1, length: 1...2)
        return step
    }

    private mutating func item(_ operation: BlockPlan.Operation, _ depth: Int) -> BlockPlan.Step {
        var step = block(operation, depth)
        if operation == .itemAgain {
            step.number = random.number(in: 2...3)
            // Each run makes what the steps make.
            step.steps = [work()]
        }
        if operation == .itemCancelled || operation == .itemDropped { step.steps = [] }
        return step
    }
}
