import CTraceLanes
import Glibc
import TaskEvents

/// A thread that runs one closure and none of the program's signal handlers. It does not use Foundation, which the core does not import.
package struct WorkerThread: Sendable {
    private final class Work {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    private let thread: pthread_t

    /// The system's reason to refuse a thread or a process with EAGAIN, as a clause.
    package static let noneLeft = "this user or container may have no more processes and threads ('ulimit -u')"

    /// Starts the thread. The kernel shows the first 15 bytes of its name. Throws if the system makes no more threads.
    package init(name: String = "hopscope", _ body: @escaping @Sendable () -> Void) throws(TraceProblem) {
        let work = Unmanaged.passRetained(Work(name: name, body)).toOpaque()
        var thread = pthread_t()
        // A new thread inherits its creator's signal mask. Signals that an instruction raises stay open: blocked, they end the process.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        for signal in [SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP] { sigdelset(&all, signal) }
        pthread_sigmask(SIG_SETMASK, &all, &before)
        let error = pthread_create(
            &thread, nil,
            { work in
                let work = Unmanaged<Work>.fromOpaque(work!).takeRetainedValue()
                trace_thread_set_name(work.name)
                work.body()
                return nil
            }, work)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard error == 0 else {
            Unmanaged<Work>.fromOpaque(work).release()
            throw TraceProblem(
                .unavailable, "No thread could be made: \(error == EAGAIN ? Self.noneLeft : TraceProblem.words(of: error)).")
        }
        self.thread = thread
    }

    /// Waits until the closure returns. Call it at most once, and never after ``detach()``.
    package func join() {
        pthread_join(thread, nil)
    }

    /// Detaches the thread, which then cannot be joined.
    package func detach() {
        pthread_detach(thread)
    }
}
