import Synchronization
import TaskEvents
import TraceStore
import TraceTransport

/// A recording under way: a file that `hopscope replay`, `report` and `check` read, already while it grows.
///
/// It ends with ``stop()``, or with the program; then the file has all but the last tenth of a second. Letting it go does not end it.
public final class Recording: Sendable {
    /// The file, as it was named.
    public let path: String

    private let recorder: TraceRecorder
    private let isStopped = Atomic<Bool>(false)

    init(path: String, recorder: TraceRecorder) {
        self.path = path
        self.recorder = recorder
    }

    /// Ends it. When it returns, everything that was emitted before the call is in the file; nothing emitted after it is. From any thread;
    /// does nothing the second time.
    ///
    /// - Throws: what kept the file from being written, now or earlier: a full disk.
    public func stop() throws {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        defer { ProcessTrace.shared.leave() }
        try recorder.stop()
    }
}
