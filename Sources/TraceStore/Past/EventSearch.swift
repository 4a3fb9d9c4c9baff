import TaskEvents

/// The events that a step through a trace can stop at.
package enum EventSearch: Hashable, Sendable {
    case any
    case fault
    case hop
    /// A remark that leads through the trace.
    case remark
    /// An event of any task in the chain with this id.
    case chain(TaskID)

    /// The kinds that a matching event can have.
    var kinds: EventKinds {
        switch self {
        case .any, .chain: .all
        case .fault: EventKinds(.faulted)
        case .hop: EventKinds(.hopped)
        case .remark: EventKinds(.mark)
        }
    }
}

/// A search from the cursor for the next or previous event that matches. ``TraceHistory/advance(_:limit:)`` searches a portion.
package struct EventWalk {
    package enum Outcome: Hashable, Sendable {
        case found(Int)
        case nothing
        case unfinished
    }

    package enum Direction: Hashable, Sendable {
        case back, forward
    }

    package let direction: Direction
    /// The number of the next event to look at.
    package internal(set) var next: Int
    let kinds: EventKinds
    var matcher: EventMatcher

    init(_ search: EventSearch, _ direction: Direction, _ matcher: EventMatcher, next: Int) {
        self.direction = direction
        self.next = next
        kinds = search.kinds
        self.matcher = matcher
    }
}

/// Tests events against a search. Events must be passed in the order of the search.
struct EventMatcher {
    private let search: EventSearch
    private let store: TraceStore
    private let latest: TraceStore
    /// Tasks that joined the chain after the state in which the search begins.
    private var joined: Set<TaskID> = []

    /// - Parameters:
    ///   - store: the state in which the search begins.
    ///   - latest: the state in which it can end. It knows tasks that `store` has not seen yet.
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
        case .remark: return event.isRemark
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

extension TaskEvent {
    /// Whether it is a remark that leads through the trace.
    package var isRemark: Bool { kind == .mark && detail == MarkManner.guide.rawValue }
}
