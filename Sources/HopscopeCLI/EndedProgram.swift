import Foundation
import TaskEvents

/// A program that has run to its end under the probe, and what its processes told.
struct EndedProgram {
    let command: [String]
    let ending: ChildProcess.Ending
    let traces: ProgramTraces

    /// Runs it in the command's place. Throws where it cannot be started.
    static func run(_ command: [String]) throws -> EndedProgram {
        let traces = try ProgramTraces()
        do {
            let program = try ForegroundProgram(command, environment: try traces.environment())
            let ending = program.wait {
                traces.look()
                return 20
            }
            return EndedProgram(command: command, ending: ending, traces: traces)
        } catch {
            traces.remove()
            throw error
        }
    }

    /// Makes something of what its processes told, the busiest first, and ends this process: with the status that `use` returns, or as the
    /// program ended. What goes wrong is said; it is the status only where the program ended with 0, because what the program itself has to
    /// say comes first.
    func conclude(_ use: ([OpenedTrace]) throws -> ExitStatus?) -> Never {
        ending.say(of: command[0])
        var status: ExitStatus?
        do {
            try traces.finish()
            status = try use(traces.busiestFirst.map { try OpenedTrace(path: $0.recording) })
        } catch {
            let error = UserError(any: error)
            error.say()
            if case .exited(0) = ending { status = error.status }
        }
        traces.remove()
        if let status { exit(status.rawValue) }
        ending.pass()
    }

    /// Why none of its processes told of any task.
    var nothingSeen: UserError {
        UserError(ProgramFile(command[0])?.sentence(command[0]) ?? "'\(command[0])' has made no Swift tasks.", .cannotStart)
    }
}
