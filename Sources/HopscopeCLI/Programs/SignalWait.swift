import Foundation

/// Signals that a command's loop waits for, so that they do not interrupt the command.
///
/// The initializer blocks them in the calling thread and in threads that it creates later. Programs that the command starts get the mask
/// from before, ``maskBefore``.
struct SignalWait {
    struct Arrival {
        let number: Int32
        /// Whether a process sent the signal. Signals from the terminal reach every foreground process without help.
        let isSent: Bool
    }

    /// Signals that end a program: from a key, from another process, or from a terminal that hangs up.
    static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Signals that end or wake a program and mean nothing to a command. The command passes them on to the program that it runs.
    static let passedOn =
        [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO] + Array(__libc_current_sigrtmin()...__libc_current_sigrtmax())

    let maskBefore: sigset_t
    private let awaited: sigset_t

    init(_ signals: [Int32]) {
        var awaited = sigset_t()
        var before = sigset_t()
        sigemptyset(&awaited)
        for signal in signals { sigaddset(&awaited, signal) }
        pthread_sigmask(SIG_BLOCK, &awaited, &before)
        self.awaited = awaited
        maskBefore = before
    }

    /// The next signal. Nil after `milliseconds` without one.
    func next(milliseconds: Int) -> Arrival? {
        var awaited = awaited
        var info = siginfo_t()
        var timeout = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        let number = sigtimedwait(&awaited, &info, &timeout)
        return number > 0 ? Arrival(number: number, isSent: info.si_code <= 0) : nil
    }

    /// Restores ``maskBefore``.
    func end() {
        var before = maskBefore
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}

/// Ends the process by the signal's default action, so that the parent process sees the cause.
func die(by number: Int32) -> Never {
    // No core dump: a process that died of the signal first has already left one.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    signal(number, SIG_DFL)
    var mask = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, number)
    pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    kill(getpid(), number)
    exit(128 + number)
}
