import ArgumentParser
import Foundation
import Hopscope
import TaskEvents
import TraceFile
import TraceStore
import TraceTransport

/// `hopscope record`: records the lanes of a running process, or of a program that it starts, into a file.
struct RecordCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Records a process that publishes, or a program that the command starts.",
        usage: """
            hopscope record -o <file> [--last <time>] [<trace>]
            hopscope record -o <file> -- <program> [<arguments> ...]
            """,
        discussion: """
            A program that the command starts runs under the probe, and has the terminal, the input and the output. The program gets the \
            signals that are sent to 'hopscope record', and its exit status becomes the command's. If it starts other Swift programs, as \
            'swift test' does, the busiest one outside of the toolchain is recorded, and the others are named. A process that runs already \
            goes on when Ctrl-C or SIGTERM ends the recording.

            With --last it does not wait: it writes what the process still holds of that time, and ends. The lanes hold the last 131,071 \
            events of each thread.

            The recording can be read while it grows. However the recording ends, at most the last tenth of a second is missing. The \
            command overwrites an existing recording, but no other file.
            """)

    @Option(name: .shortAndLong, help: ArgumentHelp("The recording.", valueName: "file"))
    var output: String

    @Option(help: ArgumentHelp("Writes the events of this time before now, such as 30s, and ends.", valueName: "time"))
    var last: String?

    @OptionGroup var profile: ProfileOption

    @OptionGroup var trace: TraceArgument

    @OptionGroup var program: ProgramArgument

    func validate() throws {
        try program.check(against: trace)
        guard let last else { return }
        guard program.command.isEmpty else {
            throw ValidationError("--last is for a process that runs already, not for a program to start.")
        }
        _ = try TimeOption.nanoseconds(last, of: "--last")
    }

    func perform() throws {
        try RegionRecording.check(output)
        if program.command.isEmpty { try recordTrace() } else { try recordProgram() }
    }

    // MARK: Running process

    private func recordTrace() throws {
        guard case .lanes(let region) = try trace.open() else {
            throw UserError("That is a recording already; 'cp' makes another of it.", .wrongUsage)
        }
        if let last { return try recordLast(try TimeOption.nanoseconds(last, of: "--last"), of: region) }
        let signals = SignalWait(SignalWait.ending)
        let recording = try RegionRecording(of: region, to: output, profile: ProcessProfile.ofProcess(region.pid, profile.rates))
        while !recording.isOver, signals.next(milliseconds: 100) == nil {}
        try recording.stop()
    }

    /// Writes the events that the lanes still hold of the last `span` nanoseconds.
    private func recordLast(_ span: UInt64, of region: RegionFile) throws {
        let now = region.now
        // Asked before the lanes are read, because the process can end meanwhile.
        let sawExit = region.writer == .ended
        let file = try RegionRecording.file(of: region, to: output)
        let sink = LastEvents(file, since: now > span ? now - span : 0)
        var merger = LaneMerger(source: region)
        try merger.drain { try sink.write($0) }
        try sink.finish(sawExit: sawExit, at: now)
        try RegionRecording.say(output, of: region, last: true)
    }

    // MARK: Started program

    private func recordProgram() throws -> Never {
        let ended = try EndedProgram.run(program.command, recordingTo: output, profiling: profile.rates, time: clock)
        ended.conclude { processes in
            guard let busiest = processes.first else {
                let reason = ended.nothingSeen
                throw UserError("\(reason.sentence) Nothing was recorded.", reason.status)
            }
            guard ended.traces.problem == nil else { return nil }
            try RegionRecording.say(output, of: busiest.region)
            ended.traces.listOthers(as: "recorded")
            return nil
        }
    }
}
