import Foundation
import TaskEvents
import TraceFile
import TraceStore
import TraceTransport

/// What the processes of one program publish, each in a region of its own, and recordings of all of them. Used by one thread.
final class ProgramTraces {
    /// One process.
    final class Watched {
        let region: RegionFile
        let recording: String
        private let recorder: TraceRecorder
        private var isRecorded = false

        fileprivate init(_ region: RegionFile, to recording: String) throws {
            self.region = region
            self.recording = recording
            recorder = TraceRecorder(source: region, sink: try TraceFileWriter(path: recording, header: TraceFileHeader(of: region)))
        }

        /// Nothing more is taken; what was emitted until now is in the recording.
        fileprivate func finish() throws {
            guard !isRecorded else { return }
            isRecorded = true
            try recorder.stop()
        }
    }

    /// Where its processes publish: a directory of this run's own.
    let folder: String
    private(set) var watched: [Watched] = []
    private var seen: Set<String> = []
    /// What went wrong first; the program goes on all the same.
    private var problem: (any Error)?

    init() throws {
        let parent = try TraceDirectory.own()
        parent.removeLeftRuns()
        folder = parent.pathOfRun
        _ = try TraceDirectory(path: folder, makingIt: true)
    }

    /// What a program is given so that its processes publish here.
    func environment() throws(UserError) -> [String: String] {
        try ProbeLibrary.environment().merging(["HOPSCOPE": folder]) { _, new in new }
    }

    /// Begins to record the processes that have begun to publish, and ends the recordings of those that have ended.
    func look() {
        guard problem == nil else { return }
        do {
            for trace in try TraceDirectory(path: folder).traces() where !seen.contains(trace.path) {
                let region = try RegionFile(path: trace.path)
                seen.insert(trace.path)
                watched.append(try Watched(region, to: "\(folder)/\(watched.count).hop"))
            }
            for process in watched where process.region.writer == .ended { try process.finish() }
        } catch {
            problem = error
        }
    }

    /// Records what is left of all of them. Throws what went wrong, whenever that was.
    func finish() throws {
        look()
        if let problem { throw problem }
        for process in watched { try process.finish() }
    }

    /// Those that have told of anything, and most of them first.
    var busiestFirst: [Watched] {
        watched.filter { $0.region.recordCount > 0 }.sorted { $0.region.recordCount > $1.region.recordCount }
    }

    /// Says which processes there were beside the busiest.
    func listOthers() {
        let ordered = busiestFirst
        guard ordered.count > 1 else { return }
        let others = ordered.dropFirst()
        let names = others.prefix(5).map { "\($0.region.pid) (\(ListedTrace.name($0.region.program)), \($0.region.recordCount) events)" }
        let rest = others.count > 5 ? " and \(others.count - 5) more" : ""
        StandardError.say(
            "shown is the busiest process, \(ordered[0].region.pid); there were also \(names.joined(separator: ", "))\(rest).")
    }

    /// Removes everything that was written for it.
    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
    }
}

extension TraceDirectory {
    /// Where the processes publish that this process starts: a folder that is looked into by whoever looks into this one.
    fileprivate var pathOfRun: String { "\(path)/\(Self.runPrefix)\(getpid())" }

    /// Removes what commands left that could not do it themselves.
    fileprivate func removeLeftRuns() {
        for (path, pid) in runs where kill(pid, 0) != 0 && errno == ESRCH { try? FileManager.default.removeItem(atPath: path) }
    }
}
