import TaskEvents
import TraceStore

/// The cause that keeps a task from running, for a task that has begun or could begin.
package struct WaitsFor: Hashable, Sendable {
    /// The kind of cause. Reports and queries spell the raw values.
    package enum Kind: String, CaseIterable, Sendable {
        /// A turn on an executor.
        case executor
        /// The end of another task.
        case task
        /// The resumption of a continuation.
        case continuation
        /// The next child of its group, or all of them.
        case group
        /// A time.
        case timer
        /// A condition, or its turn in a category.
        case condition
        /// An asynchronous call about which the trace has no more facts.
        case call
    }

    package var kind: Kind
    /// The awaited task, or the task that holds the executor. `.none` if there is none, or if it is unknown.
    package var task: TaskID
    /// The executor in whose queue it waits. `.none` for every other wait.
    package var executor: ExecutorID
    /// The calls that the task is in, or the condition's name. `.none` if the trace does not have them.
    package var calls: EntryID

    package init(_ kind: Kind, task: TaskID = .none, executor: ExecutorID = .none, calls: EntryID = .none) {
        self.kind = kind
        self.task = task
        self.executor = executor
        self.calls = calls
    }

    /// Nil for a task that runs or has ended, and for a wait whose cause is unknown.
    package init?(_ task: TaskView, in store: TraceStore) {
        switch task.state {
        case .running, .succeeded, .faulted, .cancelled: return nil
        case .queued:
            let executor = task.queuedOn
            let holder = store.executor(executor)?.running.first { $0.task != task.id }
            self.init(.executor, task: holder?.task ?? .none, executor: executor)
        case .suspended: self.init(suspended: task, in: store)
        case .pending:
            if task.kind == .delay {
                self.init(.timer)
            } else if let awaited = task.openAntecedent(in: store) {
                self.init(.task, task: awaited)
            } else {
                return nil
            }
        }
    }

    private init?(suspended task: TaskView, in store: TraceStore) {
        let calls = task.awaitedCalls
        // A continuation may be the way in which another task hands over its value.
        if let awaited = task.waitsFor {
            self.init(.task, task: awaited, calls: calls)
            return
        }
        switch task.suspension {
        case .innerTask, .task, nil: return nil
        case .condition: self.init(.condition, calls: calls)
        case .group: self.init(.group, calls: calls)
        case .continuation: self.init(store.sleeps(in: calls) ? .timer : .continuation, calls: calls)
        case .awaiting: self.init(store.sleeps(in: calls) ? .timer : .call, calls: calls)
        case .executor: self.init(.executor, executor: task.executor)
        }
    }

    /// Its position in the executor's queue, the next job being 1. Nil for a task in no queue. The cost is the length of the queue.
    package func position(of task: TaskID, in store: TraceStore) -> Int? {
        guard kind == .executor, let queue = store.executor(executor)?.queue else { return nil }
        var position = 0
        for job in queue {
            position += 1
            if job.task == task { return position }
        }
        return nil
    }

    /// The place in the program where it waits. Nil if unknown.
    package func place(in store: TraceStore) -> String? {
        let site = store.calls(of: calls).first?.site ?? ""
        return site.isEmpty ? nil : PrintableText.text(site)
    }

    /// The words that a query matches: the kind, and the name of the executor, the task or the condition.
    func names(in store: TraceStore) -> [String] {
        var names = [kind.rawValue]
        if executor != .none { names.append(store.description(of: executor).name) }
        if kind == .task, let task = store.task(task) { names.append(task.label.name) }
        if kind == .condition { names.append(store.conditionName(calls)) }
        return names
    }

    /// In a few words: `main`, `` `load` ``, `a continuation at Main.swift:12`, `a timer`.
    package func text(in store: TraceStore) -> String {
        let place = place(in: store).map { " at \($0)" } ?? ""
        let words = TaskWords(store)
        switch kind {
        case .executor: return words.name(executor)
        case .task: return store.task(task).map { "`\(words.name(of: $0))`" } ?? "task \(task.rawValue)"
        case .continuation: return "a continuation\(place)"
        case .group: return "its group\(place)"
        case .timer: return "a timer\(place)"
        case .condition:
            let name = PrintableText.text(store.conditionName(calls))
            return name.isEmpty ? "a condition" : "condition \(name)"
        case .call: return "a call\(place)"
        }
    }
}

extension TaskView {
    /// The first task that it continues or joins and that has not ended.
    fileprivate func openAntecedent(in store: TraceStore) -> TaskID? {
        guard kind == .continuation || kind == .join else { return nil }
        return antecedents.first { store.task($0)?.state.hasEnded == false }
    }
}
