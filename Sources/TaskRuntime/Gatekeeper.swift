import Synchronization
import TaskEvents
import TraceTransport

/// Knows the gates of all executors, and moves them: the live stepping that the design describes. Any thread may use it.
///
/// It is the process's, as executors are. Commands of an attached inspector arrive here as those of one in the process do, through
/// `ProcessTrace.carryOut(_:)`.
package final class Gatekeeper: Sendable {
    package static let shared = Gatekeeper()

    private struct Entry {
        weak var identity: ExecutorIdentity?
    }

    private struct State {
        var entries: [Entry] = []
        /// Whether executors that are made from now on are held, too.
        var holdsAll = false
        var run: Run?
        /// Tells a run from the one that was begun in its place.
        var runNumber = 0
        /// Whether a job that a run let through has not come back, or somebody is looking for the next one.
        var isBusy = false
        /// Changes whenever there may be something to do for a run.
        var requests = 0
    }

    /// Letting jobs through one at a time until something happens.
    enum Run: Sendable {
        case toFault, toMainHop
        case until(@Sendable (HeldJob) -> Bool)
    }

    private static let lastNumber = Atomic<UInt64>(0)
    /// Whether there is a run, for those whom it costs one relaxed load to ask.
    private static let runs = Atomic<Bool>(false)

    private let state = Guarded(State())

    private init() {
        ProcessTrace.shared.setHandler { control in Gatekeeper.shared.carryOut(control) }
    }

    /// Sees to it that the process's commands are carried out from now on. Without it they are as soon as there is an executor.
    package static func takeCommands() {
        _ = shared
    }

    static func nextNumber() -> UInt64 {
        lastNumber.add(1, ordering: .relaxed).newValue
    }

    /// Takes charge of an executor's gate.
    func register(_ identity: ExecutorIdentity) {
        state.withLock { state in
            if state.entries.count >= 64, state.entries.count.nonzeroBitCount == 1 {
                state.entries.removeAll { $0.identity == nil }
            }
            state.entries.append(Entry(identity: identity))
            if state.holdsAll { identity.gate.hold() }
        }
    }

    func identities(in scope: ControlScope) -> [ExecutorIdentity] {
        let all = state.withLock { state in state.entries.compactMap(\.identity) }
        return switch scope {
        case .all: all
        case .executor(let id): all.filter { $0.id == id }
        }
    }

    // MARK: Holding and opening

    /// How many jobs each gate holds that is held.
    package var heldExecutors: [(executor: ExecutorID, jobs: Int)] {
        identities(in: .all).filter(\.gate.isHeld).map { ($0.id, $0.gate.count) }
    }

    func hold(_ scope: ControlScope) {
        if scope == .all { state.withLock { $0.holdsAll = true } }
        for identity in identities(in: scope) { identity.gate.hold() }
    }

    /// Answers how many jobs went on.
    func open(_ scope: ControlScope) -> Int {
        if scope == .all {
            state.withLock { $0.holdsAll = false }
            endRun()
        }
        return identities(in: scope).reduce(0) { $0 + $1.gate.open() }
    }

    // MARK: One job at a time

    /// Lets through the job that was held first of those that are asked for, and answers which.
    func step(_ scope: ControlScope, where isAskedFor: (HeldJob) -> Bool = { _ in true }) -> HeldJob? {
        endRun()
        guard let job = takeFirst(scope, where: isAskedFor) else { return nil }
        Gate.letThrough(job)
        return job
    }

    private func takeFirst(_ scope: ControlScope, where isAskedFor: (HeldJob) -> Bool) -> HeldJob? {
        let gates = identities(in: scope).map(\.gate)
        while true {
            let firsts = gates.compactMap { gate in gate.first(where: isAskedFor).map { (gate, $0) } }
            guard let (gate, job) = firsts.min(by: { $0.1.number < $1.1.number }) else { return nil }
            if gate.take(job) { return job }
        }
    }

    // MARK: Runs

    /// Holds all executors, and lets jobs through one at a time, those that come later included, until one is the next that `isReached`
    /// answers true for: that one is still held. Another run, a step, or opening all ends it.
    package func run(until isReached: @escaping @Sendable (HeldJob) -> Bool) {
        begin(.until(isReached))
    }

    func begin(_ run: Run) {
        hold(.all)
        state.withLock { state in
            state.run = run
            state.runNumber += 1
            Self.runs.store(true, ordering: .relaxed)
        }
        advance()
    }

    private func endRun() {
        state.withLock { state in
            state.run = nil
            Self.runs.store(false, ordering: .relaxed)
        }
    }

    /// A task has failed, with whatever error.
    static func noteFault() {
        guard runs.load(ordering: .relaxed) else { return }
        shared.endRun { if case .toFault = $0 { true } else { false } }
    }

    /// A job is about to hop onto main.
    static func noteHopOntoMain() {
        guard runs.load(ordering: .relaxed) else { return }
        shared.endRun { if case .toMainHop = $0 { true } else { false } }
    }

    private func endRun(if isOver: (Run) -> Bool) {
        state.withLock { state in
            guard let run = state.run, isOver(run) else { return }
            state.run = nil
            Self.runs.store(false, ordering: .relaxed)
        }
    }

    func jobIsHeld() {
        if Self.runs.load(ordering: .relaxed) { advance() }
    }

    /// Lets the next job through, unless one is on its way.
    private func advance() {
        let mayLook = state.withLock { state in
            state.requests += 1
            guard state.run != nil, !state.isBusy else { return false }
            state.isBusy = true
            return true
        }
        guard mayLook else { return }
        while true {
            let (run, number, requests) = state.withLock { ($0.run, $0.runNumber, $0.requests) }
            if let run, let job = next(in: run, number) {
                let passage = Passage { [self] in
                    state.withLock { $0.isBusy = false }
                    advance()
                }
                Emit.stepped(job.task, on: job.executor)
                return job.schedule {
                    job.job()
                    passage.end()
                }
            }
            let isDone = state.withLock { state in
                // Somebody may have held a job after the look.
                guard state.run == nil || state.requests == requests else { return false }
                state.isBusy = false
                return true
            }
            if isDone { return }
        }
    }

    /// The run's next job; none at its end. Another may have been begun in its place meanwhile, whose end it is not.
    private func next(in run: Run, _ number: Int) -> HeldJob? {
        if case .until(let isReached) = run, let job = first(), isReached(job) {
            state.withLock { state in
                guard state.runNumber == number else { return }
                state.run = nil
                Self.runs.store(false, ordering: .relaxed)
            }
            return nil
        }
        return takeFirst(.all) { _ in true }
    }

    private func first() -> HeldJob? {
        identities(in: .all).compactMap { $0.gate.first { _ in true } }.min { $0.number < $1.number }
    }
}

/// The way of a job that a run let through: it ends when the job has come back, with all that it set off inline, or is dropped by its executor.
private final class Passage: Sendable {
    private let hasEnded = Atomic<Bool>(false)
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    deinit { end() }

    func end() {
        if !hasEnded.exchange(true, ordering: .relaxed) { action() }
    }
}
