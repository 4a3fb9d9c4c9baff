import Glibc

/// Prepares this process before the command line is parsed.
enum ProcessSetup {
    static func prepare() {
        occupyStandardDescriptors()
        _ = signalsOfPrograms
    }

    /// Opens `/dev/null` for each standard descriptor that is closed, so that a trace file never gets such a number and receives printed
    /// text. Writing to the substitute fails, as writing to a closed descriptor does. Programs that the command starts find the descriptor
    /// closed.
    private static func occupyStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // `open` returns the lowest free descriptor, which is this one.
            _ = open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
        }
    }

    /// Signals that the command ignores and restores for the programs it starts. It ignores SIGXFSZ, so that a write beyond the limit of
    /// `ulimit -f` fails instead of ending the process.
    static let signalsOfPrograms: [Int32] = {
        let before = signal(SIGXFSZ, SIG_IGN)
        let wasIgnored = unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        return wasIgnored ? [] : [SIGXFSZ]
    }()
}
