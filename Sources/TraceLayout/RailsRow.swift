import TaskEvents

/// A task's row with its lanes and edges.
package struct RailsRow: Hashable, Sendable {
    package var task: TaskID
    /// The task's lane; nil if all lanes are taken.
    package var lane: Int?
    /// The rails that enter from above, by lane.
    package var above: [Rail?]
    /// The rails that continue below, by lane.
    package var below: [Rail?]
    package var ties: [RailTie]
    /// The edge from the task that this one continues, and the edges to joins and to tasks whose bodies returned or await this task. All
    /// rows together list each edge once.
    package var edges: [RailEdge]

    package var edgesWithoutLane: Int {
        edges.reduce(0) { $1.lane == nil && $1.from != $1.to ? $0 + 1 : $0 }
    }

    /// The number of lanes that the row needs.
    package var width: Int {
        let used = (above.lastIndex { $0 != nil } ?? -1, below.lastIndex { $0 != nil } ?? -1)
        return 1 + max(used.0, used.1, lane ?? -1)
    }
}

/// A line shared by all edges of one kind at one task. A task with thousands of continuations, or a join of thousands of inputs, thus takes
/// a single lane.
package struct Rail: Hashable, Sendable {
    package var kind: RailKind
    /// The continued task, the join, or the task whose body returned or awaits another task.
    package var hub: TaskID
}

/// A horizontal line between a task and the rail of another lane.
package struct RailTie: Hashable, Sendable {
    package var lane: Int
    package var rail: Rail
}

/// A link between two tasks.
package struct RailEdge: Hashable, Sendable {
    package var from: TaskID
    package var to: TaskID
    package var kind: RailKind
    /// The lane of the edge's rail at this row; nil if all lanes are taken, or if a task waits for itself.
    package var lane: Int?
}
