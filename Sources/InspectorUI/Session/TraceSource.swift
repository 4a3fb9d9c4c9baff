import TraceFile
import TraceStore

/// Where the inspector's events come from: a collector in this process, a file, another process.
package protocol TraceSource {
    /// What came since the last call, in order; never waits.
    func take() -> [TraceBatch]

    /// A batch without events that carries names found for earlier events; it may come long after them, even after the end.
    func takeNames() -> TraceBatch?

    /// The trace's time, in nanoseconds from its start.
    var now: UInt64 { get }

    /// From this time of the trace on nothing is missing; before it, lanes had been overrun when they were first read. 0 if none had.
    var completeSince: UInt64 { get }

    /// Whether nothing comes any more. Asked before the last `take`, so that what came just before the end is not missed.
    var hasEnded: Bool { get }
}

extension TraceSource {
    package var completeSince: UInt64 { 0 }

    package func takeNames() -> TraceBatch? { nil }
}
