import TaskEvents

/// The graph in the form of `git log --graph`: one row per task, with lanes on the left, forks and joins.
///
/// **Rows.** Chains are in the order of their starts. Below a task are its continuations in order of creation, each followed by its own. A
/// chain that a body made and returned or awaits is below that body's task, before its continuations; so are the chains of a join's inputs
/// if a body made the join. Two rows never change their order, but an insertion moves the rows below it. So a view that shows a window
/// remembers a task, not a row number (``row(of:)``).
///
/// **Lanes.** Edges of one kind share a rail (``Rail``): a task's continuations share a trunk, and so do a join's inputs. A rail takes the
/// leftmost free lane to the right of its start, and frees it at its end. There are at most ``laneLimit`` lanes. An edge without a lane is
/// listed in its row.
///
/// **Cost.** The cost of placing a task does not depend on the size of the graph. A join's inputs are read later, all
/// at once by ``readJoins(in:)`` or in the owner's portions (``nextUnreadJoin()``, ``read(_:of:in:)``). Lanes are assigned run by run, from a change down to the
/// first run whose lanes stay as before. The result is a function of the graph alone: the order and grouping of updates does not matter.
package struct Rails {
    /// The largest number of lanes. A reader cannot tell more lanes apart.
    package let laneLimit: Int

    var order = RowOrder()
    var nodes = ValuePerTask<Node>()
    /// Tasks that ``noteChanges(after:in:into:)`` has named and that are not updated yet.
    var announced = ValuePerTask<Bool>()
    /// By task, the first tasks of the chains that its body made, in order.
    var nested: [TaskID: SortedTasks] = [:]
    /// The continuations of each task that has several.
    var continuations: [TaskID: SortedTasks] = [:]
    /// The inverse of `nested`.
    var outer: [TaskID: TaskID] = [:]
    /// By join, the input whose row is lowest, so that a join's rail needs no visit of all its inputs.
    var lowestInputs: [TaskID: TaskID] = [:]
    /// The joins whose inputs are to be read, because the join is new or nested, or because rows of inputs have moved or gone.
    package internal(set) var unreadJoins: Set<TaskID> = []
    /// The first task of the newest chain.
    var newestChain = TaskID.none
    /// The run where the next ``sweep(rows:in:)`` continues.
    private var nextSwept = 0

    struct Node {
        /// The task that this one continues, or the task whose body made its chain. `.none` for other first tasks.
        var parent: TaskID
        var isNested: Bool
        /// Whether an edge of another kind than ``RailKind/continues`` leads on from the task.
        var leadsOn = false
        /// The continuation whose row is last.
        var lastContinuation = TaskID.none
    }

    package init(laneLimit: Int = 24) {
        precondition((1...64).contains(laneLimit), "Between 1 and 64 lanes can be told apart, not \(laneLimit).")
        self.laneLimit = laneLimit
    }

    package var count: Int { order.count }

    /// The row of a task. Nil if it has none. Rows must be numbered since the last change.
    package func row(of task: TaskID) -> Int? { order.row(of: task) }

    /// The task in a row of `0..<count`. Rows must be numbered since the last change.
    package func task(atRow row: Int) -> TaskID { order.task(atRow: row) }

    /// Numbers the rows after ``update(_:in:)`` and ``sweep(rows:in:)``, as ``settle(throughRow:runLimit:in:)`` does too.
    package mutating func numberRows() {
        order.numberRows()
    }

    /// Places a new task, moves a task whose links have changed, or removes a task that the graph has dropped.
    ///
    /// Must be called for each new task, and for each task that gets a further antecedent.
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
        guard nodes[task] != nil, nodes[change.antecedent] != nil, graph.hasTask(task) else { return update(task, in: graph) }
        place(task, in: graph)
        noteLink(change, in: graph)
    }

    /// Removes tasks that the graph no longer has. Checks about `limit` rows, and continues behind them in the next call.
    package mutating func sweep(rows limit: Int, in graph: some RailGraph) {
        var left = limit
        while left > 0, order.runCount > 0 {
            if nextSwept >= order.runCount { nextSwept = 0 }
            let count = order[nextSwept].tasks.count
            let gone = order.removeAll(inRun: nextSwept) { !graph.hasTask($0) }
            for task in gone { forget(task) }
            left -= count
            // An empty run is removed, and the next run takes its place.
            if gone.count < count { nextSwept += 1 }
        }
    }
}
