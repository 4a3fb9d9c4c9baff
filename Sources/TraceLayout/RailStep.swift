import TaskEvents

/// Follows the rails from row to row.
struct RailStep {
    let rails: Rails
    /// The rails between the last visited row and the next.
    private(set) var open: OpenRails
    /// The last visited row, if the visit set `isReported`.
    private(set) var row = RailsRow(task: .none, lane: nil, above: [], below: [], ties: [], edges: [])

    /// The joins on the way whose lowest input is gone.
    private(set) var unreadJoins: [TaskID] = []

    /// A bit for each lane whose rail ends in the current row. The lane is free from the next row on.
    private var ending: UInt64 = 0
    private var isReported = false

    init(rails: Rails, open: OpenRails) {
        self.rails = rails
        self.open = open
        self.open.removeAll { !rails.order.contains($0) }
    }

    /// Moves on to the row of `task`; `next` is the task in the row below. With `isReported`, fills `row`.
    mutating func take(_ task: TaskID, next: TaskID?, isReported: Bool, in graph: some RailGraph) {
        self.isReported = isReported
        row = RailsRow(task: task, lane: nil, above: isReported ? open.rails : [], below: [], ties: [], edges: [])
        ending = 0
        for lane in open.lanes.indices where open[lane]?.last == task { ending |= 1 << UInt64(lane) }

        let parent = rails.parent(of: task, in: graph)
        row.lane = lane(of: task, continuing: parent)
        arrive(task, continuing: parent)
        for lane in 0..<64 where ending & 1 << UInt64(lane) != 0 { open[lane] = nil }
        leadOn(task, in: graph)
        awaitInner(task, in: graph)
        awaitOthers(task, by: .input, in: graph)
        awaitOthers(task, by: .awaited, in: graph)
        fork(task, next: next)

        if isReported { row.below = open.rails }
    }

    // MARK: The task's own lane

    private func lane(of task: TaskID, continuing parent: TaskID?) -> Int? {
        if let parent {
            let trunk = Rail(kind: .continues, hub: parent)
            if let lane = open.lane(of: trunk, endingAt: task) { return lane }
            if let lane = open.lane(of: trunk) { return freeLane(rightOf: lane) ?? anyLane }
            return anyLane
        }
        if let lane = open.lane(of: Rail(kind: .input, hub: task), endingAt: task) { return lane }
        guard let outer = rails.outer[task] else { return anyLane }
        let branch = Rail(kind: .inner, hub: outer)
        if let lane = open.lane(of: branch, endingAt: task) { return lane }
        return open.lane(of: branch).flatMap { freeLane(rightOf: $0) } ?? anyLane
    }

    private var anyLane: Int? {
        freeLane(rightOf: -1) ?? (ending == 0 ? nil : ending.trailingZeroBitCount)
    }

    private func freeLane(rightOf lane: Int) -> Int? {
        (lane + 1..<max(lane + 1, rails.laneLimit)).first { open[$0] == nil && ending & 1 << UInt64($0) == 0 && $0 != row.lane }
    }

    // MARK: Rails that come in

    private mutating func arrive(_ task: TaskID, continuing parent: TaskID?) {
        for lane in open.lanes.indices where ending & 1 << UInt64(lane) != 0 {
            if let rail = open[lane]?.rail { tie(rail, lane: lane) }
        }
        guard let parent else { return }
        let trunk = Rail(kind: .continues, hub: parent)
        let branch = open.lane(of: trunk, endingAt: task)
        let lane = branch ?? open.lane(of: trunk)
        if branch == nil, let lane { tie(trunk, lane: lane) }
        tell(from: parent, to: task, .continues, lane: lane)
    }

    // MARK: Rails that go on

    /// Draws the links to joins that wait for the task, and to the tasks whose body returned or awaits it.
    private mutating func leadOn(_ task: TaskID, in graph: some RailGraph) {
        // A task with very many successors changes with each new one. The early return avoids a visit of all its links in many frames.
        if rails.nodes[task]?.leadsOn == false { return }
        graph.forEachSuccessor(of: task) { successor, kind in
            guard kind != .continues, rails.order.contains(successor) else { return }
            let rail = Rail(kind: kind, hub: successor)
            guard successor != task else {
                tell(from: task, to: task, kind, lane: nil)
                return
            }
            if let known = row.ties.first(where: { $0.rail == rail }) {
                tell(from: task, to: successor, kind, lane: known.lane)
            } else if let lane = open.lane(of: rail) {
                tie(rail, lane: lane)
                tell(from: task, to: successor, kind, lane: row.lane == nil ? nil : lane)
            } else {
                // A rail runs downwards. If the join is above this row, the rail began at the join.
                let canBegin = freeLane(rightOf: -1) != nil && rails.order.isBefore(task, successor)
                let last = canBegin ? lastTask(on: rail, in: graph) : task
                tell(from: task, to: successor, kind, lane: begin(rail, at: task, last: last))
            }
        }
    }

    /// Begins the rail to the task that the body returned, if that task is below.
    private mutating func awaitInner(_ task: TaskID, in graph: some RailGraph) {
        guard let inner = graph.inner(of: task), inner != task, rails.order.contains(inner) else { return }
        let rail = Rail(kind: .inner, hub: task)
        guard !row.ties.contains(where: { $0.rail == rail }), rails.order.isBefore(task, inner) else { return }
        begin(rail, at: task, last: inner)
    }

    /// Begins the rail of a join that is above some of its inputs, or of a task that is above tasks that it awaits.
    private mutating func awaitOthers(_ task: TaskID, by kind: RailKind, in graph: some RailGraph) {
        let rail = Rail(kind: kind, hub: task)
        guard !row.ties.contains(where: { $0.rail == rail }) else { return }
        if let lane = open.lane(of: rail) {
            tie(rail, lane: lane)
            return
        }
        guard row.lane != nil, freeLane(rightOf: -1) != nil else { return }
        begin(rail, at: task, last: lastTask(on: rail, in: graph))
    }

    /// Begins the trunk of the task's continuations, and a branch to the first of several if it is in the next row.
    private mutating func fork(_ task: TaskID, next: TaskID?) {
        guard let lane = row.lane, let last = rails.nodes[task]?.lastContinuation, last != .none else { return }
        let trunk = Rail(kind: .continues, hub: task)
        open[lane] = OpenRails.Open(rail: trunk, last: last)
        guard let next, next != last, let found = rails.nodes[next], found.parent == task, !found.isNested else { return }
        begin(trunk, at: task, last: next)
    }

    @discardableResult
    private mutating func begin(_ rail: Rail, at task: TaskID, last: TaskID) -> Int? {
        guard last != task, let node = row.lane, let lane = freeLane(rightOf: node) ?? freeLane(rightOf: -1) else { return nil }
        open[lane] = OpenRails.Open(rail: rail, last: last)
        tie(rail, lane: lane)
        return lane
    }

    private mutating func lastTask(on rail: Rail, in graph: some RailGraph) -> TaskID {
        var last = rail.hub
        func consider(_ task: TaskID) {
            if rails.order.isBefore(last, task) { last = task }
        }
        switch rail.kind {
        case .continues: preconditionFailure("Rails: a trunk ends at its task's last continuation, which is known.")
        case .input:
            guard let lowest = rails.lowestInputs[rail.hub] else { break }
            if rails.order.contains(lowest) { consider(lowest) } else { unreadJoins.append(rail.hub) }
        case .inner: if let inner = graph.inner(of: rail.hub) { consider(inner) }
        case .awaited: graph.forEachAwaited(by: rail.hub, consider)
        }
        return last
    }

    // MARK: Telling

    private mutating func tie(_ rail: Rail, lane: Int) {
        // Ties are noted even for rows that are not filled in, because they also record the rails that this row has met.
        row.ties.append(RailTie(lane: lane, rail: rail))
    }

    private mutating func tell(from: TaskID, to: TaskID, _ kind: RailKind, lane: Int?) {
        guard isReported else { return }
        let edge = RailEdge(from: from, to: to, kind: kind, lane: row.lane == nil ? nil : lane)
        // An input given twice is one edge. Links come in order of creation, so duplicates are near each other.
        if !row.edges.suffix(32).contains(edge) { row.edges.append(edge) }
    }
}
