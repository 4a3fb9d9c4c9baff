import Foundation
import TaskEvents
import TraceTransport

/// The rights of this user: to publish traces, and to read other processes.
struct RightsExamination: Examination {
    let title = "Rights"

    func lines() -> [DoctorLine] {
        [traces, ptrace, perf]
    }

    private var traces: DoctorLine {
        do throws(TraceProblem) {
            return DoctorLine("traces", "processes of this user publish in \(try TraceDirectory.own().path)")
        } catch {
            return DoctorLine("traces", "no process of this user can publish", advice: error.description)
        }
    }

    /// See `man 2 ptrace`, "ptrace_scope".
    private var ptrace: DoctorLine {
        if geteuid() == 0 { return DoctorLine("ptrace", "root reads any process, unless its container forbids that") }
        switch Self.number(in: "/proc/sys/kernel/yama/ptrace_scope") {
        case nil, 0: return DoctorLine("ptrace", "this user's processes can be read from outside")
        case 1:
            return DoctorLine(
                "ptrace", "only the process that started another one can read it from outside (ptrace_scope 1)",
                advice: "'sudo sysctl kernel.yama.ptrace_scope=0' allows it. Processes that publish need no such right.")
        case let scope?:
            return DoctorLine(
                "ptrace", "only root reads a process from outside (ptrace_scope \(scope))",
                advice: "Processes that publish (HOPSCOPE=1) need no such right.")
        }
    }

    /// Whether the kernel gives performance events is tried out: a container may refuse what the kernel's settings allow.
    private var perf: DoctorLine {
        let profile = "'record --profile'"
        guard let refusal = ProfileRefusal.ofThisProcess(hertz: ProfileRates.usualHertz) else {
            return DoctorLine("perf", "\(profile) can profile this user's programs, with their system calls")
        }
        guard refusal.error != 0 else {
            return DoctorLine(
                "perf", "\(profile) can profile this user's programs, without samples of system calls: \(refusal.reason)",
                advice: refusal.advice)
        }
        return DoctorLine(
            "perf", "\(profile) takes no samples, so the time on a processor and the time without one stay one: \(refusal.reason)",
            advice: refusal.advice)
    }

    private static func number(in path: String) -> Int? {
        FileManager.default.contents(atPath: path).flatMap { Int(String(decoding: $0, as: UTF8.self).filter { !$0.isWhitespace }) }
    }
}
