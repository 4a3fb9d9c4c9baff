import TaskEvents

/// What one can step to through a trace.
package enum EventSearch: Hashable, Sendable {
    case any
    case fault
    case hop
    /// An event of a task of the chain with that id.
    case chain(TaskID)

    /// The kinds that can be it.
    var kinds: EventKinds {
        switch self {
        case .any, .chain: .all
        case .fault: EventKinds(.faulted)
        case .hop: EventKinds(.hopped)
        }
    }
}

/// Tells whether an event is the one that is looked for. Events are shown to it in the order of the search.
struct EventMatcher {
    private let search: EventSearch
    private let store: TraceStore
    private let latest: TraceStore
    /// Tasks that joined the chain after the state where the search begins.
    private var joined: Set<TaskID> = []

    /// - Parameters:
    ///   - store: the state where the search begins.
    ///   - latest: the state where it can end: it knows tasks that the other has yet to see.
    init(_ search: EventSearch, from store: TraceStore, latest: TraceStore) {
        self.search = search
        self.store = store
        self.latest = latest
    }

    mutating func matches(_ event: TaskEvent) -> Bool {
        switch search {
        case .any: return true
        case .fault: return event.kind == .faulted
        case .hop: return event.kind == .hopped
        case .chain(let chain): return event.task != .none && isOfChain(event, chain)
        }
    }

    private mutating func isOfChain(_ event: TaskEvent, _ chain: TaskID) -> Bool {
        if isOfChain(event.task, chain) { return true }
        guard event.kind == .created, TaskKind(rawValue: event.detail)?.continuesAChain ?? false,
            isOfChain(TaskID(rawValue: event.other), chain)
        else { return false }
        joined.insert(event.task)
        return true
    }

    private func isOfChain(_ task: TaskID, _ chain: TaskID) -> Bool {
        task == chain || store.task(task)?.chain == chain || joined.contains(task) || latest.task(task)?.chain == chain
    }
}
