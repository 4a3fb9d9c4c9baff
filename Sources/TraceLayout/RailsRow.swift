import TaskEvents

/// One task of the rails, with all that its row shows of lanes and edges.
package struct RailsRow: Hashable, Sendable {
    package var task: TaskID
    /// The lane that the task stands in; nil where all lanes were taken.
    package var lane: Int?
    /// What comes into the row from above, by lane.
    package var above: [Rail?]
    /// What goes on to the row below, by lane.
    package var below: [Rail?]
    /// The rails of other lanes that the task's own row ties to it.
    package var ties: [RailTie]
    /// The edges that this row tells: the one from what it continues, those to joins that it is an input of, and those to tasks whose inner
    /// task it is. Over all rows each edge is told once.
    package var edges: [RailEdge]

    /// Edges that found no lane.
    package var edgesWithoutLane: Int {
        edges.reduce(0) { $1.lane == nil && $1.from != $1.to ? $0 + 1 : $0 }
    }

    /// How many lanes the row needs to be drawn.
    package var width: Int {
        let used = (above.lastIndex { $0 != nil } ?? -1, below.lastIndex { $0 != nil } ?? -1)
        return 1 + max(used.0, used.1, lane ?? -1)
    }
}

/// A line that all edges of one sort share: those from a task to its continuations, those from its inputs to a join, or the one from an
/// inner task.
///
/// Sharing is what keeps a gate with thousands of continuations, or a join of thousands of inputs, in a single lane.
package struct Rail: Hashable, Sendable {
    package var kind: RailKind
    /// The task that continues, the join, or the task whose body returned the inner one.
    package var hub: TaskID

    package init(kind: RailKind, hub: TaskID) {
        self.kind = kind
        self.hub = hub
    }
}

/// A horizontal line between a task and a rail beside it.
package struct RailTie: Hashable, Sendable {
    package var lane: Int
    package var rail: Rail
}

/// One link between two tasks, as it is drawn.
package struct RailEdge: Hashable, Sendable {
    package var from: TaskID
    package var to: TaskID
    package var kind: RailKind
    /// The lane of the edge's rail where it meets the row; nil where all lanes were taken, and for a task that waits for itself.
    package var lane: Int?

    package init(from: TaskID, to: TaskID, kind: RailKind, lane: Int?) {
        self.from = from
        self.to = to
        self.kind = kind
        self.lane = lane
    }
}
