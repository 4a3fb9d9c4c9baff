import TraceAnalysis
import TraceStore

/// What happened in a trace, for programs (``writeJSON(to:)``) and for people (``writeText(to:isASCII:)``).
///
/// It reads the store as it writes and keeps nothing, so the store must not change meanwhile; both belong to one thread.
package struct Report {
    let store: TraceStore
    /// The name of the program that was inspected.
    let program: String

    package init(of store: TraceStore, program: String) {
        self.store = store
        self.program = program
    }
}
