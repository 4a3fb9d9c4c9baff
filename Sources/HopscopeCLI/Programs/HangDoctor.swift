import Foundation
import RemoteTasks
import TaskEvents
import TraceAnalysis
import TraceReport

/// A process that had not ended at a deadline, and the causes.
struct HungProcess {
    let pid: Int32
    let program: String
    let findings: [ReportedFinding]
    /// The number of tasks that the look has found. Nil if the process could not be looked at.
    let taskCount: Int?
}

/// The Swift processes of a program that had not ended at a deadline.
struct Hang {
    let deadline: Deadline
    var processes: [HungProcess]
}

/// Waits for a program's deadline. Then it examines the Swift processes that the program has started, and ends all of the program's
/// processes: with SIGTERM, and after five seconds with SIGKILL. Not thread-safe: one thread uses it.
struct HangDoctor {
    private let program: ChildProcess
    private let deadline: Deadline
    private let time: TimeSource
    private let started: UInt64
    private var victims: [SwiftProcessNumber] = []
    private var killTime: UInt64?
    /// Nil until the deadline has passed.
    private(set) var hang: Hang?

    private static let grace: UInt64 = 5_000_000_000

    init(_ program: ChildProcess, _ deadline: Deadline, time: TimeSource) {
        self.program = program
        self.deadline = deadline
        self.time = time
        started = time.now
    }

    /// Whether the next look examines the processes.
    var isDue: Bool { hang == nil && time.now - started >= deadline.nanoseconds }

    /// Examines or ends the processes if it is time to. The caller calls it repeatedly while the program runs.
    mutating func look() {
        if isDue { examine() }
        guard let killTime, time.now >= killTime else { return }
        end(with: SIGKILL)
        self.killTime = nil
    }

    /// Ends the processes that the program has left behind.
    mutating func finish() {
        guard hang != nil else { return }
        while let killTime, time.now < killTime, victims.contains(where: \.isThere) { usleep(10_000) }
        end(with: SIGKILL)
    }

    private mutating func examine() {
        let processes = program.family
        let hung = processes.compactMap { pid in
            SwiftProcess(pid: pid).flatMap { ProcessOrigin.isToolchain(pid: pid) == true ? nil : examine($0) }
        }
        hang = Hang(deadline: deadline, processes: hung)
        victims = processes.map { SwiftProcessNumber(pid: $0) }
        killTime = time.now + Self.grace
        end(with: SIGTERM)
    }

    private func examine(_ process: SwiftProcess) -> HungProcess {
        do throws(SnapshotProblem) {
            let hang = try StuckLook(process: process, deadline: deadline.text, time: time).report()
            return HungProcess(pid: process.pid, program: process.program, findings: hang.findings(), taskCount: hang.taskCount)
        } catch {
            let finding = ReportedFinding(
                HangReport.rule, .error,
                "The program had not ended after \(deadline.text), and cannot be looked at: \(error.description)")
            return HungProcess(pid: process.pid, program: process.program, findings: [finding], taskCount: nil)
        }
    }

    private func end(with signal: Int32) {
        for victim in victims where victim.isThere { kill(victim.pid, signal) }
    }
}

/// A process, identified by its number and its start. A later process can have the same number.
private struct SwiftProcessNumber {
    let pid: Int32
    private let start: UInt64?

    init(pid: Int32) {
        self.pid = pid
        start = SwiftProcess.startTicks(of: pid)
    }

    var isThere: Bool { start != nil && SwiftProcess.startTicks(of: pid) == start }
}
