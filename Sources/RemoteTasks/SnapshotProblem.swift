import CRemoteProcess
import Glibc

/// The reason why a process or a core file cannot be read: a whole sentence that names a way out.
package struct SnapshotProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable, CaseIterable {
        case ended, noSuchFile, notACore, noMemory, notSwift, unknownLayout, unstatedLayout, escalatesPriority, noThread, tookTooLong
        case otherUser, yamaParentOnly, yamaClosed, container, namespace, notDumpable
    }

    package let kind: Kind
    package let description: String

    /// `subject` begins the sentence. It names the process or the file.
    init(_ kind: Kind, of subject: String, detail: String = "") {
        self.kind = kind
        description = Self.sentence(kind, subject, detail)
    }

    init(_ problem: remote_problem, ofProcess pid: Int32) {
        let kind: Kind =
            switch problem {
            case remote_missing: .ended
            case remote_no_memory: kill(pid, 0) != 0 && errno == ESRCH ? .ended : .noMemory
            case _: ReadingRights(toRead: pid).refusal
            }
        self.init(kind, of: "Process \(pid)")
    }

    init(_ problem: remote_problem, ofCore path: String) {
        self.init(problem == remote_missing ? .noSuchFile : .notACore, of: "'\(path)'")
    }

    private static var known: String {
        "Hopscope is tested with Swift \(TaskLayout.listed.releases). 'hopscope doctor -- PROGRAM' tells what 'hopscope run' would show."
    }

    private static func sentence(_ kind: Kind, _ subject: String, _ detail: String) -> String {
        switch kind {
        case .ended: "\(subject) has ended. 'hopscope ps' lists the Swift processes that run."
        case .noSuchFile: "\(subject) does not exist, or may not be read by you."
        case .notACore: "\(subject) is no core file of this machine's kind."
        case .noMemory: "\(subject) is a thread of the kernel, or is just ending: it has no memory of its own."
        case .notSwift: "\(subject) has no Swift concurrency runtime, so it has no tasks. If it has just started, try again."
        case .unknownLayout:
            "\(subject) has a Swift runtime of layout version \(detail), and its tasks do not prove that they have the layout that Hopscope "
                + "knows. \(known)"
        case .unstatedLayout:
            "\(subject) has a Swift runtime that does not state its task layout, as that of Swift 6.0. \(known)"
        case .escalatesPriority:
            "\(subject) has a Swift runtime with priority escalation, which changes the layout of tasks. \(known)"
        case .noThread: "\(subject) cannot be watched: the system makes no more threads now. Try again when fewer programs run."
        case .tookTooLong:
            "\(subject) was not read in time: it has very much memory, or memory that does not answer. 'hopscope run' shows a program's tasks "
                + "without reading its memory."
        case .otherUser: "\(subject) belongs to another user. Run this command as that user or as root."
        case .yamaParentOnly:
            "\(subject) may not be read: kernel.yama.ptrace_scope is 1, so only a parent may read a process. Start the program through "
                + "'hopscope run', run this command as root, or set kernel.yama.ptrace_scope to 0."
        case .yamaClosed:
            "\(subject) may not be read: kernel.yama.ptrace_scope is 2 or 3. With 2, root may read it; with 3, nothing may "
                + "until the next boot. 'hopscope run' needs no such right."
        case .container:
            "\(subject) may not be read: this container has no right to read other processes. Start it with "
                + "--cap-add=SYS_PTRACE, or start the program through 'hopscope run'."
        case .namespace:
            "\(subject) may not be read although CAP_SYS_PTRACE is held: it is in another user namespace, or a security module "
                + "forbids it. Run this command in its container or on its host."
        case .notDumpable:
            "\(subject) does not allow reading: it changed its user, or cleared its dumpable flag. Run this command as root."
        }
    }
}

/// The facts that decide whether this process may read another.
struct ReadingRights {
    var isOfAnotherUser: Bool
    var isRoot: Bool
    /// True if this process holds CAP_SYS_PTRACE.
    var mayTrace: Bool
    /// `kernel.yama.ptrace_scope`; 0 without Yama.
    var yama: Int

    init(isOfAnotherUser: Bool, isRoot: Bool, mayTrace: Bool, yama: Int) {
        self.isOfAnotherUser = isOfAnotherUser
        self.isRoot = isRoot
        self.mayTrace = mayTrace
        self.yama = yama
    }

    /// Asks the system for the facts.
    init(toRead pid: Int32) {
        let user = ProcFile("/proc/\(pid)/status").field("Uid:").flatMap { $0.split(separator: "\t").first.flatMap { UInt32($0) } }
        let capabilities = ProcFile("/proc/self/status").field("CapEff:").flatMap { UInt64($0, radix: 16) } ?? 0
        self.init(
            isOfAnotherUser: user.map { $0 != geteuid() } ?? false, isRoot: geteuid() == 0, mayTrace: capabilities >> 19 & 1 == 1,
            yama: Int(ProcFile("/proc/sys/kernel/yama/ptrace_scope").text.prefix { $0.isNumber }) ?? 0)
    }

    /// The reason why the kernel refused to let this process read the other.
    var refusal: SnapshotProblem.Kind {
        if yama == 3 { return .yamaClosed }
        if mayTrace { return .namespace }
        if isRoot { return .container }
        if isOfAnotherUser { return .otherUser }
        if yama >= 2 { return .yamaClosed }
        return yama == 1 ? .yamaParentOnly : .notDumpable
    }
}
