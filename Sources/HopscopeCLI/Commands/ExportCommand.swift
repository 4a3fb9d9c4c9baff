import ArgumentParser
import CodeSymbols
import Foundation
import TraceAnalysis
import TraceExport
import TraceStore
import TraceTransport

/// `hopscope export`: writes a trace in the formats of other tools.
struct ExportCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes a trace for other tools.",
        discussion: ExportFormat.allCases
            .map { $0.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0) + $0.summary }.joined(separator: "\n"))

    @OptionGroup var trace: TraceArgument

    @Option(name: .customLong("to"), help: "Which format.")
    var format: ExportFormat

    @Option(name: .shortAndLong, help: ArgumentHelp("A file to write to, instead of standard output.", valueName: "file"))
    var output: String?

    func perform() throws {
        let trace = try trace.open()
        var output = try ResultOutput(output)
        let reading = trace.read(time: clock)
        // Output on a terminal shows its own progress.
        let progress = ProgressLine("Writing", isQuiet: output.isTerminal, clock)
        var exporter = Exporter(
            of: reading.store, program: trace.program, startedAt: trace.startRealtime, events: reading.events(progress),
            warnings: reading.warnings)
        if format.takesProfile { exporter.profile = profile(reading) }
        guard exporter.profile != nil || !format.needsProfile else {
            throw UserError("The trace has no samples: 'hopscope record --profile' takes some.", .wrongUsage)
        }
        if let bytes = exporter.bytes(format) { output.write(bytes) } else { exporter.write(format, to: &output) }
        progress.end()
        try output.finish()
    }

    private func profile(_ reading: TraceReading) -> ProfiledTrace? {
        guard let recording = reading.history.recording, let profile = recording.profile() else { return nil }
        let stacks = SampledStacks(profile, reading.steps(ProgressLine("Reading", clock)), reading.store)
        recording.learn(FoundNames(stacks: Symbolizer().frames(of: recording.unnamedPlaces)))
        return ProfiledTrace(stacks, names: recording.stackNames)
    }
}

extension ExportFormat: ExpressibleByArgument {}
