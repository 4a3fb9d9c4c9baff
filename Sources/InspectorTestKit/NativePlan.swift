/// A random Swift Concurrency program, as a tree of steps that `Programs/Ledger.swift` carries out.
///
/// The same source is compiled into that program, so it depends on the standard library only.
package struct NativePlan: Codable, Equatable, Sendable {
    package enum Operation: String, Codable, Sendable {
        /// Runs `steps` as a program: handles its error, then makes tasks `id` to `id + partIDs - 1`, which never end.
        case part
        /// Occupies its thread for `number` microseconds.
        case work
        case yield
        /// Throws error `id` of type `number`.
        case fail
        /// The same from a function with typed throws.
        case failTyped
        /// Throws the one stored error of all tasks. Only a task that awaits no other one does so: each such throw begins a fault of its own.
        case failStored
        case checkCancellation, sleep
        /// Makes task `id`.
        case unstructured, detached, immediate, preferring
        /// Awaits the value of task `target`.
        case await
        case cancel
        /// Makes the `async let` task `id` from `steps`, runs `rest`, then reads its value or leaves the scope.
        case asyncLet
        /// A group with the children in `steps`.
        case group, throwingGroup, discardingGroup
        /// A group that has no results and throws the first error of its children.
        case throwingDiscardingGroup
        /// A child of a group: task `id`.
        case child
        /// Asks a cache on an actor for the value of key `number`: each key has one task, `id`, which the first call makes.
        case cached
        /// Runs `steps` on actor `number`.
        case onActor, onMain
        /// Runs `steps` with a task executor preference.
        case withPreference
        /// Makes task `id`, which sleeps, and then `mainWaiters` tasks on main that await its value and run `steps`.
        case waitersOnMain
        /// Waits for a continuation that a dispatch queue resumes; if `id` is not 0, by throwing error `id`.
        case continuation
    }

    /// The way in which a task takes another task's outcome.
    package enum Reading: String, Codable, Sendable, CaseIterable {
        /// `try`: throws the error on.
        case forwards
        /// `try?`
        case ignores
        /// `do`/`catch` that continues.
        case handles
        /// `catch`, throwing error `error`.
        case transforms
        /// `await task.result`
        case result
        /// No read: an `async let` whose scope ends, or a group whose children are not read.
        case leaves
        /// Of a group, only the first result is taken; a later failure is dropped.
        case takesFirst
    }

    package struct Step: Codable, Equatable, Sendable {
        package var operation: Operation
        package var id = 0
        package var target = 0
        package var number = 0
        package var reading = Reading.ignores
        package var error = 0
        package var steps: [Step] = []
        package var rest: [Step] = []

        package init(_ operation: Operation) { self.operation = operation }
    }

    /// The number of the stored error, beyond those of all plans that are joined.
    package static let storedError = 1_000_000

    /// The number of tasks that a part leaves open.
    package static let partIDs = 6

    /// The number of tasks that await one value on main. Their ids follow that of the awaited task.
    package static let mainWaiters = 5

    package var steps: [Step]

    package init(_ steps: [Step]) { self.steps = steps }

    /// The program for a seed.
    package init(seed: UInt64) {
        var generator = NativePlanGenerator(seed: seed)
        steps = [generator.part()]
    }
}

private struct NativePlanGenerator {
    private var random: PlanRandom
    private var nextID = 1
    private var budget = 40
    /// Unstructured tasks that await no other task. Any task can await them without a cycle.
    private var leaves: [Int] = []

    init(seed: UInt64) { random = PlanRandom(seed: seed, stream: 1) }

    private mutating func id() -> Int {
        defer { nextID += 1 }
        return nextID
    }

    mutating func part() -> NativePlan.Step {
        var step = NativePlan.Step(.part)
        step.id = nextID
        nextID += NativePlan.partIDs
        step.steps = body(depth: 0, length: 8...20)
        return step
    }

    private mutating func body(depth: Int, length: ClosedRange<Int>) -> [NativePlan.Step] {
        var steps: [NativePlan.Step] = []
        var own: [Int] = []
        for _ in 0..<random.number(in: length) {
            steps += step(depth: depth, own: &own)
            if steps.last.map({ $0.operation == .fail || $0.operation == .failTyped }) == true { break }
        }
        return steps
    }

    /// Steps of a task that awaits no other task: work, actors, failures.
    private mutating func leafBody() -> [NativePlan.Step] {
        var steps: [NativePlan.Step] = []
        for _ in 0..<random.number(in: 1...4) { steps.append(simple()) }
        if random.isTrue(1, in: 2) { steps.append(random.isTrue(1, in: 6) ? NativePlan.Step(.failStored) : failure()) }
        return steps
    }

    private mutating func failure() -> NativePlan.Step {
        var step = NativePlan.Step(random.isTrue(1, in: 4) ? .failTyped : .fail)
        step.id = id()
        step.number = random.number(in: 0...1)
        return step
    }

    private mutating func simple() -> NativePlan.Step {
        switch random.number(in: 0...12) {
        case 0...3: return work()
        case 4: return NativePlan.Step(.yield)
        case 5: return NativePlan.Step(.checkCancellation)
        case 6: return NativePlan.Step(.sleep)
        case 7, 8:
            var step = NativePlan.Step(.onActor)
            step.number = random.number(in: 0...3)
            step.steps = [work()]
            return step
        case 9:
            var step = NativePlan.Step(.onMain)
            step.steps = [work()]
            return step
        case 10:
            var step = NativePlan.Step(.cached)
            step.id = id()
            step.number = random.number(in: 0...9)
            return step
        default:
            var step = NativePlan.Step(.continuation)
            if random.isTrue(1, in: 6) { step.id = id() }
            return step
        }
    }

    private mutating func work() -> NativePlan.Step {
        var step = NativePlan.Step(.work)
        step.number = random.number(in: 1...8) * 50
        return step
    }

    private mutating func step(depth: Int, own: inout [Int]) -> [NativePlan.Step] {
        guard budget > 0, depth < 4 else { return [simple()] }
        switch random.number(in: 0...22) {
        case 0...5: return [simple()]
        case 6...9: return [spawn(depth: depth, own: &own)]
        case 10...12: return [readValue(own: &own)].compactMap { $0 }
        case 13, 21, 22:
            guard let target = (random.isTrue(1, in: 2) ? own.last : own.first) ?? leaves.last else { return [] }
            var step = NativePlan.Step(.cancel)
            step.target = target
            return [step]
        case 14, 15: return [asyncLet(depth: depth)]
        case 16, 17: return [group(depth: depth)]
        case 18:
            var step = NativePlan.Step(.withPreference)
            step.steps = body(depth: depth + 1, length: 1...3)
            return [step]
        case 19: return [waitersOnMain()]
        default: return depth > 0 ? [failure()] : [simple()]
        }
    }

    private mutating func waitersOnMain() -> NativePlan.Step {
        budget -= 1 + NativePlan.mainWaiters
        var step = NativePlan.Step(.waitersOnMain)
        step.id = nextID
        nextID += 1 + NativePlan.mainWaiters
        step.steps = [work()]
        return step
    }

    private mutating func spawn(depth: Int, own: inout [Int]) -> NativePlan.Step {
        budget -= 1
        let kinds: [NativePlan.Operation] = [.unstructured, .unstructured, .detached, .immediate, .preferring]
        var step = NativePlan.Step(kinds[random.number(in: 0...4)])
        step.id = id()
        if random.isTrue(1, in: 2) {
            step.steps = leafBody()
            leaves.append(step.id)
        } else {
            step.steps = body(depth: depth + 1, length: 1...5)
        }
        own.append(step.id)
        return step
    }

    private mutating func readValue(own: inout [Int]) -> NativePlan.Step? {
        var targets = own
        if random.isTrue(1, in: 3) { targets = leaves }
        guard !targets.isEmpty else { return nil }
        var step = NativePlan.Step(.await)
        step.target = targets[random.number(in: 0...targets.count - 1)]
        read(&step, from: [.forwards, .ignores, .handles, .transforms, .result])
        return step
    }

    private mutating func read(_ step: inout NativePlan.Step, from readings: [NativePlan.Reading]) {
        step.reading = readings[random.number(in: 0...readings.count - 1)]
        if step.reading == .transforms { step.error = id() }
    }

    private mutating func asyncLet(depth: Int) -> NativePlan.Step {
        budget -= 1
        var step = NativePlan.Step(.asyncLet)
        step.id = id()
        step.steps = random.isTrue(1, in: 2) ? leafBody() : body(depth: depth + 1, length: 1...4)
        step.rest = body(depth: depth + 1, length: 0...2)
        read(&step, from: [.forwards, .ignores, .handles, .transforms, .leaves])
        return step
    }

    private mutating func group(depth: Int) -> NativePlan.Step {
        let kinds: [NativePlan.Operation] = [.group, .throwingGroup, .throwingGroup, .discardingGroup, .throwingDiscardingGroup]
        var step = NativePlan.Step(kinds[random.number(in: 0...4)])
        for _ in 0..<random.number(in: 1...4) {
            budget -= 1
            var child = NativePlan.Step(.child)
            child.id = id()
            child.steps = random.isTrue(2, in: 3) ? leafBody() : body(depth: depth + 1, length: 1...3)
            step.steps.append(child)
        }
        let isOfResults = step.operation == .throwingGroup
        read(&step, from: [.forwards, .ignores, .handles, .transforms] + (isOfResults ? [.leaves, .takesFirst] : []))
        return step
    }
}
