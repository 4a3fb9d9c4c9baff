import CTraceLanes

/// The ways in which a trace learns of what happens, each by itself.
///
/// Hopscope's own runtime has them all. The probe lacks those that the Swift runtime of the program does not offer; then no event of that
/// sort is in the trace, and what rests on one is unknown. The raw values are the format of lanes and files: they are added to, never
/// changed.
package struct TraceRoutes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(_ route: trace_route) {
        self.init(rawValue: route.rawValue)
    }

    /// Tasks are made: `created`.
    package static let created = TraceRoutes(TRACE_ROUTE_CREATED)
    /// Tasks have the names that the program gives them.
    package static let names = TraceRoutes(TRACE_ROUTE_NAMES)
    /// Tasks enter queues, and which: `enqueued`.
    package static let queues = TraceRoutes(TRACE_ROUTE_QUEUES)
    /// Tasks run and suspend: `started`, `suspended`, `resumed`.
    package static let slices = TraceRoutes(TRACE_ROUTE_SLICES)
    /// A suspended task has a reason, and the task that it awaits.
    package static let waits = TraceRoutes(TRACE_ROUTE_WAITS)
    /// Tasks take an actor that is free: `hopped`, inline.
    package static let hops = TraceRoutes(TRACE_ROUTE_HOPS)
    /// Tasks end, and how: `completed`, `faulted`, `cancelled`.
    package static let ends = TraceRoutes(TRACE_ROUTE_ENDS)
    /// Errors have the place that threw them.
    package static let thrown = TraceRoutes(TRACE_ROUTE_THROWN)
    /// A task's value, or its error, is taken: `errorRead`, and the antecedents that are awaited.
    package static let read = TraceRoutes(TRACE_ROUTE_READ)
    /// The last reference to a failed task goes: `released`.
    package static let released = TraceRoutes(TRACE_ROUTE_RELEASED)
    /// Tasks are asked to stop: `cancellationAsked`.
    package static let cancellation = TraceRoutes(TRACE_ROUTE_CANCELLATION)
    /// Continuations are dropped that were never resumed: `released` of a suspended task.
    package static let continuations = TraceRoutes(TRACE_ROUTE_CONTINUATIONS)
    /// Threads block inside tasks: `waitBegan`, `waitEnded`.
    package static let blocking = TraceRoutes(TRACE_ROUTE_BLOCKING)

    package static let all = TraceRoutes(named.map(\.route))

    /// Each route with the word that reports and settings use.
    package static let named: [(name: String, route: TraceRoutes)] = [
        ("created", .created), ("names", .names), ("queues", .queues), ("slices", .slices), ("waits", .waits), ("hops", .hops),
        ("ends", .ends), ("thrown", .thrown), ("read", .read), ("released", .released), ("cancellation", .cancellation),
        ("continuations", .continuations), ("blocking", .blocking),
    ]

    /// The words of its routes.
    package var names: [String] {
        Self.named.filter { contains($0.route) }.map(\.name)
    }
}

extension EntryTable {
    /// The routes that tell of a task of that kind.
    package func routes(of kind: TaskKind) -> TraceRoutes {
        kind.isOfSwift ? swiftRoutes : .all
    }
}
