import ArgumentParser
import Foundation
import TaskEvents
import TraceTransport

/// The trace that a command reads. All trace commands share this argument.
struct TraceArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A recording, the lanes that a process left, or the number of a process that publishes; none for the only one there is.",
            valueName: "trace"),
        completion: .file())
    var trace: String?

    /// Moves the last word of an option with several values to the trace argument, if that word can only be a trace. An example is the last
    /// word of `check --fail-on none run.hop`. Returns the remaining words.
    mutating func takeTrace(from words: [String], before program: [String] = []) -> [String] {
        guard trace == nil, program.isEmpty, words.count > 1, let last = words.last, last.count > 1 else { return words }
        guard last.contains("/") || last.contains(".") || Int32(last) != nil || access(last, F_OK) == 0 else { return words }
        trace = last
        return words.dropLast()
    }

    /// Finds and opens the trace.
    func open() throws -> OpenedTrace {
        guard let trace else { return .lanes(try Self.onlyOne()) }
        if let pid = Int32(trace), pid > 0 { return .lanes(try Self.region(ofProcess: pid)) }
        do {
            return try OpenedTrace(path: trace)
        } catch {
            throw Self.isProgram(trace) ? Self.program(trace) : error
        }
    }

    /// Whether the path is that of a machine-code program, which users name in the place of its process or its trace.
    static func isProgram(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else { return false }
        let start = FileHandle(forReadingAtPath: path).flatMap { try? $0.read(upToCount: 4) }
        return start == Data([0x7F, 0x45, 0x4C, 0x46])
    }

    private static func program(_ path: String) -> UserError {
        UserError(
            "'\(path)' is a program, not a trace: 'hopscope run \(path)' starts it and shows its tasks. To look at a process of it that "
                + "runs, name the process by its number; 'hopscope ps' lists the Swift processes.",
            .unreadable)
    }

    /// The region that the process with this number publishes or has left.
    static func region(ofProcess pid: Int32) throws -> RegionFile {
        let traces = published().filter { $0.pid == pid }
        if let trace = traces.first(where: { $0.writer != .ended }) ?? traces.first { return try RegionFile(path: trace.path) }
        guard kill(pid, 0) == 0 || errno == EPERM else {
            throw UserError("There is no process \(pid), and none of that number has left a trace here.", .cannotStart)
        }
        throw publishesNothing(pid)
    }

    static func publishesNothing(_ pid: Int32) -> UserError {
        UserError(
            "Process \(pid) publishes nothing: 'hopscope run' starts a program so that it does, and 'hopscope attach \(pid) --inject' has "
                + "this one do it; HOPSCOPE=1 in the environment is enough only for a program that links Hopscope. 'hopscope list' names "
                + "those that publish, and 'hopscope ps \(pid)' shows the tasks of a Swift process all the same.",
            .cannotStart)
    }

    /// The number of the process that the argument names, if it runs and publishes nothing.
    var unpublishedProcess: Int32? {
        guard let pid = trace.flatMap({ Int32($0) }), pid > 0, kill(pid, 0) == 0 || errno == EPERM else { return nil }
        return Self.published().contains { $0.pid == pid } ? nil : pid
    }

    /// The traces of the processes that publish. If none publishes, those that ended processes have left.
    static var candidates: [PublishedTrace] {
        let traces = published()
        let living = traces.filter { $0.writer != .ended }
        return living.isEmpty ? traces : living
    }

    /// Whether an argument is needed to tell which trace is meant.
    static var hasSeveral: Bool { candidates.count > 1 }

    /// The region of the only process that publishes. If none publishes, the only region that an ended process has left.
    private static func onlyOne() throws -> RegionFile {
        let candidates = candidates
        guard let first = candidates.first else {
            throw UserError(
                "No process publishes a trace here, and none has left one: 'hopscope run PROGRAM' starts a program that does.",
                .cannotStart)
        }
        guard candidates.count == 1 else {
            let names = candidates.prefix(5).map { "\($0.pid) (\(ListedTrace($0).program))" }.joined(separator: ", ")
            let rest = candidates.count > 5 ? " and \(candidates.count - 5) more" : ""
            throw UserError("There are \(candidates.count) traces: \(names)\(rest). Name one by its number or file.", .wrongUsage)
        }
        return try RegionFile(path: first.path)
    }

    /// All regions in the directories where this user's processes publish. Regions of running processes come first; within each group, the
    /// latest comes first.
    static func published() -> [PublishedTrace] {
        let traces = TraceDirectory.all().flatMap { $0.traces() }
        return traces.filter { $0.writer != .ended } + traces.filter { $0.writer == .ended }
    }
}
