import Foundation
import TaskEvents
import TraceTransport

/// A program that has run to its end under the probe, with the traces of its processes.
struct EndedProgram {
    let command: [String]
    let ending: ChildProcess.Ending
    let traces: ProgramTraces
    /// Nil if the program ended in time.
    var hang: Hang?

    /// Runs a program with the command's terminal, input and output. If the program still runs at the deadline, ends it. Throws if the
    /// program cannot start.
    static func run(
        _ command: [String], recordingTo kept: String? = nil, profiling rates: ProfileRates? = nil, deadline: Deadline? = nil,
        time: TimeSource
    ) throws -> EndedProgram {
        let traces = try ProgramTraces(recordingTo: kept, profiling: rates, time: time)
        do {
            let program = try ForegroundProgram(command, environment: try traces.environment())
            var doctor = deadline.map { HangDoctor(program.child, $0, time: time) }
            let ending = program.wait {
                traces.look()
                // Before the doctor ends them, so that a process which has just ended on its own is not taken for one of them.
                if let deadline, doctor?.isDue == true { traces.end(at: deadline) }
                doctor?.look()
                return 20
            }
            doctor?.finish()
            return EndedProgram(command: command, ending: ending, traces: traces, hang: doctor?.hang)
        } catch {
            traces.remove()
            throw error
        }
    }

    /// Passes the processes to `use`, the one with the most events first, and ends this process with the status that `use` returns, or else
    /// the way the program ended. Prints an error from `use` or from an incomplete recording. Such an error sets the exit status only if
    /// the program exited with 0.
    func conclude(_ use: ([ProgramTraces.RecordedProcess]) throws -> ExitStatus?) -> Never {
        if hang == nil { ending.say(of: command[0]) }
        var status: ExitStatus?
        traces.finish()
        do {
            status = try use(traces.busiestFirst)
            if let problem = traces.problem { throw problem }
        } catch {
            let error = UserError(any: error)
            error.say()
            if case .exited(0) = ending, status == nil { status = error.status }
        }
        traces.remove()
        if let status { exit(status.rawValue) }
        ending.pass()
    }

    /// The reason why none of the processes recorded an event.
    var nothingSeen: UserError {
        let file = ProgramFile(command[0])
        if let reason = file?.rights(command[0]) { return UserError(reason, .cannotStart) }
        if let reason = traces.processes.lazy.compactMap(\.region.reasonOfIdleProbe).first { return UserError(reason, .cannotStart) }
        let obstacle = traces.processes.isEmpty ? TraceDirectory.obstacle(at: traces.folder) : nil
        if let cause = (traces.problem ?? obstacle).map(UserError.init(any:)) {
            return UserError("Nothing is known of the tasks of '\(command[0])'. \(cause.sentence)", cause.status)
        }
        return UserError(file?.sort.sentence(command[0]) ?? "'\(command[0])' has made no Swift tasks.", .cannotStart)
    }
}
