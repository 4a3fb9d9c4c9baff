import Synchronization
import TaskEvents
import TraceTransport

/// Makes and controls the gates of all executors: an inspector holds, steps and opens executors through it. Any thread may use it.
///
/// The process has one gatekeeper, because executors belong to the process. Commands of an attached inspector and commands from within the
/// process both arrive through `ProcessTrace.carryOut(_:)`.
package final class Gatekeeper: GateKeeping {
    package static let shared = Gatekeeper()

    private struct Entry {
        weak var identity: ExecutorIdentity?
    }

    private struct State {
        var entries: [Entry] = []
        /// Whether executors that are made from now on are held too.
        var holdsAll = false
        var run: Run?
        /// Distinguishes a run from the run that replaced it.
        var runNumber = 0
        /// Whether a job that a run let through has not ended, or a thread is choosing the next job.
        var isBusy = false
        /// Changes with every event that may let a run continue.
        var requests = 0
    }

    /// A mode that lets jobs through one at a time until its condition holds.
    enum Run: Sendable {
        case toFault, toMainHop
        case until(@Sendable (HeldJob) -> Bool)
    }

    private let lastNumber = Atomic<UInt64>(0)
    /// Whether there is a run. A copy of the state's value that is read with one relaxed load.
    private let hasRun = Atomic<Bool>(false)

    private let state = Guarded(State())

    private init() {
        ProcessTrace.shared.setHandler { control in Gatekeeper.shared.carryOut(control) }
    }

    /// Starts to carry out the process's commands. Without this call, the first executor starts it.
    package static func takeCommands() {
        _ = shared
    }

    func nextJobNumber() -> UInt64 {
        lastNumber.add(1, ordering: .relaxed).newValue
    }

    /// Registers an executor with the trace and makes its gate.
    func identity(name: String, kind: ExecutorKind) -> ExecutorIdentity {
        let identity = ExecutorIdentity(name: name, kind: kind, keeper: self)
        state.withLock { state in
            if state.entries.count >= 64, state.entries.count.nonzeroBitCount == 1 {
                state.entries.removeAll { $0.identity == nil }
            }
            state.entries.append(Entry(identity: identity))
            if state.holdsAll { identity.gate.hold() }
        }
        return identity
    }

    func identities(in scope: ControlScope) -> [ExecutorIdentity] {
        let all = state.withLock { state in state.entries.compactMap(\.identity) }
        return switch scope {
        case .all: all
        case .executor(let id): all.filter { $0.id == id }
        }
    }

    // MARK: Holding and opening

    /// The held executors, each with the number of its held jobs.
    package var heldExecutors: [(executor: ExecutorID, jobs: Int)] {
        identities(in: .all).filter(\.gate.isHeld).map { ($0.id, $0.gate.count) }
    }

    func hold(_ scope: ControlScope) {
        if scope == .all { state.withLock { $0.holdsAll = true } }
        for identity in identities(in: scope) { identity.gate.hold() }
        tellReaders()
    }

    /// Opens the executors. Returns the number of held jobs that this lets through.
    func open(_ scope: ControlScope) -> Int {
        if scope == .all {
            state.withLock { $0.holdsAll = false }
            endRun()
        }
        defer { tellReaders() }
        return identities(in: scope).reduce(0) { $0 + $1.gate.open() }
    }

    private func tellReaders() {
        ProcessTrace.shared.note { state.withLock { $0.holdsAll } || !heldExecutors.isEmpty }
    }

    // MARK: One job at a time

    /// Lets through the earliest held job that `isWanted` accepts, and returns it. Ends a run.
    func step(_ scope: ControlScope, where isWanted: (HeldJob) -> Bool = { _ in true }) -> HeldJob? {
        endRun()
        guard let job = takeFirst(scope, where: isWanted) else { return nil }
        Gate.letThrough(job)
        return job
    }

    private func takeFirst(_ scope: ControlScope, where isWanted: (HeldJob) -> Bool) -> HeldJob? {
        let gates = identities(in: scope).map(\.gate)
        while true {
            let firsts = gates.compactMap { gate in gate.first(where: isWanted).map { (gate, $0) } }
            guard let (gate, job) = firsts.min(by: { $0.1.number < $1.1.number }) else { return nil }
            if gate.take(job) { return job }
        }
    }

    // MARK: Runs

    /// Holds all executors and lets jobs through one at a time, including later ones, until `isReached` accepts the next job. That job
    /// stays held. Another run, a step, or opening all executors ends the run.
    package func run(until isReached: @escaping @Sendable (HeldJob) -> Bool) {
        begin(.until(isReached))
    }

    func begin(_ run: Run) {
        hold(.all)
        state.withLock { state in
            state.run = run
            state.runNumber += 1
            hasRun.store(true, ordering: .relaxed)
        }
        advance()
    }

    /// Called when a task has failed.
    func noteFault() {
        guard hasRun.load(ordering: .relaxed) else { return }
        endRun { if case .toFault = $0 { true } else { false } }
    }

    /// Called when a job is about to hop onto main.
    func noteHopOntoMain() {
        guard hasRun.load(ordering: .relaxed) else { return }
        endRun { if case .toMainHop = $0 { true } else { false } }
    }

    private func endRun(if isOver: (Run) -> Bool = { _ in true }) {
        state.withLock { state in
            guard let run = state.run, isOver(run) else { return }
            state.run = nil
            hasRun.store(false, ordering: .relaxed)
        }
    }

    func jobIsHeld() {
        if hasRun.load(ordering: .relaxed) { advance() }
    }

    /// Lets the next job through, unless an earlier job of the run has not ended.
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
                passage.schedule(job)
                // An executor that runs jobs at once has run this one. The loop goes on, because a call for each job would fill the stack.
                if passage.isOver() { continue }
                return
            }
            let isDone = state.withLock { state in
                // A gate may have held a job since the check.
                guard state.run == nil || state.requests == requests else { return false }
                state.isBusy = false
                return true
            }
            if isDone { return }
        }
    }

    /// The run's next job; nil if no job is held or the run is over. Ends `run` only if no other run has replaced it.
    private func next(in run: Run, _ number: Int) -> HeldJob? {
        if case .until(let isReached) = run, let job = first(), isReached(job) {
            state.withLock { state in
                guard state.runNumber == number else { return }
                state.run = nil
                hasRun.store(false, ordering: .relaxed)
            }
            return nil
        }
        return takeFirst(.all) { _ in true }
    }

    private func first() -> HeldJob? {
        identities(in: .all).compactMap { $0.gate.first { _ in true } }.min { $0.number < $1.number }
    }
}

/// A job that a run let through. It ends when the job has returned, with everything that it set off inline, or when its executor drops it.
private final class Passage: Sendable {
    private enum State: UInt8, AtomicRepresentable {
        /// The call of the executor has not returned.
        case scheduling
        case scheduled
        case ended
    }

    private let state = Atomic(State.scheduling)
    private let action: @Sendable () -> Void

    /// - Parameter action: What to do at the end, unless ``isOver()`` has told of it.
    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    func schedule(_ job: HeldJob) {
        let end = PassageEnd(self)
        job.schedule {
            job.job()
            end.reach()
        }
    }

    /// Whether the job has ended within `schedule`. Called once, after it.
    func isOver() -> Bool {
        !state.compareExchange(expected: .scheduling, desired: .scheduled, ordering: .acquiringAndReleasing).exchanged
    }

    fileprivate func end() {
        if state.exchange(.ended, ordering: .acquiringAndReleasing) == .scheduled { action() }
    }
}

/// Ends a passage with the job, or when the executor drops the job.
private final class PassageEnd: Sendable {
    private let passage: Passage

    init(_ passage: Passage) { self.passage = passage }

    deinit { passage.end() }

    func reach() { passage.end() }
}
