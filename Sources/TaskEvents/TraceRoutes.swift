import CTraceLanes

/// The routes by which events reach a trace. Each route is present or absent on its own.
///
/// Hopscope's own runtime has all routes. The probe lacks the routes that the program's Swift runtime does not offer. Events of a missing
/// route are not in the trace, and facts that depend on them are unknown. The raw values are part of the format of lanes and files: later
/// versions add values and never change one.
package struct TraceRoutes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(_ route: trace_route) {
        self.init(rawValue: route.rawValue)
    }

    /// The creation of tasks: `created`.
    package static let created = TraceRoutes(TRACE_ROUTE_CREATED)
    /// The names that the program gives its tasks.
    package static let names = TraceRoutes(TRACE_ROUTE_NAMES)
    /// The queues that jobs enter: `enqueued`.
    package static let queues = TraceRoutes(TRACE_ROUTE_QUEUES)
    /// The times at which tasks run and suspend: `started`, `suspended`, `resumed`.
    package static let slices = TraceRoutes(TRACE_ROUTE_SLICES)
    /// The reason of a suspension, and the awaited task.
    package static let waits = TraceRoutes(TRACE_ROUTE_WAITS)
    /// Inline hops onto a free actor: `hopped`.
    package static let hops = TraceRoutes(TRACE_ROUTE_HOPS)
    /// The ends of tasks, and their outcomes: `completed`, `faulted`, `cancelled`.
    package static let ends = TraceRoutes(TRACE_ROUTE_ENDS)
    /// The locations that throw errors.
    package static let thrown = TraceRoutes(TRACE_ROUTE_THROWN)
    /// Reads of a task's value or error: `errorRead`, and antecedents with the role `awaited`.
    package static let read = TraceRoutes(TRACE_ROUTE_READ)
    /// The release of the last reference to a failed task: `released`.
    package static let released = TraceRoutes(TRACE_ROUTE_RELEASED)
    /// Requests to cancel a task: `cancellationAsked`.
    package static let cancellation = TraceRoutes(TRACE_ROUTE_CANCELLATION)
    /// Continuations that are dropped without being resumed: `released` of a suspended task.
    package static let continuations = TraceRoutes(TRACE_ROUTE_CONTINUATIONS)
    /// Threads that block inside tasks: `waitBegan`, `waitEnded`.
    package static let blocking = TraceRoutes(TRACE_ROUTE_BLOCKING)
    /// Blocks that the program gives to Dispatch, run loops and operation queues: tasks of the kind `block`.
    package static let blocks = TraceRoutes(TRACE_ROUTE_BLOCKS)

    /// Looks at the flag that tells a task of its cancellation, and throws of `CancellationError`: `cancellationSeen`.
    package static let looks = TraceRoutes(TRACE_ROUTE_LOOKS)

    /// The release of an ended child of a group, whose outcome was taken: `released`. Until then the group keeps the child.
    package static let children = TraceRoutes(TRACE_ROUTE_CHILDREN)

    /// No route, but a mark: the events are the differences between snapshots. A task's state is true at the latest snapshot, and changes
    /// between two snapshots are missing.
    package static let sampled = TraceRoutes(rawValue: 1 << 31)

    package static let all = TraceRoutes(named.map(\.route))

    /// Each route with the word that reports and settings use.
    package static let named: [(name: String, route: TraceRoutes)] = [
        ("created", .created), ("names", .names), ("queues", .queues), ("slices", .slices), ("waits", .waits), ("hops", .hops),
        ("ends", .ends), ("thrown", .thrown), ("read", .read), ("released", .released), ("cancellation", .cancellation),
        ("continuations", .continuations), ("blocking", .blocking), ("blocks", .blocks), ("looks", .looks),
        ("children", .children),
    ]

    /// The words for the routes in this set.
    package var names: [String] {
        Self.named.filter { contains($0.route) }.map(\.name)
    }
}
