import Foundation
import TaskEvents
import TraceStore

/// The lanes of a process on their way into a recording.
final class RegionRecording {
    private let region: RegionFile
    private let path: String
    private let recorder: TraceRecorder

    /// Begins with what the lanes still hold.
    init(of region: RegionFile, to path: String) throws(TraceProblem) {
        self.region = region
        self.path = path
        recorder = TraceRecorder(source: region, sink: try HopWriter(path: path, header: HopHeader(of: region)))
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
        let recorded = try HopReader(path: path)
        StandardError.say("\(recorded.eventCount) events of \(ListedTrace.name(region.program)) are in '\(path)'.")
    }
}
