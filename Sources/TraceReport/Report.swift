import TraceAnalysis
import TraceStore

/// A trace's report, as JSON (``writeJSON(to:)``) or as text (``writeText(to:isASCII:)``).
///
/// Reads the store while it writes, so the store must not change meanwhile; both belong to one thread.
package struct Report {
    let store: TraceStore
    let program: String
    let warnings: WarningList
    let steps: TaskSteps?

    /// `warnings` is the list of the rules' findings; nil applies the rules to the store with their default thresholds. A caller that feeds
    /// the store more events than it keeps must run a ``WarningEngine`` alongside and pass its list.
    ///
    /// - Parameter steps: the steps of all tasks, if the trace has a profile of its threads.
    package init(of store: TraceStore, program: String, warnings: WarningList? = nil, steps: TaskSteps? = nil) {
        self.store = store
        self.steps = steps
        self.program = program
        self.warnings = warnings ?? WarningEngine().list(in: store, isOver: store.end != .cut)
    }
}
