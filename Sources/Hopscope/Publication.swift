import Synchronization
import TaskEvents
import TraceTransport

/// That the program can be attached to. Letting it go changes nothing; ``stop()`` ends it.
public final class Publication: Sendable {
    /// The file that `hopscope attach` reads.
    public let path: String

    private let isStopped = Atomic<Bool>(false)

    init(path: String) {
        self.path = path
    }

    /// Ends it: the file goes, unless something else publishes as well, and who reads it already sees what was emitted until now. From any
    /// thread; does nothing the second time.
    public func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        ProcessTrace.shared.withdraw()
    }
}
