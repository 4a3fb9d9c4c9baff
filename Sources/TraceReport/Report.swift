import TraceAnalysis
import TraceStore

/// What happened in a trace, for programs (``writeJSON(to:)``) and for people (``writeText(to:isASCII:)``).
///
/// It reads the store as it writes and keeps nothing, so the store must not change meanwhile; both belong to one thread.
package struct Report {
    let store: TraceStore
    /// The name of the program that was inspected.
    let program: String
    let warnings: WarningList

    /// `warnings` is what the rules found; nil asks them, by their own thresholds, as of a trace that is over. Whoever feeds the store more
    /// events than it keeps lets a ``WarningEngine`` follow and hands its list over.
    package init(of store: TraceStore, program: String, warnings: WarningList? = nil) {
        self.store = store
        self.program = program
        self.warnings = warnings ?? WarningEngine().list(in: store, isOver: true)
    }
}
