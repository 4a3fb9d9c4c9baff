import TaskEvents
import TraceStore

/// The class of a hop. If several apply, the first case wins.
///
/// Reports contain the raw values, which never change.
package enum HopClass: String, CaseIterable, Sendable {
    /// The `default` executor had reached its depth limit and dispatched the job.
    case depthGuard = "depth-guard"
    /// One leg of a short visit: A to B to A in consecutive jobs of one chain, with B's job shorter than the two waits together.
    case bounce
    /// Through a queue onto the executor that was already running the job.
    case redundant
    /// Onto an actor without suspending. Swift Concurrency only.
    case inline
    /// Any other hop through a queue.
    case dispatched

    /// The word in reports.
    package var name: String { rawValue }
}

package struct ClassedHop: Sendable {
    package var hop: Hop
    package var hopClass: HopClass
}

/// Classifies hops. Computes them from the store on each call. Like the store, it belongs to one thread.
package struct HopAnalysis {
    /// The largest number of bodies in one job between two jobs of a chain. A longer visit is no bounce.
    private static let bodyLimit = 256
    /// The largest number of followers examined for the way back. Past it, the outward hop counts as dispatched, so that a job with a
    /// million continuations does not delay a frame.
    private static let followerLimit = 4096

    let store: TraceStore

    package init(_ store: TraceStore) {
        self.store = store
    }

    package func hopClass(of hop: Hop) -> HopClass {
        guard canBounce(hop), let task = store.task(hop.task) else { return hopClass(of: hop, isBounce: false) }
        return hopClass(of: hop, isBounce: isBounce(hop, of: task, returns: returns(from: task)))
    }

    /// The classes of a task's hops, in their order. Looks at the tasks that follow it once, however many hops it has.
    package func hopClasses(of task: TaskView) -> [HopClass] {
        let hops = Array(task.hops)
        let returns = hops.contains(where: canBounce) ? returns(from: task) : []
        return hops.map { hopClass(of: $0, isBounce: canBounce($0) && isBounce($0, of: task, returns: returns)) }
    }

    private func hopClass(of hop: Hop, isBounce: Bool) -> HopClass {
        if hop.manner == .depthGuard { return .depthGuard }
        if isBounce { return .bounce }
        if hop.from == hop.to { return .redundant }
        return hop.manner == .inline ? .inline : .dispatched
    }

    /// All hops that the store keeps, sorted by time, then by task.
    package func hops() -> [ClassedHop] {
        store.rows.lazy
            .flatMap { row in zip(store[row].hops, hopClasses(of: store[row])).map { ClassedHop(hop: $0, hopClass: $1) } }
            .sorted { ($0.hop.at, $0.hop.task) < ($1.hop.at, $1.hop.task) }
    }

    // MARK: Bounces

    private func canBounce(_ hop: Hop) -> Bool { hop.from != .none && hop.from != hop.to && hop.wait != nil }

    /// Whether the hop is one leg of a short visit. `returns` are the hops that can be the way back from its task.
    private func isBounce(_ hop: Hop, of task: TaskView, returns: [Hop]) -> Bool {
        isWayBack(hop, of: task) || returns.contains { isShortVisit(there: hop, visitor: task, back: $0) }
    }

    private func isWayBack(_ hop: Hop, of task: TaskView) -> Bool {
        guard let before = jobBefore(task) else { return false }
        return before.hops.contains { isShortVisit(there: $0, visitor: before, back: hop) }
    }

    /// The hops of the tasks that follow this one in its chain.
    private func returns(from task: TaskView) -> [Hop] {
        var found: [Hop] = []
        var bodies = [task]
        var next = 0
        var looked = 0
        while next < bodies.count {
            for successor in bodies[next].successors {
                looked += 1
                if looked > Self.followerLimit { return found }
                guard let follower = store.task(successor), follows(follower, bodies[next]) else { continue }
                found += follower.hops
                if isInsideJob(follower), bodies.count < Self.bodyLimit { bodies.append(follower) }
            }
            next += 1
        }
        return found
    }

    /// Whether the hops go A to B to A, and B's job up to the enqueuing of A's takes less time than both waits together.
    func isShortVisit(there: Hop, visitor: TaskView, back: Hop) -> Bool {
        guard there.to == back.from, there.from == back.to, there.from != .none, there.from != there.to,
            let waitThere = there.wait, let waitBack = back.wait, let started = visitor.started
        else { return false }
        let visit = back.at > started ? back.at - started : 0
        return visit < waitThere + waitBack
    }

    /// The task with the previous queued job of the same chain. Only inline bodies and skips can lie between the two jobs.
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

    /// Whether the task ran inside its antecedent's job.
    private func isInsideJob(_ task: TaskView) -> Bool {
        task.kind == .continuation && (task.startManner == .inline || task.isSkipped)
    }
}
