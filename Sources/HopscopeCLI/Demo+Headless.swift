import Foundation
import Scenarios
import TraceExport
import TraceStore

/// Playing a scenario without the inspector.
extension Demo {
    /// Plays the scenario to its end, prints the report, and ends the process. The calling thread, which is the main one, serves the main
    /// queue meanwhile.
    func playWithoutInspector(_ scenario: any Scenario) throws -> Never {
        let format = report ?? .text
        let run = try ScenarioRun(program: scenario.name)
        // A report in JSON has standard output to itself.
        let voice = format == .text ? FileHandle.standardOutput : FileHandle.standardError
        let scratch = ScratchSpace()
        run.play(scenario, on: stage(scratch) { voice.write(Data("\($0)\n".utf8)) })
        Thread.detachNewThread {
            let store = TraceStore()
            run.follow(into: store)
            scratch.remove()
            exit(Self.printReport(format, of: store, program: run.program))
        }
        dispatchMain()
    }

    /// Prints the report; the answer is the exit status.
    static func printReport(_ format: ReportFormat, of store: TraceStore, program: String) -> Int32 {
        let report = Report(of: store, program: program)
        var output = StandardOutput()
        do {
            switch format {
            case .text: report.writeText(to: &output, isASCII: !StandardOutput.showsUnicode)
            case .json: try report.writeJSON(to: &output)
            }
            output.flush()
            return 0
        } catch {
            UserError(sentence: "The report could not be written: \(error)", status: .ownFault).say()
            return ExitStatus.ownFault.rawValue
        }
    }
}
