import TraceTransport

/// The source of the inspector's events: a collector in this process, a file, or another process.
package protocol TraceSource {
    /// The batches since the last call, in order. Never waits.
    func take() -> [TraceBatch]

    /// A batch without events that carries names for earlier events. It can come long after them, even after the end.
    func takeNames() -> TraceBatch?

    /// Whether further names for earlier events are being looked up.
    var isFindingNames: Bool { get }

    /// The trace's time, in nanoseconds from its start.
    var now: UInt64 { get }

    /// The time from which on no event is missing. The lanes lost earlier events before their first read. 0 if no events were lost.
    var completeSince: UInt64 { get }

    /// The way in which the inspector gets the events, for the header: `snapshots, 2 a second`. Nil if the program emits them itself.
    var route: String? { get }

    /// Looks at the traced process from outside. Nil if there is no process to look at.
    var outside: (any OutsideLook)? { get }

    /// Whether gates of the program hold jobs. False for a program that does not say.
    var holdsJobs: Bool { get }

    /// Whether no further event comes. Read before the last `take`, so that events just before the end are not missed.
    var hasEnded: Bool { get }

    /// Whether the trace shows the program's end. Asked when the trace has ended.
    var sawExit: Bool { get }
}

extension TraceSource {
    package var completeSince: UInt64 { 0 }

    package var route: String? { nil }

    package var outside: (any OutsideLook)? { nil }

    package var holdsJobs: Bool { false }

    package var sawExit: Bool { true }

    package func takeNames() -> TraceBatch? { nil }

    package var isFindingNames: Bool { false }
}
