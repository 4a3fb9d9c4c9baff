import Glibc
import RemoteTasks

/// The reason why the probe is not loaded into a process: a whole sentence that names the next step.
package struct InjectionProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable, CaseIterable {
        // Found before anything is done to the process.
        case unreadable, zombie, stopped, traced, otherMachine, pidNamespace, invisible, seccomp, shadowStack, trapIgnored
        case noLibraries, runtimeInProgram, unprovenRuntime, ownProbe, otherProbe
        // Found while its thread was to be stopped.
        case noSafeThread, refused, noRoom, ended
        // Found by the process.
        case notLoaded, notRecorded, tookTooLong
    }

    package let kind: Kind
    package let description: String

    /// - Parameter detail: A fact that the sentence of this kind names.
    init(_ kind: Kind, of pid: Int32, detail: String = "") {
        self.kind = kind
        description = Self.sentence(kind, "Process \(pid)", pid, detail) + " " + Self.step(kind, pid)
    }

    init(_ problem: SnapshotProblem) {
        kind = .unreadable
        description = problem.description
    }

    private static func sentence(_ kind: Kind, _ subject: String, _ pid: Int32, _ detail: String) -> String {
        // With `return`, the compiler decides each sentence's type by itself: all in one expression take it half a minute.
        switch kind {
        case .unreadable: return "\(subject) may not be read."
        case .zombie: return "\(subject) has ended; its parent has not taken note of that."
        case .stopped: return "\(subject) is stopped, so it can load nothing."
        case .traced: return "\(subject) is traced by process \(detail), such as a debugger, and only one process may do that."
        case .otherMachine: return "\(subject) or hopscope is no 64-bit program for x86-64, and the probe is loaded into no others."
        case .pidNamespace: return "\(subject) is in another container, whose process numbers are not those of hopscope."
        case .invisible: return "\(subject) does not see the probe's file \(detail): it has other files than hopscope."
        case .seccomp: return "\(subject) has a filter for system calls (seccomp), which may end it for those that loading takes."
        case .shadowStack: return "\(subject) has shadow stacks, which permit no call from outside."
        case .trapIgnored: return "\(subject) ignores the signal SIGTRAP, by which a call from outside ends."
        case .noLibraries: return "\(subject) is linked statically: it has no loader that could load the probe."
        case .runtimeInProgram: return "\(subject) has the Swift runtime in its own file, where a library does not find it."
        case .unprovenRuntime: return "\(subject) has a Swift runtime of layout version \(detail), with which Hopscope has not been tested."
        case .ownProbe: return "\(subject) has Hopscope in its own file."
        case .otherProbe: return "\(subject) has another probe loaded, \(detail)."
        case .noSafeThread:
            return "\(subject) had no thread within 20 ms that can be stopped without harm: "
                + "one that sleeps, or waits for events without a limit."
        case .refused: return "\(subject) may not be stopped: the kernel refuses it (\(detail))."
        case .noRoom: return "\(subject) could not make memory or a thread for the loading: \(detail)."
        case .ended: return "\(subject) has ended."
        case .notLoaded: return "The loader of process \(pid) did not load the probe: \(detail)."
        case .notRecorded: return "The probe in process \(pid) records nothing: \(detail)"
        case .tookTooLong: return "The loader of process \(pid) has been busy with another library for 5 s, so nothing is recorded."
        }
    }

    private static func step(_ kind: Kind, _ pid: Int32) -> String {
        let instead = "'hopscope attach \(pid)' shows it by snapshots."
        switch kind {
        case .zombie, .ended: return "'hopscope ps' lists the Swift processes that run."
        case .stopped: return "Let it go on with 'kill -CONT \(pid)', and try again."
        case .traced: return "End that one first; \(instead)"
        case .pidNamespace, .invisible: return "Run hopscope in its container; \(instead)"
        case .noLibraries, .runtimeInProgram: return "Link the product HopscopeStaticProbe into it (Docs/Probe.md); \(instead)"
        case .ownProbe: return "Start it with HOPSCOPE=1 in its environment; \(instead)"
        case .otherProbe: return "Use the hopscope that belongs to that one; \(instead)"
        case .noSafeThread, .tookTooLong: return "Try again; \(instead)"
        case .refused: return "Run this command as root, in a container with --cap-add=SYS_PTRACE; \(instead)"
        case .noRoom: return "Raise its limits ('prlimit -p \(pid)' shows them), and try again."
        case .unreadable, .notRecorded: return instead
        case .otherMachine, .seccomp, .shadowStack, .trapIgnored, .unprovenRuntime, .notLoaded:
            return "Start it through 'hopscope run' instead; \(instead)"
        }
    }
}
