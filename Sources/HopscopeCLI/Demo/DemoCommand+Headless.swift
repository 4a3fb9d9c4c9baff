import Foundation
import Scenarios
import TraceAnalysis
import TraceReport
import TraceStore

/// Plays a scenario without the inspector.
extension DemoCommand {
    /// Plays the scenario to its end, prints the report, and ends the process. Call it on the main thread, which serves the main queue
    /// meanwhile.
    func playWithoutInspector(_ scenario: any Scenario) throws -> Never {
        let format = report ?? .text
        let settings = try warnings.settings()
        let run = try ScenarioRun(program: scenario.name, recordingTo: recording)
        // A JSON report has standard output to itself, so the scenario prints to standard error.
        let voice = format == .text ? STDOUT_FILENO : STDERR_FILENO
        let scratch = ScratchSpace()
        play(scenario, in: run, on: stage(scratch) { _ = Descriptor.write("\($0)\n".utf8, to: voice) })
        Thread.detachNewThread {
            // The report lists a bounded number of tasks, as the inspector does, because `--tasks` has no limit. Its counts cover all
            // tasks.
            let store = TraceStore()
            let warnings = WarningEngine(settings: settings)
            let problem = Result { try run.follow(into: store, warnings) }
            scratch.remove()
            store.end = .exit
            let report = Report(of: store, program: run.program, warnings: warnings.list(in: store, isOver: true))
            let status = Self.tell(report, format)
            exit(Self.status(status, problem))
        }
        dispatchMain()
    }

    /// The exit status after a recording: `status`, or the error's status if the recording failed.
    static func status(_ status: Int32, _ recorded: Result<Void, any Error>) -> Int32 {
        guard case .failure(let error) = recorded else { return status }
        let userError = UserError(any: error)
        userError.say()
        return userError.status.rawValue
    }

    /// Prints the report and returns the exit status.
    static func tell(_ report: Report, _ format: ReportFormat) -> Int32 {
        do {
            var output = try ResultOutput(nil)
            report.write(format, to: &output)
            try output.finish()
            return 0
        } catch {
            let error = UserError(any: error)
            error.say()
            return error.status.rawValue
        }
    }
}
