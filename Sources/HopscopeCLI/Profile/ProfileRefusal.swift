import CThreadProfile
import Foundation

/// Why the kernel gives no performance events, or only some, and what allows them.
struct ProfileRefusal {
    /// The error of the system call; 0 if the kernel gives no samples of its own code, but the rest.
    let error: Int32
    private let level = thread_profile_paranoid()

    /// The level from which on a kernel refuses all events. Kernels without the patch of some distributions know none.
    private static let highestAllowed: Int32 = 2

    init(error: Int32) {
        self.error = error
    }

    /// Tries to profile this process. Nil if the kernel allows all of it.
    static func ofThisProcess(hertz: UInt32) -> ProfileRefusal? {
        guard let handle = thread_profile_begin(getpid(), hertz, 0) else { return ProfileRefusal(error: errno) }
        defer { thread_profile_end(handle) }
        return thread_profile_is_user_only(handle) ? ProfileRefusal(error: 0) : nil
    }

    var reason: String {
        switch error {
        case 0: "kernel.perf_event_paranoid is \(level)"
        case EACCES, EPERM:
            level > Self.highestAllowed
                ? "kernel.perf_event_paranoid is \(level)" : "the container forbids it, or the process is another user's"
        case ENOENT, ENOSYS: "the kernel has no performance events"
        case ENOMEM, EMFILE: "there is not enough memory for its rings, or too many files are open"
        case _: String(cString: strerror(error))
        }
    }

    /// A sentence about the setting that allows it; nil if none does.
    var advice: String? {
        switch error {
        case 0: "'sudo sysctl kernel.perf_event_paranoid=1' allows samples of system calls, too."
        case EACCES, EPERM:
            level > Self.highestAllowed
                ? "'sudo sysctl kernel.perf_event_paranoid=\(Self.highestAllowed)' allows it."
                : "A container allows it if it is started with '--cap-add PERFMON', or with '--security-opt seccomp=unconfined'."
        case _: nil
        }
    }
}
