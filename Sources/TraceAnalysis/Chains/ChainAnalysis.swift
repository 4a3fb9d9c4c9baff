import TaskEvents
import TraceStore

/// A root task and all tasks that continue from it, as far as the store keeps them.
package struct Chain: Hashable, Sendable {
    /// The root's id.
    package var id: TaskID
    /// Sorted by id, which is the order of creation.
    package var tasks: [TaskID]
    /// The chains whose tasks are inputs or inner tasks of this chain's tasks, by id.
    package var linked: [TaskID] = []
    /// Whether tasks are missing, because of the limit or because the store no longer keeps them.
    package var isPartial = false
}

/// Finds chains of tasks. Computes them from the store on each call. Like the store, it belongs to one thread.
///
/// A limit bounds the tasks that are found, and also the links that are examined: a task may have a million links to other chains.
package struct ChainAnalysis {
    /// The number of links examined per task that a limit allows.
    private static let linksPerTask = 32

    /// The number of links that may still be examined.
    struct LinkBudget {
        private(set) var left: Int

        init(tasks limit: Int) {
            left = limit > Int.max / linksPerTask ? .max : max(limit, 1) * linksPerTask
        }

        /// Takes one link from the budget. False if it is used up.
        mutating func take() -> Bool {
            left -= left > 0 ? 1 : 0
            return left > 0
        }
    }

    let store: TraceStore

    package init(_ store: TraceStore) {
        self.store = store
    }

    /// The chain of `task`. Nil if the store does not keep the task.
    ///
    /// A chain with more than `limit` tasks is cut to the ancestors of `task` and their continuations. If not all ancestors fit, the
    /// nearest ones take at most half of the limit.
    package func chain(of task: TaskID, limit: Int = .max) -> Chain? {
        var budget = LinkBudget(tasks: limit)
        return chain(of: task, limit: limit, &budget)
    }

    private func chain(of task: TaskID, limit: Int, _ budget: inout LinkBudget) -> Chain? {
        guard let task = store.task(task) else { return nil }
        let limit = max(limit, 1)
        let ancestry = ancestry(of: task, limit: limit)
        let id = task.chain
        var found = ancestry.isWhole ? ancestry.tasks : ancestry.tasks.suffix(max(limit / 2, 1))
        var known = Set(found.map(\.id))
        var isPartial = !ancestry.isWhole
        var next = 0
        while next < found.count {
            for successor in found[next].successors {
                guard budget.take() else {
                    isPartial = true
                    break
                }
                guard !known.contains(successor), let follower = store.task(successor), follower.chain == id else { continue }
                guard found.count < limit else {
                    isPartial = true
                    break
                }
                known.insert(successor)
                found.append(follower)
            }
            next += 1
        }
        let lists = found.lazy.flatMap { task in
            [AnySequence(task.antecedents), AnySequence(task.awaited), AnySequence(task.resumingBlocks)]
        }
        let linked = others(than: id, of: lists, &budget)
        return Chain(id: id, tasks: found.map(\.id).sorted(), linked: linked, isPartial: isPartial)
    }

    /// The chain of `task`, then the chains connected with it by joins, by bodies that returned or awaited tasks, or by blocks that resumed a
    /// task, nearest first. Among equally near chains, those that lead to `task`'s chain come before those that it leads to. All chains
    /// together have at most `limit` tasks.
    package func chains(connectedWith task: TaskID, limit: Int = .max) -> [Chain] {
        var budget = LinkBudget(tasks: limit)
        return chains(connectedWith: task, limit: limit, &budget)
    }

    func chains(connectedWith task: TaskID, limit: Int, _ budget: inout LinkBudget) -> [Chain] {
        guard let first = chain(of: task, limit: limit, &budget) else { return [] }
        var found = [first]
        var known: Set<TaskID> = [first.id]
        var room = limit - first.tasks.count
        var next = 0
        while next < found.count, room > 0 {
            for id in found[next].linked + chains(linkedBehind: found[next], &budget) where room > 0 && known.insert(id).inserted {
                guard let chain = chain(of: id, limit: room, &budget) else { continue }
                found.append(chain)
                room -= chain.tasks.count
            }
            next += 1
        }
        return found
    }

    private func chains(linkedBehind chain: Chain, _ budget: inout LinkBudget) -> [TaskID] {
        let tasks = chain.tasks.lazy.compactMap { store.task($0) }
        return others(than: chain.id, of: tasks.flatMap { task in [AnySequence(task.successors), AnySequence(task.awaiters)] }, &budget)
    }

    /// The task's ancestors in its chain, oldest first, and the task itself.
    ///
    /// A task is created after its antecedent. Ids in another order come from a damaged trace and end the ancestry.
    private func ancestry(of task: TaskView, limit: Int) -> (tasks: [TaskView], isWhole: Bool) {
        var tasks = [task]
        var first = task
        while first.id != first.chain {
            guard tasks.count < limit, let id = first.firstAntecedent, id < first.id, let antecedent = store.task(id),
                antecedent.chain == task.chain
            else { return (tasks.reversed(), false) }
            tasks.append(antecedent)
            first = antecedent
        }
        return (tasks.reversed(), true)
    }

    /// The chains of these tasks except `chain`, by id. Stops at the budget's end.
    private func others(than chain: TaskID, of lists: some Sequence<AnySequence<TaskID>>, _ budget: inout LinkBudget) -> [TaskID] {
        var others: Set<TaskID> = []
        for list in lists {
            for task in list {
                guard budget.take() else { return others.sorted() }
                if let other = store.task(task)?.chain, other != chain { others.insert(other) }
            }
        }
        return others.sorted()
    }
}
