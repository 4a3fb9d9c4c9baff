import TaskEvents
import TraceFile
import TraceStore

/// A recording as it is looked at: nothing comes but what the file grows by, and the history reads that itself.
package final class RecordingSource: TraceSource {
    private let recording: TraceFileReader
    private let isGrowing: () -> Bool
    private let names: () -> [CodePlace: CodeSymbol]?
    private var hasNames = false
    private var isOver = false

    /// - Parameters:
    ///   - isGrowing: whether the file may still grow; asked once a frame until it says no, and not at all once the
    ///     recording is complete.
    ///   - names: the names of what the recording knows by its place in a program; nil as long as they are looked for. Asked a frame at a time.
    package init(
        _ recording: TraceFileReader, isGrowing: @escaping () -> Bool = { false }, names: @escaping () -> [CodePlace: CodeSymbol]? = { [:] }
    ) {
        self.recording = recording
        self.isGrowing = isGrowing
        self.names = names
    }

    package func take() -> [TraceBatch] {
        recording.refresh()
        if !hasNames, let symbols = names() {
            hasNames = true
            recording.learn(symbols)
        }
        return []
    }

    /// Time stands still between the events.
    package var now: UInt64 { 0 }

    package var hasEnded: Bool {
        // Names may still come after the last event.
        if !isOver { isOver = hasNames && (recording.isComplete || !isGrowing()) }
        return isOver
    }
}
