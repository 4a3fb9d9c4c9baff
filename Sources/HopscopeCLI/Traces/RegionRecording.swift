import CodeSymbols
import Foundation
import TaskEvents
import TraceAnalysis
import TraceFile
import TraceStore
import TraceTransport

/// Records the lanes of a process into a file.
final class RegionRecording {
    private let region: RegionFile
    private let path: String
    private let recorder: TraceRecorder

    /// Starts the recording with the events that the lanes still hold.
    init(of region: RegionFile, to path: String, profile: ProcessProfile? = nil) throws(TraceProblem) {
        self.region = region
        self.path = path
        recorder = try Self.recorder(of: region, to: path, profile)
    }

    /// Begins a recording of a process. When the recording is finished, it gets the names of places in code. Processes of the toolchain get
    /// none: no report is about them, and the compiler has much debug information.
    static func file(
        of region: RegionFile, to path: String, _ symbolizer: Symbolizer = Symbolizer(), closing: TraceFileWriter.Closing? = nil
    ) throws(TraceProblem) -> TraceFileWriter {
        let naming = ProcessOrigin(of: region).isToolchain ? nil : symbolizer.names
        return try TraceFileWriter(path: path, header: TraceFileHeader(of: region), naming: naming, closing: closing)
    }

    /// Starts to record a process, with a profile of its threads if one was begun.
    static func recorder(
        of region: RegionFile, to path: String, _ profile: ProcessProfile?, _ symbolizer: Symbolizer = Symbolizer(),
        closing: TraceFileWriter.Closing? = nil
    ) throws(TraceProblem) -> TraceRecorder {
        let file = try file(of: region, to: path, symbolizer, closing: closing)
        guard let profile else { return try TraceRecorder(source: region, sink: file, watches: true) }
        let sink = ProfiledFile(file: file, profiler: ThreadProfiler(of: region, profile))
        return try TraceRecorder(source: region, sink: sink, watches: true)
    }

    /// Throws if no recording can be written at `path`. Called before the program starts, so that it does not run in vain.
    static func check(_ path: String) throws(UserError) {
        try OutputPath.check(path)
        let file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            guard errno == ENOENT else { throw OutputPath.cannotWrite(path, errno) }
            // Only an attempt tells whether the file system takes a new file. Its name is not the recording's: removing that could remove the
            // recording that another command has begun meanwhile.
            var name = Array("\(URL(fileURLWithPath: path).deletingLastPathComponent().path)/.hopscope-XXXXXX".utf8CString)
            let new = mkstemp(&name)
            guard new >= 0 else { throw OutputPath.cannotWrite(path, errno) }
            unlink(name)
            close(new)
            return
        }
        defer { close(file) }
        var status = stat()
        let isFile = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard isFile, status.st_size == 0 || TraceMagic(of: file) == .recording else {
            throw UserError("'\(path)' is there and is no recording, so it is not overwritten; name another file.", .unreadable)
        }
        if let obstacle = TraceFileWriter.obstacle(file, path: path) { throw UserError(any: obstacle) }
    }

    /// Whether the process has ended or stopped publishing.
    var isOver: Bool {
        switch region.writer {
        case .ended, .withdrawn: true
        case .recording, .elsewhere: false
        }
    }

    /// Completes the file and prints the number of events in it.
    func stop() throws {
        try recorder.stop(sawExit: region.writer == .ended)
        try Self.say(path, of: region)
    }

    /// Prints the number of events in a complete recording, and of those that it lacks: lost ones, or, if it has the `last` part of a trace,
    /// all before.
    static func say(_ path: String, of region: RegionFile, last: Bool = false) throws {
        let recorded = try TraceFileReader(path: path)
        let cause = last ? "earlier ones are not" : "were lost before they could be read"
        let lost = recorded.lost == 0 ? "" : "; \(CountText.text(recorded.lost)) \(cause)"
        StandardError.say("\(CountText.text(recorded.eventCount, "event")) of \(ListedTrace.name(region.program)) are in '\(path)'\(lost).")
    }
}
