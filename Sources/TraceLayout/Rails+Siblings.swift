import TaskEvents

/// Siblings: tasks that share a rail, each with the line of continuations behind it.
extension Rails {
    /// The largest number of links in a sibling's line.
    private static var lineLimit: Int { 16 }

    /// The rail that a row's siblings share, and whether the row is the first of its line.
    struct Sibling {
        var rail: Rail
        var isFirst: Bool
    }

    /// The rail that makes a task a sibling. The first match counts: the rail of its antecedent, if that has several continuations; the
    /// rail of the task whose body made its chain; the rail of the join that its chain leads to. Nil for a task without siblings.
    func sibling(_ task: TaskID, in graph: some RailGraph) -> Sibling? {
        var top = task
        for _ in 0..<Self.lineLimit {
            guard let node = nodes[top] else { return nil }
            if node.parent == .none {
                return join(afterLineFrom: top, in: graph).map { Sibling(rail: Rail(kind: .input, hub: $0), isFirst: top == task) }
            }
            if node.isNested { return Sibling(rail: Rail(kind: .inner, hub: node.parent), isFirst: top == task) }
            guard isOnlyContinuation(top, of: node.parent) else {
                return Sibling(rail: Rail(kind: .continues, hub: node.parent), isFirst: top == task)
            }
            top = node.parent
        }
        return nil
    }

    package func siblings(of task: TaskID, in graph: some RailGraph) -> Rail? {
        sibling(task, in: graph)?.rail
    }

    /// A task with its ancestors and its line of continuations. A fold keeps them visible if the task is kept.
    package func path(of task: TaskID, in graph: some RailGraph) -> Set<TaskID> {
        var path: Set<TaskID> = [task]
        var end = task
        while path.count < 512, let node = nodes[end], node.parent != .none, path.insert(node.parent).inserted { end = node.parent }
        end = task
        while path.count < 1024, let next = onlyContinuation(of: end), path.insert(next).inserted { end = next }
        return path
    }

    private func join(afterLineFrom task: TaskID, in graph: some RailGraph) -> TaskID? {
        var end = task
        for _ in 0..<Self.lineLimit {
            let next = onlyContinuation(of: end)
            // If several tasks continue it, those tasks are the siblings.
            guard next != nil || nodes[end]?.lastContinuation == TaskID.none else { return nil }
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
        guard let last = nodes[task]?.lastContinuation, last != .none, isOnlyContinuation(last, of: task) else { return nil }
        return last
    }

    /// Whether the task is the only continuation. If the last continuation is in the row below its antecedent, it is also the first.
    private func isOnlyContinuation(_ task: TaskID, of parent: TaskID) -> Bool {
        nodes[parent]?.lastContinuation == task && order.isNext(task, after: parent)
    }
}
