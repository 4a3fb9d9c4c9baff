import TaskEvents
import TraceStore

/// The search for one path. The steps found so far are also the queue of steps whose takers are still to be found.
struct FaultWalk {
    private let analysis: FaultAnalysis
    private var steps: [FaultStep]
    /// The index of the step whose takers are found next.
    private var next = 0
    private var reached: Set<TaskID>
    /// Steps of bodies that ran on the error without reading it. Such a step is replaced if the path leads to the body another way.
    private var swallowed: [TaskID: Int] = [:]
    private var replaced: Set<Int> = []
    /// The best of the ends that are no step's role: reads from outside, ends at the origin, and ends at joins without the error.
    private var bestEnd = Verdict.unobserved
    /// Takers of the current step, before they are sorted.
    private var takers: [Taker] = []
    private var doubts = Doubts()
    private let limit: Int
    private(set) var isPartial = false
    /// The first child whose error its parent may have read, without a sign of it in the trace.
    private(set) var unclear: TaskID?
    /// The first Swift task that took the error and then threw an error of its own. It may have handled the first one.
    private(set) var replacer: TaskID?

    init(_ analysis: FaultAnalysis, from origin: TaskView, limit: Int) {
        self.analysis = analysis
        self.limit = limit
        // A Swift task that made its error of another one threw it itself.
        let isOwn = origin.kind.isOfSwift && origin.faultManner == .transformed
        steps = [FaultStep(task: origin.id, role: isOwn ? .thrown : analysis.role(of: origin))]
        reached = [origin.id]
    }

    /// Finds the steps. A search that stops at a replacement has found as many as there were when it met ``replacer``.
    mutating func run(stopsAtReplacement: Bool = false) {
        repeat {
            while next < steps.count {
                if stopsAtReplacement, replacer != nil { return }
                guard steps.count <= limit else {
                    isPartial = true
                    return
                }
                if next == 0 || steps[next].isCarrier { followStep() }
                next += 1
            }
        } while settleOneDoubt()
    }

    var path: [FaultStep] {
        replaced.isEmpty ? steps : steps.indices.filter { !replaced.contains($0) }.map { steps[$0] }
    }

    var verdict: Verdict {
        path.dropFirst().reduce(bestEnd) { min($0, $1.end(isOver: analysis.isOver) ?? $0) }
    }

    /// Appends the takers of the step at `next`. A step without takers is an end of the path.
    private mutating func followStep() {
        guard let task = analysis.store.task(steps[next].task) else { return }
        var dropped: FaultRole?
        var isTaken = false
        takers.removeAll(keepingCapacity: true)
        analysis.visitLinks(of: task) { link in
            if link.taking.isTaken {
                isTaken = true
                if link.taking == .unclear { unclear = unclear ?? task.id }
                note(link, of: task)
            } else if case .dropped(let role) = link.taking {
                dropped = dropped.map { analysis.better($0, role) } ?? role
            }
            return true
        }
        let isOpen = analysis.canBeReadLater(task)
        if isOpen { bestEnd = min(bestEnd, .pending) }
        if isTaken {
            if dropped == .swallowed { bestEnd = min(bestEnd, .swallowed) }
            // A read from outside is an end, even if the path continues.
            if analysis.isReadOutside(task) { bestEnd = min(bestEnd, .read) }
            takers.sort { ($0.at, $0.task) < ($1.at, $1.task) }
            for taker in takers { append(taker) }
        } else {
            let end = FaultStep(task: task.id, role: analysis.endRole(of: task, dropped: dropped), from: steps[next].from)
            guard end.role == .read || !isOpen else { return }
            if next > 0 { steps[next] = end }
            bestEnd = min(bestEnd, end.end(isOver: analysis.isOver) ?? bestEnd)
        }
    }

    private mutating func note(_ link: FaultLink, of source: TaskView) {
        guard !reached.contains(link.task.id) else { return }
        let at = link.takenAt(from: source)
        let taker = Taker(at: at, ended: link.task.ended ?? .max, task: link.task.id, from: source.id, taking: link.taking)
        if analysis.mayTakeElsewhere(link.task, link.taking, from: source.id) {
            doubts.append(taker)
        } else {
            takers.append(taker)
        }
    }

    private mutating func append(_ taker: Taker) {
        guard !reached.contains(taker.task) else { return }
        let step = FaultStep(task: taker.task, role: taker.taking.role, from: taker.from)
        if replacer == nil, step.role == .transformed, analysis.isReplacement(taker.task) { replacer = taker.task }
        if step.role == .swallowed {
            guard swallowed[taker.task] == nil else { return }
            swallowed[taker.task] = steps.count
        } else {
            reached.insert(taker.task)
            if let index = swallowed[taker.task] { replaced.insert(index) }
        }
        steps.append(step)
    }

    /// Settles the earliest doubt as it stands, because the path has ended without a better way to its task. False if no doubt is left.
    private mutating func settleOneDoubt() -> Bool {
        while let taker = doubts.popFirst() {
            guard !reached.contains(taker.task) else { continue }
            append(taker)
            return true
        }
        return false
    }
}

extension FaultStep {
    /// Whether the task ended with the error, so that other tasks can take it from there.
    fileprivate var isCarrier: Bool { role == .forwarded || role == .transformed }

    /// The verdict that the step gives the fault, if the step is an end of the path.
    fileprivate func end(isOver: Bool) -> Verdict? {
        switch role {
        case .recovered: .recovered
        case .read: .read
        // The program ended before the task got the error.
        case nil: isOver ? .unobserved : .pending
        case .swallowed: .swallowed
        case .unobserved: .unobserved
        case .thrown, .injected, .forwarded, .transformed: nil
        }
    }
}

/// A task that takes the error from a step.
private struct Taker {
    var at: UInt64
    var ended: UInt64
    var task: TaskID
    var from: TaskID
    var taking: Taking
}

/// Takers that read the error and ended with another task's error. Such a taker is `transformed`, unless the path also leads to that other
/// task.
///
/// Doubts are settled in the order of their ends, because a task can only get an error from a task that ended before it.
private struct Doubts {
    /// In order from `next` on.
    private var sorted: [Taker] = []
    private var next = 0
    private var added: [Taker] = []

    mutating func append(_ taker: Taker) {
        added.append(taker)
    }

    mutating func popFirst() -> Taker? {
        if !added.isEmpty {
            sorted = (sorted[next...] + added).sorted { ($0.ended, $0.task) < ($1.ended, $1.task) }
            next = 0
            added.removeAll(keepingCapacity: true)
        }
        guard next < sorted.count else { return nil }
        next += 1
        return sorted[next - 1]
    }
}
