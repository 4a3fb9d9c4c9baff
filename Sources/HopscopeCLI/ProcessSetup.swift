import Glibc

/// Makes the process safe for what follows, before a command is parsed.
enum ProcessSetup {
    static func prepare() {
        occupyStandardDescriptors()
        _ = signalsOfPrograms
    }

    /// Opens what is closed of standard input, output and error, so that no trace gets such a number and is printed into. Writing to the
    /// substitute fails, as writing to a closed descriptor does; programs that the command starts find the descriptor closed.
    private static func occupyStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest free number is this one.
            _ = open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
        }
    }

    /// The signals that programs which the command starts get back as they were, because the command itself ignores them from here on:
    /// SIGXFSZ, so that a write beyond the limit of `ulimit -f` fails instead of ending the process.
    static let signalsOfPrograms: [Int32] = {
        let before = signal(SIGXFSZ, SIG_IGN)
        let wasIgnored = unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        return wasIgnored ? [] : [SIGXFSZ]
    }()
}
