import TraceAnalysis
import TraceStore

/// A format of another tool. Each is a type in a file of its own, and an entry of ``ExportFormat/all``.
protocol Export: SendableMetatype {
    /// The argument of `--to`. It never changes.
    static var name: String { get }
    /// The description in the help.
    static var summary: String { get }

    /// Whether it writes the samples of a profile, if there is one.
    static var takesProfile: Bool { get }
    /// Whether it writes nothing else.
    static var needsProfile: Bool { get }

    init(trace: Exporter)
    func write(to output: inout some TextOutputStream)
    /// The bytes of a format that is no text; nil for text.
    var bytes: [UInt8]? { get }
}

extension Export {
    static var takesProfile: Bool { needsProfile }
    static var needsProfile: Bool { false }
    var bytes: [UInt8]? { nil }
}

/// A trace with what the formats of other tools need of it.
///
/// Writes during the read, so memory does not grow with the trace. Two exports of one trace are identical. Names and errors of the
/// inspected program are escaped. The store must not change during a write; one thread uses both.
package struct Exporter {
    let store: TraceStore
    let program: String
    let start: UInt64
    let events: any Sequence<NumberedEvent>
    private let givenWarnings: WarningList?
    /// The samples, for the formats that need them.
    package var profile: ProfiledTrace?

    /// - Parameters:
    ///   - store: has folded all of `events`.
    ///   - program: the name of the inspected program.
    ///   - start: the trace's start in nanoseconds of Unix time, 0 if unknown. Only `otlp` and `tables` write it.
    ///   - events: all events in order. Only `perfetto` and `jsonl` read them.
    ///   - warnings: the findings, which only `tables` writes. If nil, the rules are applied to the events that the store still has.
    package init(
        of store: TraceStore, program: String, startedAt start: UInt64, events: any Sequence<NumberedEvent>,
        warnings: WarningList? = nil
    ) {
        self.store = store
        self.program = program
        self.start = start
        self.events = events
        givenWarnings = warnings
    }

    var warnings: WarningList { givenWarnings ?? WarningEngine().list(in: store, isOver: store.end != .cut) }
}
