import TaskEvents
import TraceStore

/// Which tasks belong together: derived from the store each time it is asked, nothing is kept. Like the store, it belongs to one thread.
package struct ChainAnalysis {
    let store: TraceStore

    package init(_ store: TraceStore) {
        self.store = store
    }

    /// The chain that `task` is in; nil if the store does not keep the task.
    ///
    /// Of a chain with more than `limit` tasks, those that led to `task` and what continues from them; if that way is itself too long, the
    /// nearest of them in half of the room.
    package func chain(of task: TaskID, limit: Int = .max) -> Chain? {
        guard let task = store.task(task) else { return nil }
        let limit = max(limit, 1)
        let ancestry = ancestry(of: task, limit: limit)
        let id = task.chain
        var found = ancestry.isWhole ? ancestry.tasks : ancestry.tasks.suffix(max(limit / 2, 1))
        var known = Set(found.map(\.id))
        var isPartial = !ancestry.isWhole
        var next = 0
        while next < found.count {
            for successor in found[next].successors where !known.contains(successor) {
                guard let follower = store.task(successor), follower.chain == id else { continue }
                guard found.count < limit else {
                    isPartial = true
                    break
                }
                known.insert(successor)
                found.append(follower)
            }
            next += 1
        }
        return Chain(id: id, tasks: found.map(\.id).sorted(), linked: chains(linkedInto: id, tasks: found), isPartial: isPartial)
    }

    /// The chain that `task` is in and all that are linked into it, directly or through others: it first, then by how near they are.
    /// At most `limit` tasks together.
    package func chains(shownWith task: TaskID, limit: Int = .max) -> [Chain] {
        guard let first = chain(of: task, limit: limit) else { return [] }
        var shown = [first]
        var known: Set<TaskID> = [first.id]
        var room = limit - first.tasks.count
        var next = 0
        while next < shown.count {
            for id in shown[next].linked where room > 0 && known.insert(id).inserted {
                guard let chain = chain(of: id, limit: room) else { continue }
                shown.append(chain)
                room -= chain.tasks.count
            }
            next += 1
        }
        return shown
    }

    /// The chain that `task` is in and all that hang together with it, by joins and by bodies that returned or awaited tasks: it first, then by how near
    /// they are, those before it ahead of those behind it. At most `limit` tasks together.
    package func chains(connectedWith task: TaskID, limit: Int = .max) -> [Chain] {
        guard let first = chain(of: task, limit: limit) else { return [] }
        var found = [first]
        var known: Set<TaskID> = [first.id]
        var room = limit - first.tasks.count
        var next = 0
        while next < found.count {
            for id in found[next].linked + chains(linkedBehind: found[next]) where room > 0 && known.insert(id).inserted {
                guard let chain = chain(of: id, limit: room) else { continue }
                found.append(chain)
                room -= chain.tasks.count
            }
            next += 1
        }
        return found
    }

    private func chains(linkedBehind chain: Chain) -> [TaskID] {
        var linked: Set<TaskID> = []
        for task in chain.tasks {
            guard let view = store.task(task) else { continue }
            for successor in Array(view.successors) + view.awaiters {
                if let other = store.task(successor)?.chain, other != chain.id { linked.insert(other) }
            }
        }
        return linked.sorted()
    }

    /// What led to the task inside its chain, from the first, and the task itself.
    ///
    /// A task is made after what it continues; where the ids say otherwise, the trace is damaged, and the way back ends.
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

    private func chains(linkedInto chain: TaskID, tasks: [TaskView]) -> [TaskID] {
        var linked: Set<TaskID> = []
        for task in tasks {
            for antecedent in Array(task.antecedents) + task.awaited {
                guard let other = store.task(antecedent)?.chain, other != chain else { continue }
                linked.insert(other)
            }
        }
        return linked.sorted()
    }
}
