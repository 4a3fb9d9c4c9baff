import TaskEvents
import TraceStore

/// The store's tasks as a graph for rails.
extension TraceStore: RailGraph {
    package func hasTask(_ task: TaskID) -> Bool {
        row(of: task) != nil
    }

    package func continued(by id: TaskID) -> TaskID? {
        task(id).flatMap(\.continued)
    }

    package func chain(of id: TaskID) -> TaskID {
        task(id)?.chain ?? id
    }

    package func forEachInput(of id: TaskID, _ body: (TaskID) -> Void) {
        guard let task = task(id), task.kind == .join else { return }
        for input in task.antecedents { body(input) }
    }

    package func forEachAwaited(by id: TaskID, _ body: (TaskID) -> Void) {
        guard let task = task(id) else { return }
        for awaited in task.awaited { body(awaited) }
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

extension TaskView {
    /// The task that this one continues: its first antecedent, unless it is a join or that one is only what its body returned.
    package var continued: TaskID? {
        guard kind != .join else { return nil }
        var antecedents = antecedents
        guard let first = antecedents.next() else { return nil }
        return antecedents.next() == nil && first == inner ? nil : first
    }
}

/// Bringing rails up to date from what happened.
extension Rails {
    /// The tasks whose rows the events may change, each once or a few times.
    ///
    /// A task of which the trace has lost the beginning shows up with whatever event comes first; that is why all kinds are looked at.
    package func tasksToUpdate(after events: some Sequence<TaskEvent>, in store: TraceStore, into tasks: inout [TaskID]) {
        func note(_ task: TaskID) {
            if task != .none, tasks.last != task { tasks.append(task) }
        }
        for event in events {
            guard let kind = event.kind else { continue }
            let addsEdge = kind == .created || kind == .antecedent || kind == .suspended && event.otherTask != .none
            if addsEdge, event.otherTask != .none, !order.contains(event.otherTask) { note(event.otherTask) }
            if addsEdge || !order.contains(event.task) { note(event.task) }
        }
    }
}
