import TaskEvents
import TraceStore

/// The store's tasks as a graph for rails.
extension TraceStore: RailGraph {
    /// A block counts only if it, or a block that it made, made or resumed a task: a program gives Dispatch many more blocks than it makes
    /// tasks.
    package func hasTask(_ task: TaskID) -> Bool {
        guard let view = self.task(task), view.kind != .internal else { return false }
        return view.kind != .block || leadsToTask(view, depth: Self.longestWayToTask)
    }

    /// The most blocks, each made by the one before, that are followed to a task, and the most successors that are examined of each.
    private static let longestWayToTask = 8
    private static let mostSuccessors = 64

    private func leadsToTask(_ block: TaskView, depth: Int) -> Bool {
        guard depth > 0 else { return false }
        if block.awaiters.first(where: { !$0.isBlock }) != nil { return true }
        return block.successors.prefix(Self.mostSuccessors).contains { successor in
            guard successor.isBlock else { return true }
            return self.task(successor).map { leadsToTask($0, depth: depth - 1) } ?? false
        }
    }

    package func continued(by id: TaskID) -> TaskID? {
        task(id).flatMap(\.continued)
    }

    package func chain(of id: TaskID) -> TaskID {
        task(id)?.chain ?? id
    }

    package func isJoin(_ id: TaskID) -> Bool {
        task(id)?.kind == .join
    }

    package func forEachInput(of id: TaskID, _ body: (TaskID) -> Void) {
        guard let task = task(id), task.kind == .join else { return }
        for input in task.antecedents { body(input) }
    }

    package func forEachAwaited(by id: TaskID, _ body: (TaskID) -> Void) {
        guard let task = task(id) else { return }
        for awaited in task.awaited { body(awaited) }
        for resumer in task.resumingBlocks { body(resumer) }
    }

    package func inner(of id: TaskID) -> TaskID? {
        task(id).flatMap { $0.kind == .join ? nil : $0.inner }
    }

    package func hasSucceeded(_ id: TaskID) -> Bool {
        task(id)?.state == .succeeded
    }

    package func forEachSuccessor(of id: TaskID, _ body: (TaskID, RailKind) -> Void) {
        guard let task = task(id) else { return }
        for successor in task.successors {
            guard let view = self.task(successor) else { continue }
            if view.kind == .join {
                body(successor, .input)
            } else {
                if view.continued == id { body(successor, .continues) }
                if view.inner == id { body(successor, .inner) }
            }
        }
        for awaiter in task.awaiters where hasTask(awaiter) { body(awaiter, .awaited) }
    }
}

/// Changes of rails that events cause.
extension Rails {
    /// Collects the tasks whose rows the events may change. All kinds of event count, because the trace may have lost a task's first
    /// events.
    ///
    /// A task without a row is collected once until its update, because the update visits all its links, and there can be many.
    package mutating func noteChanges(after events: [TaskEvent], in store: TraceStore, into changes: inout [RailChange]) {
        func announce(_ task: TaskID) {
            guard task != .none, announced[task] == nil else { return }
            announced[task] = true
            changes.append(RailChange(task: task))
        }
        // By the last bits of their ids, the latest tasks that have a row or are collected. Most events are of one of them and add no link.
        var latest = [TaskID](repeating: .none, count: 256)
        for event in events {
            guard let kind = event.kind else { continue }
            let (task, other) = (event.task, event.otherTask)
            let slot = Int(truncatingIfNeeded: task.rawValue) & (latest.count - 1)
            if latest[slot] == task, !Self.canLink(kind) { continue }
            // Most blocks never have a row. The tasks that they make announce the others.
            if task.isBlock, !order.contains(task), kind != .created || !store.hasTask(task) { continue }
            let isResumed = kind == .enqueued && other.isBlock && !task.isBlock && store.task(task)?.firstAntecedent != other
            let addsEdge = kind == .created || kind == .antecedent || kind == .suspended && other != .none || isResumed
            if addsEdge, !order.contains(other) { announce(other) }
            if addsEdge, other.isBlock, !task.isBlock {
                // The blocks that led to the task have rows from now on.
                var maker = store.task(other)?.firstAntecedent
                while let block = maker, block.isBlock, !order.contains(block), announced[block] == nil {
                    announce(block)
                    maker = store.task(block)?.firstAntecedent
                }
            }
            if kind == .created || !order.contains(task) {
                announce(task)
            } else if addsEdge {
                let isAwait =
                    switch kind {
                    case .enqueued: isResumed
                    case .suspended: event.detail == SuspensionReason.task.rawValue
                    case _: event.detail == AntecedentRole.awaited.rawValue
                    }
                let isEdge = isAwait && other != task && store.task(other)?.structuredParent != task
                changes.append(RailChange(task: task, antecedent: other, isAwait: isEdge))
            }
            latest[slot] = task
        }
    }

    /// Whether events of the kind can add a link.
    private static func canLink(_ kind: EventKind) -> Bool {
        switch kind {
        case .created, .antecedent, .suspended, .enqueued: true
        case _: false
        }
    }
}
