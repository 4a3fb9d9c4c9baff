import TaskEvents
import TraceStore

/// The cause that keeps a task from running: one link of a ``WaitChain``. Screens, queries and reports read it here.
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
        /// The call that sets a source.
        case source
        /// A call that blocks the thread, perhaps until another task has ended.
        case thread
        /// An asynchronous call about which the trace has no more facts.
        case call
    }

    package var kind: Kind
    /// The awaited task. `.none` if there is none, or if it is unknown.
    package var task: TaskID
    /// The executor in whose queue it waits. `.none` for every other wait.
    package var executor: ExecutorID
    /// The calls that the task is in, the condition's label, or the label of the blocking call. `.none` if the trace does not have them.
    package var calls: EntryID
    /// What a look from outside showed, where the trace does not have the calls.
    private var sight: OutsideView.Sight?

    package init(
        _ kind: Kind, task: TaskID = .none, executor: ExecutorID = .none, calls: EntryID = .none, sight: OutsideView.Sight? = nil
    ) {
        self.sight = sight
        self.kind = kind
        self.task = task
        self.executor = executor
        self.calls = calls
    }

    /// Nil for a task that has ended, or that runs and does not block its thread, and for a wait whose cause is unknown.
    package init?(_ task: TaskView, in store: TraceStore) {
        switch task.state {
        case .succeeded, .faulted, .cancelled: return nil
        case .running:
            if let wait = task.threadWait {
                self.init(.thread, task: wait.open(in: store), calls: wait.calls)
            } else if let sight = store.sight(of: task), sight.blockingCall != nil {
                self.init(.thread, sight: sight)
            } else {
                return nil
            }
        case .queued: self.init(.executor, executor: task.queuedOn, calls: task.awaitedCalls)
        case .suspended:
            self.init(suspended: task, in: store)
            if site(in: store) == nil { sight = store.sight(of: task) }
        case .pending:
            if task.kind == .delay {
                self.init(.timer)
            } else if task.kind == .source {
                self.init(.source, calls: task.labelID)
            } else if let awaited = task.firstOpenAntecedent(in: store) {
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

    /// A number that orders tasks by the causes of their waits: tasks with the same cause have equal numbers. Nil for a task without a
    /// known cause. It is cheaper than the cause itself, because a list sorts a million tasks by it.
    package static func order(of task: TaskView, in store: TraceStore) -> UInt64? {
        func number(_ rank: UInt64, _ id: UInt64) -> UInt64 { rank << 60 | id & (1 << 60 - 1) }
        switch task.state {
        case .succeeded, .faulted, .cancelled: return nil
        case .running: return task.threadWait.map { $0.task == .none ? number(1, UInt64($0.calls.rawValue)) : number(2, $0.task.rawValue) }
        case .queued: return number(0, UInt64(task.queuedOn.rawValue))
        case .suspended:
            return task.waitsFor.map { number(2, $0.rawValue) } ?? number(3, UInt64(task.awaitedCalls.rawValue))
        case .pending:
            switch task.kind {
            case .delay: return number(4, 0)
            case .source: return number(5, 0)
            case _: return task.firstOpenAntecedent(in: store).map { number(2, $0.rawValue) }
            }
        }
    }

    /// The jobs that run on the executor in whose queue it waits, in the order of their starts.
    package func holders(in store: TraceStore) -> [RunningJob] {
        kind == .executor ? store.executor(executor)?.running ?? [] : []
    }

    /// What main's thread does while a job waits for main and none runs there, as a look from outside since `since` saw it: `blocks in
    /// DispatchSemaphore.wait(), App.swift:12`. Nil if that is unknown.
    func mainActivity(since: UInt64?, in store: TraceStore) -> String? {
        guard kind == .executor, let since, let sight = store.sight(ofMain: executor, since: since) else { return nil }
        if let call = sight.blockingCall { return "blocks in \(call)" + (sight.site.map { ", \($0.site)" } ?? "") }
        return sight.computedSite.map { "computes in \($0)" }
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
    package func site(in store: TraceStore) -> String? {
        let site = store.symbol(ofCall: calls)?.site ?? store.entries.label(calls)?.site ?? sight?.site?.site ?? ""
        return site.isEmpty ? nil : PrintableText.text(site)
    }

    /// The same without the file's folder.
    package func shortSite(in store: TraceStore) -> String? { site(in: store)?.split(separator: "/").last.map(String.init) }

    /// The function in which it waits. Nil if unknown.
    package func function(in store: TraceStore) -> String? {
        let name = store.calls(of: calls).first?.name ?? store.entries.label(calls)?.name ?? sight?.blockingCall ?? ""
        return name.isEmpty ? nil : PrintableText.text(name)
    }

    /// The words that a query matches: the kind, and the name of the executor, the task or the condition.
    func names(in store: TraceStore) -> [String] {
        var names = [kind.rawValue]
        if executor != .none { names.append(store.description(of: executor).name) }
        if let task = store.task(task) { names.append(task.label.fullName) }
        if kind == .condition { names.append(store.conditionName(calls)) }
        return names
    }

    /// The continuation that it awaits, in words. The runtime's own of a stream is resumed by the stream's next value.
    func continuation(in store: TraceStore) -> String {
        store.readsStream(in: calls) ? "the next value of a stream" : "a continuation that nothing has resumed"
    }

    /// In a few words: `main`, `` `load` ``, `a continuation at Main.swift:12`, `a timer`.
    package func text(in store: TraceStore) -> String {
        let site = site(in: store).map { " at \($0)" } ?? ""
        let words = TaskWords(store)
        switch kind {
        case .executor: return words.name(executor)
        case .task: return "`\(words.name(of: task))`"
        case .thread: return task == .none ? "a blocking call\(site)" : "`\(words.name(of: task))`"
        case .continuation: return "a continuation\(site)"
        case .group: return "its group\(site)"
        case .timer: return "a timer\(site)"
        case .source: return "its value"
        case .condition:
            let name = PrintableText.text(store.conditionName(calls))
            return name.isEmpty ? "a condition" : "condition \(name)"
        case .call: return "a call\(site)"
        }
    }
}

extension ThreadWait {
    /// The awaited task. `.none` for a block that has ended, because the thread waits for a group of blocks of which it was one.
    func open(in store: TraceStore) -> TaskID {
        task.isBlock && store.task(task)?.state.hasEnded == true ? .none : task
    }
}

extension TaskView {
    /// The tasks that it continues or joins and that have not ended. Empty for a task that continues and joins nothing.
    package func openAntecedents(in store: TraceStore) -> LazyFilterSequence<LinkedTasks> {
        let isWaiting = kind == .continuation || kind == .join
        return antecedents.lazy.filter { isWaiting && store.task($0)?.state.hasEnded == false }
    }

    fileprivate func firstOpenAntecedent(in store: TraceStore) -> TaskID? {
        openAntecedents(in: store).first { _ in true }
    }
}
