import Foundation

/// Signals that a command waits for in its loop, instead of being interrupted by them.
///
/// They are blocked from the making on, in this thread and in those that it makes later; a program that it starts gets the mask that was there
/// before.
struct SignalWait {
    struct Arrival {
        let number: Int32
        /// Whether a process sent it. What the terminal sends reaches all of the foreground's processes by itself.
        let isSent: Bool
    }

    /// What ends a program by being typed, sent or hung up.
    static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Signals that end or wake a program and mean nothing to a command: they are passed on to the program that it runs.
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

    /// The next signal, or nil after that time.
    func next(milliseconds: Int) -> Arrival? {
        var awaited = awaited
        var info = siginfo_t()
        var timeout = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        let number = sigtimedwait(&awaited, &info, &timeout)
        return number > 0 ? Arrival(number: number, isSent: info.si_code <= 0) : nil
    }

    /// Lets the signals through again.
    func end() {
        var before = maskBefore
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}

/// Ends the process as the signal would have by itself, so that whoever waits for it sees the cause.
func die(by number: Int32) -> Never {
    // Whoever died of it first has left the picture of its memory.
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
