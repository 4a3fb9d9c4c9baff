import TraceStore

/// A recording as it is looked at: nothing comes but what the file grows by, and the timeline reads that itself.
package final class RecordingSource: TraceSource {
    private let recording: HopReader
    private let isGrowing: () -> Bool
    private var isOver = false

    /// - Parameter isGrowing: whether somebody may still write to the file; asked a frame at a time until it says no, and not at all once the
    ///   recording is complete.
    package init(_ recording: HopReader, isGrowing: @escaping () -> Bool = { false }) {
        self.recording = recording
        self.isGrowing = isGrowing
    }

    package func take() -> [TraceBatch] {
        recording.refresh()
        return []
    }

    /// Time stands still between the events.
    package var now: UInt64 { 0 }

    package var hasEnded: Bool {
        if !isOver { isOver = recording.isComplete || !isGrowing() }
        return isOver
    }
}
