/// A random program of chains, as a list of steps that `Programs/ChainLedger.swift` carries out.
///
/// The same source is compiled into that program, so it depends on the standard library only.
package struct ChainPlan: Codable, Equatable, Sendable {
    package enum Operation: String, Codable, Sendable, CaseIterable {
        /// Ended tasks.
        case value, error, cancelled
        case source, delay
        /// Tasks with a body of their own. `operation` and `swift` await task `targets[0]`; `swift` is a Swift task.
        case root, flattening, operation, swift
        case continueWith, continueWithTask, onSuccess, onSuccessTask, onError, onErrorTask
        case whenAll, whenAllResults, whenAny
        /// AWSTask and Bolts.
        case awsSource, awsContinue, awsOnSuccess, awsAll, awsAny
        /// SwiftTask.
        case fbSource, fbDependent, fbCompletion, fbAll
        /// AlecrimAsyncKit. `alecrimAwait` awaits task `targets[0]` in its body.
        case alecrimAsync, alecrimAwait
        /// Ends source `targets[0]`.
        case setValue, setError, setCancelled
        /// Cancels token `targets[0]`.
        case cancelToken
        /// Reads the error of task `targets[0]` outside all bodies.
        case readOutside
    }

    /// The way in which a body ends.
    package enum End: String, Codable, Sendable, CaseIterable {
        case returns, throwsNew, throwsRead, cancels, returnsTask
    }

    package struct Step: Codable, Equatable, Sendable {
        package var operation: Operation
        /// The task that the step makes; 0 for none.
        package var id = 0
        package var targets: [Int] = []
        package var executor = 0
        package var token = 0
        /// The task whose error the body reads; 0 for none.
        package var reads = 0
        package var end = End.returns
        /// The error that the body, the task or the source ends with. In a dialect that reports errors by failed tasks, it is also that
        /// task's number.
        package var error = 0
        /// The task that the body returns.
        package var returned = 0
        /// Microseconds for which the body occupies its thread.
        package var work = 0
    }

    /// The executors of plans, by number: their names in the report.
    package static let executors = ["default", "immediate", "main", "disk", "net", "line"]

    package var steps: [Step] = []
    /// Steps that are carried out after all earlier tasks have ended. The tasks that they make never end.
    package var leftOpen: [Step] = []

    package init() {}

    /// The program for a seed.
    package init(seed: UInt64) {
        var generator = ChainPlanGenerator(seed: seed)
        self = generator.make()
    }
}

private struct ChainPlanGenerator {
    private enum World { case core, aws, fb, alecrim, swift }

    private var random: PlanRandom
    private var plan = ChainPlan()
    private var nextID = 1
    private var worlds: [Int: World] = [:]
    private var order: [Int] = []
    private var openSources: [Int] = []
    private var tokens = 0

    init(seed: UInt64) { random = PlanRandom(seed: seed, stream: 2) }

    mutating func make() -> ChainPlan {
        for _ in 0..<random.number(in: 10...40) {
            if let step = step() { plan.steps.append(step) }
        }
        for source in openSources.shuffledBy(&random) { plan.steps.append(setting(source)) }
        if random.isTrue(1, in: 2) { leaveOpen() }
        return plan
    }

    private mutating func id() -> Int {
        defer { nextID += 1 }
        return nextID
    }

    private mutating func make(_ operation: ChainPlan.Operation, _ world: World) -> ChainPlan.Step {
        var step = ChainPlan.Step(operation: operation)
        step.id = id()
        worlds[step.id] = world
        order.append(step.id)
        return step
    }

    private mutating func any(_ world: World) -> Int? {
        let all = order.filter { worlds[$0] == world }
        return all.isEmpty ? nil : all[random.number(in: 0...all.count - 1)]
    }

    private mutating func some(_ world: World) -> [Int] {
        (0..<random.number(in: 1...3)).compactMap { _ in any(world) }
    }

    private mutating func step() -> ChainPlan.Step? {
        switch random.number(in: 0...23) {
        case 0: return ended()
        case 1, 2: return source()
        case 3, 4: return root()
        case 5...10: return continuation()
        case 11, 12: return join()
        case 13: return awaiting(.operation, .core)
        case 14, 15: return awaiting(.swift, .swift)
        case 16...18: return aws()
        case 19, 20: return fb()
        case 21: return alecrim()
        case 22: return outside()
        default:
            if tokens > 0, random.isTrue(1, in: 2) {
                var step = ChainPlan.Step(operation: .cancelToken)
                step.targets = [random.number(in: 1...tokens)]
                return step
            }
            guard !openSources.isEmpty else { return nil }
            return setting(openSources.remove(at: random.number(in: 0...openSources.count - 1)))
        }
    }

    private mutating func ended() -> ChainPlan.Step {
        var step = make([.value, .error, .cancelled, .delay][random.number(in: 0...3)], .core)
        step.error = step.operation == .error ? id() : 0
        return step
    }

    private mutating func source() -> ChainPlan.Step {
        let world = [World.core, .core, .aws, .fb][random.number(in: 0...3)]
        let step = make(world == .core ? .source : world == .aws ? .awsSource : .fbSource, world)
        openSources.append(step.id)
        return step
    }

    private mutating func setting(_ source: Int) -> ChainPlan.Step {
        var step = ChainPlan.Step(operation: [.setValue, .setError, .setError, .setCancelled][random.number(in: 0...3)])
        step.targets = [source]
        step.error = step.operation == .setError ? id() : 0
        return step
    }

    /// Fills in the actions of the step's body. `target` is the task whose end the body follows.
    private mutating func body(_ step: inout ChainPlan.Step, of target: Int?, ends: [ChainPlan.End], in world: World = .core) {
        step.work = random.isTrue(1, in: 3) ? random.number(in: 1...4) * 50 : 0
        switch random.number(in: 0...5) {
        case 0...2: step.reads = target ?? 0
        case 3: step.reads = order.last { $0 < step.id && worlds[$0] == world } ?? 0
        default: break
        }
        step.end = ends[random.number(in: 0...ends.count - 1)]
        if step.end == .returnsTask {
            step.returned = order.filter { $0 < step.id && worlds[$0] == world }.randomBy(&random) ?? 0
            if step.returned == 0 { step.end = .returns }
        }
        if step.end == .throwsNew { step.error = id() }
    }

    private mutating func root() -> ChainPlan.Step {
        let isFlattening = random.isTrue(1, in: 3)
        var step = make(isFlattening ? .flattening : .root, .core)
        step.executor = random.number(in: 0...5)
        body(
            &step, of: nil, ends: isFlattening ? [.returnsTask, .returnsTask, .throwsNew] : [.returns, .throwsNew, .throwsRead, .cancels])
        return step
    }

    private mutating func continuation() -> ChainPlan.Step? {
        guard let target = any(.core) else { return nil }
        let plain: [ChainPlan.Operation] = [.continueWith, .continueWith, .onSuccess, .onError]
        let flattening: [ChainPlan.Operation] = [.continueWithTask, .onSuccessTask, .onErrorTask]
        let isFlattening = random.isTrue(1, in: 3)
        var step = make(isFlattening ? flattening[random.number(in: 0...2)] : plain[random.number(in: 0...3)], .core)
        step.targets = [target]
        step.executor = random.number(in: 0...5)
        if random.isTrue(1, in: 6) {
            if tokens == 0 || random.isTrue(1, in: 2) { tokens += 1 }
            step.token = random.number(in: 1...tokens)
        }
        let ends: [ChainPlan.End] =
            isFlattening ? [.returnsTask, .returnsTask, .throwsNew, .throwsRead] : [.returns, .returns, .throwsNew, .throwsRead, .cancels]
        body(&step, of: target, ends: ends)
        return step
    }

    private mutating func join() -> ChainPlan.Step? {
        let inputs = some(.core)
        guard !inputs.isEmpty else { return nil }
        var step = make([.whenAll, .whenAllResults, .whenAny][random.number(in: 0...2)], .core)
        step.targets = inputs
        return step
    }

    private mutating func awaiting(_ operation: ChainPlan.Operation, _ world: World) -> ChainPlan.Step? {
        guard let target = any(.core) else { return nil }
        var step = make(operation, world)
        step.targets = [target]
        step.end = [.returns, .throwsNew, .throwsRead, .throwsRead][random.number(in: 0...3)]
        if step.end == .throwsNew { step.error = id() }
        return step
    }

    private mutating func aws() -> ChainPlan.Step? {
        guard let target = any(.aws) else { return nil }
        var step = make([.awsContinue, .awsContinue, .awsOnSuccess, .awsAll, .awsAny][random.number(in: 0...4)], .aws)
        if step.operation == .awsAll || step.operation == .awsAny {
            step.targets =
                [target]
                + (0..<random.number(in: 0...2)).compactMap { _ in order.filter { $0 < step.id && worlds[$0] == .aws }.randomBy(&random) }
        } else {
            step.targets = [target]
            body(&step, of: target, ends: [.returns, .returns, .throwsNew, .returnsTask], in: .aws)
        }
        return step
    }

    private mutating func fb() -> ChainPlan.Step? {
        guard let target = any(.fb) else { return nil }
        var step = make([.fbDependent, .fbDependent, .fbCompletion, .fbAll][random.number(in: 0...3)], .fb)
        step.targets = [target]
        if step.operation != .fbAll { body(&step, of: target, ends: [.returns, .returns, .throwsNew, .returnsTask], in: .fb) }
        return step
    }

    private mutating func alecrim() -> ChainPlan.Step? {
        let target = any(.alecrim)
        var step = make(target != nil && random.isTrue(1, in: 2) ? .alecrimAwait : .alecrimAsync, .alecrim)
        step.end = [.returns, .throwsNew, .throwsRead][random.number(in: 0...(step.operation == .alecrimAwait ? 2 : 1))]
        if let target, step.operation == .alecrimAwait { step.targets = [target] }
        if step.end == .throwsNew { step.error = id() }
        return step
    }

    private mutating func outside() -> ChainPlan.Step? {
        guard let target = any(.core) else { return nil }
        var step = ChainPlan.Step(operation: .readOutside)
        step.targets = [target]
        return step
    }

    private mutating func leaveOpen() {
        let source = make(.source, .core)
        plan.leftOpen.append(source)
        var last = source.id
        for _ in 0..<random.number(in: 0...3) {
            var step = make([.continueWith, .onSuccess, .whenAll][random.number(in: 0...2)], .core)
            step.targets = [last]
            if step.operation == .whenAll, let other = order.first(where: { worlds[$0] == .core }) { step.targets.append(other) }
            plan.leftOpen.append(step)
            last = step.id
        }
    }
}

extension Array {
    fileprivate func randomBy(_ random: inout PlanRandom) -> Element? {
        isEmpty ? nil : self[random.number(in: 0...count - 1)]
    }

    fileprivate func shuffledBy(_ random: inout PlanRandom) -> [Element] {
        var rest = self
        var all: [Element] = []
        while !rest.isEmpty { all.append(rest.remove(at: random.number(in: 0...rest.count - 1))) }
        return all
    }
}
