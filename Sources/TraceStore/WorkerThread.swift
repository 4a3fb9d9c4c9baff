#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// A thread that runs one closure. Without Foundation, which the fold's module does not import.
package struct WorkerThread: Sendable {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private let thread: pthread_t

    package init(_ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(body)).toOpaque()
        var thread = pthread_t()
        let error = pthread_create(&thread, nil, { work in
            Unmanaged<Work>.fromOpaque(work!).takeRetainedValue().body()
            return nil
        }, work)
        precondition(error == 0, "the machine lends no thread: error \(error)")
        self.thread = thread
    }

    /// Waits for the closure's end. Once.
    package func join() {
        pthread_join(thread, nil)
    }
}
