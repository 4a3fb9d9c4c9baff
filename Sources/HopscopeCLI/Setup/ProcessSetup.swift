import Glibc

/// Prepares this process before the command line is parsed.
enum ProcessSetup {
    static func prepare() {
        refuseTooLittleRoom()
        occupyStandardDescriptors()
        _ = signalsOfPrograms
    }

    /// The least size of the stack, and of the address space besides libraries, in bytes.
    private static let leastStack = 128 << 10
    private static let leastSpace = 32 << 20

    /// Ends the command with a sentence if it would soon crash for want of room. With even less, the system's loader ends the process before
    /// this is reached.
    private static func refuseTooLittleRoom() {
        if let stack = limit(RLIMIT_STACK), stack < leastStack {
            refuse("Hopscope needs \(leastStack >> 10) KiB of stack; here it may use \(stack >> 10) KiB ('ulimit -s').")
        }
        guard let space = limit(RLIMIT_AS) else { return }
        let free = max(0, space - usedSpace())
        guard free < leastSpace else { return }
        refuse(
            "Hopscope needs \(leastSpace >> 10) KiB of address space besides its libraries; here \(free >> 10) KiB are left ('ulimit -v').")
    }

    private static func refuse(_ sentence: String) -> Never {
        StandardError.say(sentence)
        exit(ExitStatus.cannotStart.rawValue)
    }

    /// A limit in bytes; nil if there is none.
    private static func limit(_ resource: __rlimit_resource) -> Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(Int.max) else { return nil }
        return Int(limit.rlim_cur)
    }

    /// The bytes of this process's address space that are in use; 0 if the system does not tell.
    private static func usedSpace() -> Int {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 32)
        let count = read(file, &text, text.count)
        let pages = text.prefix(max(0, count)).prefix { $0 != UInt8(ascii: " ") }.reduce(0) { $0 &* 10 &+ Int($1 &- UInt8(ascii: "0")) }
        return pages &* sysconf(Int32(_SC_PAGESIZE))
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
