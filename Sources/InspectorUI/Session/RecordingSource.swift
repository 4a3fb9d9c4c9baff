import TaskEvents
import TraceTransport

/// The source for a recording. It delivers no events, because the history itself reads the file's new events.
package final class RecordingSource: TraceSource {
    private let recording: any RecordedTrace
    private let isGrowing: () -> Bool
    private let names: () -> FoundNames?
    private var hasNames = false
    private var isOver = false

    /// - Parameters:
    ///   - isGrowing: whether the file may still grow. Called once per frame until it returns false or the recording is complete.
    ///   - names: the names for the code addresses in the recording. Nil while the search runs. Called once per frame until it returns
    ///     names.
    package init(
        _ recording: any RecordedTrace, isGrowing: @escaping () -> Bool = { false },
        names: @escaping () -> FoundNames? = { FoundNames() }
    ) {
        self.recording = recording
        self.isGrowing = isGrowing
        self.names = names
    }

    package func take() -> [TraceBatch] {
        recording.refresh()
        if !hasNames, let found = names() {
            hasNames = true
            recording.learn(found)
        }
        return []
    }

    /// Time does not pass between events.
    package var now: UInt64 { 0 }

    package var sawExit: Bool { recording.sawExit == true }

    package var hasEnded: Bool {
        // Names can still arrive after the last event.
        if !isOver { isOver = hasNames && (recording.isComplete || !isGrowing()) }
        return isOver
    }
}
