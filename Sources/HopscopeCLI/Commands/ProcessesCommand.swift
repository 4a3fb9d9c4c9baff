import ArgumentParser
import Foundation
import RemoteTasks
import TraceAnalysis
import TraceReport
import TraceTransport

/// `hopscope ps`: lists the Swift processes, or the tasks of one process, with or without the probe.
struct ProcessesCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps",
        abstract: "Lists the Swift processes, or the tasks of one as a tree, with or without the probe.",
        discussion: """
            Without an argument it lists this user's Swift processes. With a process's number or name, or a core file and its \
            executable, it prints the tasks as a tree: their states, what they wait for and where, the actors' queues, and the threads \
            that block. The process does not stop, and nothing is loaded into it.
            """)

    @Argument(help: ArgumentHelp("The number or name of a process, or a core file; none for a list.", valueName: "process"))
    var process: String?

    @Option(help: ArgumentHelp("The executable that left the core file.", valueName: "file"))
    var exe: String?

    @Flag(help: "Prints the whole stack of each task and each thread.")
    var stacks = false

    @Flag(help: "Prints JSON.")
    var json = false

    func validate() throws {
        if process == nil, exe != nil || stacks || json { throw ValidationError("Name a process or a core file.") }
    }

    func perform() throws {
        guard var process else { return try list() }
        if exe == nil, access(process, F_OK) != 0, let pid = try ProcessName.pid(of: process) { process = String(pid) }
        let report = try report(on: process)
        var output = try ResultOutput(nil)
        if json {
            report.writeJSON(to: &output)
        } else {
            report.writeText(to: &output, isASCII: !StandardOutput.showsUnicode, showsStacks: stacks)
        }
        try output.finish()
    }

    /// Takes a number as a process, and any other text as the path of a core file.
    private func report(on process: String) throws -> SnapshotReport {
        let progress = ProgressLine("Looking at '\(PrintableText.text(process))'", clock)
        if let pid = Int32(process), pid > 0, exe == nil {
            progress.announce()
            let snapshot = try SnapshotLook(ofProcess: pid).snapshot(within: SnapshotLook.Limit.named, findsHolders: true)
            return SnapshotReport(snapshot, program: SwiftProcess.program(of: pid), route: .snapshot)
        }
        guard access(process, R_OK) == 0 else { throw UserError("There is no file '\(process)' that you may read.", .noSuchFile) }
        guard let exe else {
            throw UserError(
                "'\(process)' is read as a core file, which needs its executable: 'hopscope ps \(process) --exe FILE'.", .wrongUsage)
        }
        guard access(exe, R_OK) == 0 else { throw UserError("There is no file '\(exe)' that you may read.", .noSuchFile) }
        progress.announce()
        let snapshot = try Snapshot(of: RemoteProcess(core: process, program: exe), findsHolders: true)
        return SnapshotReport(snapshot, program: URL(fileURLWithPath: exe).lastPathComponent, route: .core)
    }

    private func list() throws {
        let progress = ProgressLine("Looking at the processes", clock)
        progress.announce()
        let processes = SwiftProcess.all()
        guard !processes.isEmpty else {
            progress.end()
            StandardError.say("No Swift process of yours runs here. Root sees those of all users.")
            return
        }
        let publishers = ListedProcess.publishers
        var table = TextTable(
            [
                TextTable.Column(heading: "PID", isNumber: true), TextTable.Column(heading: "Program", limit: 40),
                TextTable.Column(heading: "Time", isNumber: true), TextTable.Column(heading: "Tasks", isNumber: true),
                TextTable.Column(heading: "Seen by", limit: 4096),
            ], isASCII: !StandardOutput.showsUnicode)
        // The user's programs come first: compilers beside them can take long to read, and are not read.
        let own = processes.filter { !$0.isTool }
        for (number, process) in own.enumerated() {
            progress.showNow("\(number + 1) of \(own.count), \(PrintableText.text(process.program))")
            if let listed = ListedProcess(process, isPublishing: publishers.contains(process.pid)) { table.append(Self.words(listed)) }
        }
        for process in processes where process.isTool { table.append(Self.words(ListedProcess(uncounted: process, isPublishing: false))) }
        progress.end()
        let output = try ResultOutput(nil)
        for line in table.lines(indent: 0) { output.write("\(line)\n") }
        try output.finish()
    }

    private static func words(_ listed: ListedProcess) -> [String] {
        let process = listed.process
        let tasks = listed.taskCount.map { CountText.text($0) } ?? ""
        return [String(process.pid), PrintableText.text(process.program), age(of: process), tasks, listed.way]
    }

    private static func age(of process: SwiftProcess) -> String {
        DurationText.text(UInt64(process.age * 1e9), isASCII: !StandardOutput.showsUnicode)
    }
}

extension UserError {
    /// The error for a process or a core file that cannot be read.
    init(_ problem: SnapshotProblem) {
        let status: ExitStatus =
            switch problem.kind {
            case .noSuchFile: .noSuchFile
            case .notACore: .unreadable
            case _: .cannotStart
            }
        self.init(problem.description, status)
    }
}
