import TaskEvents

/// The graph as `git log --graph` shows one: a task a row, lanes on the left, forks, joins.
///
/// **Rows.** Chains come in the order in which they began. Within a chain a task is followed by all that continues from it, each
/// continuation with all of its own before the next, in order of creation. A chain that a body made and returned a task of stands below the
/// task of that body, before its continuations; so do the chains that a join made in a body waits for. A new chain is thus appended, a new
/// continuation stands with its chain, and no other two rows ever change places. Row numbers below an insertion grow: who shows a window
/// holds on to a task, not to a number (``row(of:)``).
///
/// **Lanes.** Edges of one sort share a rail (``Rail``): a task's continuations leave it along one trunk, and a join's inputs run into one.
/// The trunk is on the left of what comes from it and, for a join, on the right of what goes into it. A rail takes the leftmost lane that
/// is free to the right of where it begins and gives it back where it ends. There are at most ``laneLimit``; an edge that finds none is
/// told without a lane, and the row says how many.
///
/// **Cost.** Placing a task costs the same in a graph of ten and of a million. Lanes are followed through runs of rows, only where
/// something changed, down to where the rails are again as they were; a window is drawn from the run it begins in. Everything is a function
/// of the graph: in whatever order and portions the tasks came, the rails are the same.
package struct Rails {
    /// How many rails may run side by side. More cannot be told apart by eye.
    package let laneLimit: Int

    var order = RowOrder()
    var places = TaskTable<Place>()
    /// Tasks that ``noteChanges(after:in:into:)`` has named and that are not updated yet.
    var announced = TaskTable<Bool>()
    /// Beginnings of chains that stand below a task whose body made them, in order.
    var nested: [TaskID: SortedTasks] = [:]
    /// The continuations of each task that has several.
    var continuations: [TaskID: SortedTasks] = [:]
    /// For each of those, that task.
    var outer: [TaskID: TaskID] = [:]
    /// The latest beginning of a chain that was appended.
    var newestChain = TaskID.none
    /// Where ``sweep(rows:in:)`` goes on.
    private var nextSwept = 0

    struct Place {
        /// The task that this one continues, or whose body made its chain; none at the top.
        var parent: TaskID
        var isNested: Bool
        /// Whether an edge of another kind than ``RailKind/continues`` leads on from the task.
        var leadsOn = false
        /// Of its continuations, the one that stands last.
        var lastContinuation = TaskID.none
    }

    package init(laneLimit: Int = 24) {
        precondition((1...64).contains(laneLimit), "Between 1 and 64 lanes can be told apart, not \(laneLimit).")
        self.laneLimit = laneLimit
    }

    /// How many rows there are.
    package var count: Int { order.count }

    /// The row of a task, nil if it has none. Rows must be numbered since the last change.
    package func row(of task: TaskID) -> Int? { order.row(of: task) }

    /// The task in a row of `0..<count`. Rows must be numbered since the last change.
    package func task(atRow row: Int) -> TaskID { order.task(atRow: row) }

    /// Numbers the rows anew, after ``update(_:in:)`` and ``sweep(rows:in:)``. ``settle(throughRow:runLimit:in:)`` does it too.
    package mutating func numberRows() {
        order.numberRows()
    }

    /// Brings a task up to date with the graph: places it if it is new, moves it if its links have changed, takes it out if it has gone.
    ///
    /// To be called for a task that was made, and for one that got a further antecedent.
    package mutating func update(_ task: TaskID, in graph: some RailGraph) {
        announced[task] = nil
        guard graph.hasTask(task) else {
            remove(task)
            return
        }
        place(task, in: graph)
        noteLinks(of: task, in: graph)
    }

    /// Brings a task up to date after a change. A link to an antecedent costs the same however many links the two tasks have.
    package mutating func update(_ change: RailChange, in graph: some RailGraph) {
        let task = change.task
        guard places[task] != nil, places[change.antecedent] != nil, graph.hasTask(task) else { return update(task, in: graph) }
        place(task, in: graph)
        noteLink(change, in: graph)
    }

    /// Takes out tasks that the graph no longer has, looking at so many rows and going on there the next time.
    package mutating func sweep(rows limit: Int, in graph: some RailGraph) {
        var left = limit
        while left > 0, order.runCount > 0 {
            if nextSwept >= order.runCount { nextSwept = 0 }
            let count = order[nextSwept].tasks.count
            let gone = order.removeAll(inRun: nextSwept) { !graph.hasTask($0) }
            for task in gone { forget(task) }
            left -= count
            // A run that has lost its last task is no more, and the next has its place.
            if gone.count < count { nextSwept += 1 }
        }
    }
}
