import InspectorTestKit
import TaskEvents
import TraceStore
import TraceTestKit

/// A random program that uses everything the runtime offers, with the facts about it.
struct RandomProgram {
    private(set) var trace = TraceBuilder()
    private(set) var tasks: [TaskTruth] = []
    private var random: SplitMix
    private var errorCount = 0

    init(seed: UInt64, steps: Int) {
        random = SplitMix(state: seed)
        for _ in 0..<steps {
            trace.advance(nanoseconds: 1)
            if tasks.isEmpty || chance(2) { create() } else { progress() }
        }
    }

    func truth(of task: TaskID) -> TaskTruth { tasks[Int(task.rawValue) - 1] }

    // MARK: Steps

    private mutating func create() {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: add(.source)
        case 1, 2: begin(add(.root))
        case 3 where !tasks.isEmpty:
            let inputs = (0..<Int.random(in: 1...3, using: &random)).map { _ in tasks.randomElement(using: &random)!.id }
            add(.join, inputs: inputs)
        default:
            guard let antecedent = tasks.randomElement(using: &random)?.id else { return }
            add(.continuation, continues: antecedent)
        }
    }

    private mutating func progress() {
        let index = tasks.indices.randomElement(using: &random)!
        let task = tasks[index]
        switch (task.state, task.kind) {
        case (.faulted, _):
            if chance(4) {
                trace.readError(of: task.id)
                tasks[index].isReadOutside = true
            }
        case (.succeeded, _), (.cancelled, _): break
        case (.suspended, _): resume(task)
        case (.running, _): end(task)
        case (_, .source): endSource(task)
        case (_, .join): endJoin(task)
        case (_, .continuation): take(task)
        case (.pending, _), (.queued, _): break
        }
    }

    @discardableResult
    private mutating func add(_ kind: TaskKind, continues: TaskID? = nil, inputs: [TaskID] = []) -> TaskTruth {
        let id = trace.create(kind, of: continues.map { [$0] } ?? inputs)
        tasks.append(TaskTruth(id: id, kind: kind, continues: continues, inputs: inputs))
        return tasks[tasks.count - 1]
    }

    /// A continuation's antecedent has ended, perhaps.
    private mutating func take(_ task: TaskTruth) {
        guard let id = task.continues else { return }
        if chance(8) { return finish(task, .cancelled, by: .token) }
        let antecedent = truth(of: id)
        guard antecedent.state.hasEnded else { return }
        guard chance(2) else { return begin(task) }
        trace.skip(task.id)
        tasks[index(task)].state = antecedent.state
        tasks[index(task)].manner = .forwarded
        tasks[index(task)].source = antecedent.state == .faulted ? id : .none
        tasks[index(task)].ended = trace.now
    }

    private mutating func begin(_ task: TaskTruth) {
        trace.start(task.id, .inline)
        tasks[index(task)].hasBegun = true
        tasks[index(task)].state = .running
        if let antecedent = task.continues, truth(of: antecedent).state == .faulted, chance(2) { read(antecedent, by: task) }
        if chance(4), let other = failed() { read(other, by: task) }
    }

    private mutating func read(_ other: TaskID, by task: TaskTruth) {
        trace.readError(of: other, by: task.id)
        tasks[index(task)].reads.insert(other)
    }

    /// Ends the body, which returns or throws.
    private mutating func end(_ task: TaskTruth) {
        let read = task.reads.sorted().last
        switch Int.random(in: 0..<5, using: &random) {
        case 0: finish(task, .succeeded)
        case 1: finish(task, .cancelled, by: .thrown)
        case 2: fail(task, read == nil ? .thrown : .transformed, from: read ?? .none)
        case 3:
            guard let read else { return finish(task, .succeeded) }
            fail(task, .forwarded, from: read)
        default:
            guard let inner = tasks.randomElement(using: &random), inner.id != task.id else { return }
            tasks[index(task)].inner = inner.id
            tasks[index(task)].state = .suspended
            trace.wait(task.id, forInner: inner.id)
        }
    }

    private mutating func resume(_ task: TaskTruth) {
        guard let id = task.inner else { return }
        if chance(8) { return finish(task, .cancelled, by: .token) }
        switch truth(of: id).state {
        case .succeeded: finish(task, .succeeded)
        case .cancelled: finish(task, .cancelled, by: .forwarded)
        case .faulted: fail(task, .forwarded, from: id)
        case .pending, .queued, .running, .suspended: break
        }
    }

    private mutating func endSource(_ task: TaskTruth) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: finish(task, .succeeded)
        case 1: finish(task, .cancelled, by: .asked)
        case 2: fail(task, .injected)
        default: fail(task, .thrown)
        }
    }

    /// `whenAny` for joins of an even id, `whenAll` for the others.
    private mutating func endJoin(_ task: TaskTruth) {
        let inputs = task.inputs.map { truth(of: $0) }
        if task.id.rawValue.isMultiple(of: 2), inputs.contains(where: { $0.state == .succeeded }) { return finish(task, .succeeded) }
        guard inputs.allSatisfy(\.state.hasEnded) else { return }
        let failed = inputs.filter { $0.state == .faulted }
        if failed.count > 1 {
            fail(task, .transformed)
        } else if let only = failed.first {
            fail(task, .forwarded, from: only.id)
        } else if inputs.contains(where: { $0.state == .cancelled }) {
            finish(task, .cancelled, by: .forwarded)
        } else {
            finish(task, .succeeded)
        }
    }

    // MARK: Ends

    private mutating func finish(_ task: TaskTruth, _ state: TaskState, by manner: CancellationManner = .asked) {
        if state == .succeeded { trace.complete(task.id) } else { trace.cancel(task.id, manner) }
        tasks[index(task)].state = state
        tasks[index(task)].ended = trace.now
    }

    private mutating func fail(_ task: TaskTruth, _ manner: FaultManner, from source: TaskID = .none) {
        if manner == .forwarded {
            trace.forwardFault(task.id, from: source)
        } else {
            errorCount += 1
            trace.fault(task.id, type: "Error\(errorCount)", manner, from: source)
        }
        tasks[index(task)].state = .faulted
        tasks[index(task)].manner = manner
        tasks[index(task)].source = source
        tasks[index(task)].ended = trace.now
    }

    private func index(_ task: TaskTruth) -> Int { Int(task.id.rawValue) - 1 }

    private mutating func failed() -> TaskID? {
        tasks.filter { $0.state == .faulted }.randomElement(using: &random)?.id
    }

    private mutating func chance(_ one: Int) -> Bool {
        Int.random(in: 0..<one, using: &random) == 0
    }
}

/// Pseudo-random numbers, the same for the same seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
