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

    /// Gives each array of 128 KiB or more a mapping of its own, so that the system gets a freed one back. By default, the C library raises
    /// that size with every large array that is freed. The next large arrays then lie between small values that stay, and an inspector
    /// that is attached for long keeps ever more room that it does not use. Only for a process that is Hopscope's own.
    static func mapLargeArrays() {
        // Swift's Glibc module lacks <malloc.h>.
        typealias SetOption = @convention(c) (_ option: Int32, _ value: Int32) -> Int32
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let leastMappedSize: Int32 = -3
        _ = unsafeBitCast(symbol, to: SetOption.self)(leastMappedSize, 128 << 10)
    }
}
