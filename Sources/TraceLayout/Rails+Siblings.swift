import TaskEvents

/// Which rows tell the same story: those of tasks that share a rail as its many, and of what continues each of them in a line.
extension Rails {
    /// Links that a sibling may be long.
    private static var lineLimit: Int { 16 }

    /// A row among siblings: the rail that they share, and whether the row is the first of its own sibling.
    struct Sibling {
        var rail: Rail
        var isFirst: Bool
    }

    /// What a task is a sibling by: its antecedent, if that has other continuations too; the task in whose body its chain was made; the join
    /// that its chain leads to. Nil for a task that stands alone, and for one that only goes on with what nobody is a sibling of.
    func sibling(_ task: TaskID, in graph: some RailGraph) -> Sibling? {
        var top = task
        for _ in 0..<Self.lineLimit {
            guard let place = places[top] else { return nil }
            if place.parent == .none {
                return join(afterLineFrom: top, in: graph).map { Sibling(rail: Rail(kind: .input, hub: $0), isFirst: top == task) }
            }
            if place.isNested { return Sibling(rail: Rail(kind: .inner, hub: place.parent), isFirst: top == task) }
            guard isOnlyContinuation(top, of: place.parent) else {
                return Sibling(rail: Rail(kind: .continues, hub: place.parent), isFirst: top == task)
            }
            top = place.parent
        }
        return nil
    }

    /// The rail that a task shares with its siblings; nil if it has none.
    package func siblings(of task: TaskID, in graph: some RailGraph) -> Rail? {
        sibling(task, in: graph)?.rail
    }

    /// A task with all that it comes from and goes on to in a line: what a fold must leave in sight for its sake.
    package func path(of task: TaskID, in graph: some RailGraph) -> Set<TaskID> {
        var path: Set<TaskID> = [task]
        var end = task
        while path.count < 512, let place = places[end], place.parent != .none, path.insert(place.parent).inserted { end = place.parent }
        end = task
        while path.count < 1024, let next = onlyContinuation(of: end), path.insert(next).inserted { end = next }
        return path
    }

    private func join(afterLineFrom task: TaskID, in graph: some RailGraph) -> TaskID? {
        var end = task
        for _ in 0..<Self.lineLimit {
            let next = onlyContinuation(of: end)
            // Where several continue it, it is these that are siblings.
            guard next != nil || places[end]?.lastContinuation == TaskID.none else { return nil }
            var join: TaskID?
            graph.forEachSuccessor(of: end) { successor, kind in
                if kind == .input, join == nil, order.contains(successor) { join = successor }
            }
            if let join { return join }
            guard let next else { return nil }
            end = next
        }
        return nil
    }

    private func onlyContinuation(of task: TaskID) -> TaskID? {
        guard let last = places[task]?.lastContinuation, last != .none, isOnlyContinuation(last, of: task) else { return nil }
        return last
    }

    /// The last continuation in the row below its antecedent's is the first as well.
    private func isOnlyContinuation(_ task: TaskID, of parent: TaskID) -> Bool {
        places[parent]?.lastContinuation == task && order.isNext(task, after: parent)
    }
}
