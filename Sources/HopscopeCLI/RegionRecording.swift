import Foundation
import TaskEvents
import TraceFile
import TraceStore
import TraceTransport

/// The lanes of a process on their way into a recording.
final class RegionRecording {
    private let region: RegionFile
    private let path: String
    private let recorder: TraceRecorder

    /// Begins with what the lanes still hold.
    init(of region: RegionFile, to path: String) throws(TraceProblem) {
        self.region = region
        self.path = path
        recorder = TraceRecorder(source: region, sink: try TraceFileWriter(path: path, header: TraceFileHeader(of: region)))
    }

    /// Whether a recording can be written there: said before a program is started for nothing.
    static func check(_ path: String) throws(UserError) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            guard errno == ENOENT else { throw UserError("'\(path)' cannot be recorded to: \(words(of: errno)).", .cannotStart) }
            let folder = path.contains("/") ? URL(fileURLWithPath: path).deletingLastPathComponent().path : "."
            guard access(folder, W_OK | X_OK) != 0 else { return }
            throw UserError("'\(path)' cannot be recorded to: \(words(of: errno)).", errno == ENOENT ? .noSuchFile : .cannotStart)
        }
        defer { close(file) }
        var status = stat()
        let isFile = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard isFile, status.st_size == 0 || TraceMark(of: file) == .recording else {
            throw UserError("'\(path)' is there and is no recording, so it is not overwritten; name another file.", .unreadable)
        }
    }

    private static func words(of error: Int32) -> String {
        String(cString: strerror(error)).lowercased()
    }

    /// Whether the process has ended, or publishes no more.
    var isOver: Bool {
        switch region.writer {
        case .ended, .withdrawn: true
        case .recording, .elsewhere: false
        }
    }

    /// Completes the file, and says what is in it.
    func stop() throws {
        try recorder.stop()
        let recorded = try TraceFileReader(path: path)
        StandardError.say("\(recorded.eventCount) events of \(ListedTrace.name(region.program)) are in '\(path)'.")
    }
}
