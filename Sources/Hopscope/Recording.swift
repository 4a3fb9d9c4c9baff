import Synchronization
import TraceStore
import TraceTransport

/// A recording in progress: a file that `hopscope replay`, `report` and `check` can read, even while it grows.
///
/// It ends with ``stop()`` or with the program. If the program ends first, the file can lack the last tenth of a second. Releasing this
/// object does not end the recording.
public final class Recording: Sendable {
    /// The path of the file, as passed to `record(to:)`.
    public let path: String

    private let recorder: TraceRecorder
    private let isStopped = Atomic<Bool>(false)

    init(path: String, recorder: TraceRecorder) {
        self.path = path
        self.recorder = recorder
    }

    /// Ends the recording. On return, the file contains every event emitted before the call and none emitted after it. Any thread can call
    /// it; further calls do nothing.
    ///
    /// - Throws: the error that stopped the file from being written, now or earlier, such as a full disk.
    public func stop() throws(HopscopeError) {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        defer { ProcessTrace.shared.leave() }
        try HopscopeError.wrap { try recorder.stop() }
    }
}
