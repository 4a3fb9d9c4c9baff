import TaskEvents
import TraceStore

/// The class of a hop. Of several that apply, the first case wins.
///
/// Reports contain the raw values; they never change.
package enum HopClass: String, CaseIterable, Sendable {
    /// `default` had reached its depth and dispatched.
    case depthGuard = "depth-guard"
    /// The way to or from a short visit: A to B to A in consecutive jobs of one chain, with B's job shorter than the two waits together.
    case bounce
    /// Through a queue onto the executor that the job was already on.
    case redundant
    /// Onto an actor without suspending. Swift Concurrency only.
    case inline
    /// Any other hop through a queue.
    case dispatched

    /// The word in reports.
    package var name: String { rawValue }
}

/// A hop with its class.
package struct ClassedHop: Sendable {
    package var hop: Hop
    package var hopClass: HopClass

    package init(_ hop: Hop, _ hopClass: HopClass) {
        self.hop = hop
        self.hopClass = hopClass
    }
}

/// What sort of hop each is: derived from the store each time it is asked, nothing is kept. Like the store, it belongs to one thread.
package struct HopAnalysis {
    /// So many bodies inside one job, one after the other, are looked through for the next job of the chain. A longer visit is no bounce.
    private static let bodyLimit = 256
    /// So many followers of those bodies are looked at for the way back: past them the way there counts as dispatched, so that a job which
    /// a million others continue does not cost a frame.
    private static let followerLimit = 4096

    let store: TraceStore

    package init(_ store: TraceStore) {
        self.store = store
    }

    /// The class of one hop, in the time of a few links.
    package func hopClass(of hop: Hop) -> HopClass {
        if hop.manner == .depthGuard { return .depthGuard }
        if isBounce(hop) { return .bounce }
        if hop.from == hop.to { return .redundant }
        return hop.manner == .inline ? .inline : .dispatched
    }

    /// All hops that the store keeps, by time, then by task.
    package func hops() -> [ClassedHop] {
        store.rows.lazy
            .flatMap { store[$0].hops }
            .map { ClassedHop($0, hopClass(of: $0)) }
            .sorted { ($0.hop.at, $0.hop.task) < ($1.hop.at, $1.hop.task) }
    }

    // MARK: Bounces

    /// Whether the hop is the way there or the way back of a short visit.
    private func isBounce(_ hop: Hop) -> Bool {
        guard hop.from != .none, hop.from != hop.to, hop.wait != nil, let task = store.task(hop.task) else { return false }
        return isWayBack(hop, of: task) || isWayThere(hop, of: task)
    }

    private func isWayBack(_ hop: Hop, of task: TaskView) -> Bool {
        guard let before = jobBefore(task) else { return false }
        return before.hops.contains { isShortVisit(there: $0, visitor: before, back: hop) }
    }

    private func isWayThere(_ hop: Hop, of task: TaskView) -> Bool {
        var bodies = [task]
        var next = 0
        var looked = 0
        while next < bodies.count {
            for successor in bodies[next].successors {
                looked += 1
                if looked > Self.followerLimit { return false }
                guard let follower = store.task(successor), follows(follower, bodies[next]) else { continue }
                if follower.hops.contains(where: { isShortVisit(there: hop, visitor: task, back: $0) }) { return true }
                if isInsideJob(follower), bodies.count < Self.bodyLimit { bodies.append(follower) }
            }
            next += 1
        }
        return false
    }

    /// A to B to A, with less time from the start of B's job to the putting of A's than both jobs waited.
    func isShortVisit(there: Hop, visitor: TaskView, back: Hop) -> Bool {
        guard there.to == back.from, there.from == back.to, there.from != .none, there.from != there.to,
            let waitThere = there.wait, let waitBack = back.wait, let started = visitor.started
        else { return false }
        let visit = back.at > started ? back.at - started : 0
        return visit < waitThere + waitBack
    }

    /// The task whose job in a queue ran before the one of `task`, in the same chain and with nothing but inline bodies and skips between.
    func jobBefore(_ task: TaskView) -> TaskView? {
        var follower = task
        for _ in 0..<Self.bodyLimit {
            guard let id = follower.continuedTask, let antecedent = store.task(id), follows(follower, antecedent) else { return nil }
            if !isInsideJob(antecedent) { return antecedent.startManner == .dequeued ? antecedent : nil }
            follower = antecedent
        }
        return nil
    }

    private func follows(_ task: TaskView, _ antecedent: TaskView) -> Bool {
        task.continuedTask == antecedent.id && task.chain == antecedent.chain
    }

    /// Whether it ended inside the job of what it follows, and so continues that job.
    private func isInsideJob(_ task: TaskView) -> Bool {
        task.kind == .continuation && (task.startManner == .inline || task.isSkipped)
    }
}
