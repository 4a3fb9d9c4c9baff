import Synchronization
import TraceTransport

/// A publication that lets `hopscope attach` connect to the program. Releasing this object changes nothing; ``stop()`` ends the
/// publication.
public final class Publication: Sendable {
    /// The file that `hopscope attach` reads.
    public let path: String

    private let isStopped = Atomic<Bool>(false)

    init(path: String) {
        self.path = path
    }

    /// Ends the publication. The file is removed unless another publication is active or `HOPSCOPE` in the environment publishes the
    /// program. A reader that is already attached sees the events emitted until now. Any thread can call it; further calls do nothing.
    public func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        ProcessTrace.shared.withdraw()
    }
}
