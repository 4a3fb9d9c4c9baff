import Foundation
import TaskEvents
import TraceFile
import TraceStore
import TraceTransport

/// The traces that the processes of one program publish, each in a region of its own, and recordings of all of them. Used by one thread.
final class ProgramTraces {
    /// One process.
    final class Watched {
        let region: RegionFile
        let origin: ProcessOrigin
        /// The recording's path.
        let recording: String
        private let recorder: TraceRecorder
        private var isRecorded = false
        /// Why the recording is not whole.
        private(set) var problem: (any Error)?

        fileprivate init(_ region: RegionFile, to recording: String) throws {
            self.region = region
            self.recording = recording
            origin = ProcessOrigin(of: region)
            recorder = TraceRecorder(source: region, sink: try TraceFileWriter(path: recording, header: TraceFileHeader(of: region)))
        }

        /// Ends the recording, which has everything that was emitted until now.
        fileprivate func finish() {
            guard !isRecorded else { return }
            isRecorded = true
            do { try recorder.stop() } catch { problem = error }
        }

        /// The recording. Where that could not be written to its end, the lanes: they hold the last events, and how many are lost.
        fileprivate func open() throws -> OpenedTrace {
            problem == nil ? try OpenedTrace(path: recording) : .lanes(region)
        }
    }

    /// The directory where the processes of this run publish.
    let folder: String
    /// The recording that the user asked for. The first process is recorded there while it runs.
    private let kept: String?
    private(set) var watched: [Watched] = []
    private var seen: Set<String> = []
    /// Why traces could not be read or recorded; the program goes on all the same.
    private var problems: [any Error] = []

    /// `kept` is the recording that the user asked for.
    init(recordingTo kept: String? = nil) throws {
        self.kept = kept
        let parent = try TraceDirectory.own()
        parent.removeLeftRuns()
        folder = parent.pathOfRun
        _ = try TraceDirectory(path: folder, makingIt: true)
    }

    /// The variables that make a program's processes publish here.
    func environment() throws(UserError) -> [String: String] {
        try ProbeLibrary.environment().merging(["HOPSCOPE": folder]) { _, new in new }
    }

    /// Begins to record the processes that have begun to publish, and ends the recordings of those that have ended.
    func look() {
        guard let directory = attempt({ try TraceDirectory(path: folder) }) else { return }
        for trace in directory.traces() where seen.insert(trace.path).inserted { watch(trace) }
        for process in watched where process.region.writer == .ended { process.finish() }
    }

    private func watch(_ trace: PublishedTrace) {
        guard let region = attempt({ try RegionFile(path: trace.path) }) else { return }
        let temporary = "\(folder)/\(watched.count).hop"
        let isKept = kept != nil && watched.isEmpty
        let process = attempt { try Watched(region, to: isKept ? kept ?? temporary : temporary) }
        guard let process = process ?? (isKept ? attempt { try Watched(region, to: temporary) } : nil) else { return }
        watched.append(process)
    }

    private func attempt<Result>(_ body: () throws -> Result) -> Result? {
        do {
            return try body()
        } catch {
            if problems.isEmpty { problems.append(error) }
            return nil
        }
    }

    /// Ends all recordings, and writes the busiest process's to the file that the user asked for, if another's is there.
    func finish() {
        look()
        for process in watched { process.finish() }
        guard let kept, let busiest = busiestFirst.first, busiest.recording != kept, busiest.problem == nil else { return }
        _ = attempt {
            let output = try ResultOutput(kept, mayReplaceTrace: true)
            try output.copy(busiest.recording)
            try output.finish()
        }
    }

    /// Why a trace is missing or a recording is not whole: the first reason. After ``finish()``.
    var problem: (any Error)? {
        problems.first ?? watched.lazy.compactMap(\.problem).first
    }

    /// The processes that made records: the user's own before those of the Swift toolchain, and of each sort the busiest first.
    var busiestFirst: [Watched] {
        let active = watched.filter { $0.region.recordCount > 0 }.sorted { $0.region.recordCount > $1.region.recordCount }
        return active.filter { !$0.origin.isToolchain } + active.filter(\.origin.isToolchain)
    }

    /// Opens a process's trace; nil if it cannot be read.
    func open(_ process: Watched) -> OpenedTrace? {
        attempt { try process.open() }
    }

    /// Names the processes beside the one that is shown.
    func listOthers() {
        let ordered = busiestFirst
        guard ordered.count > 1 else { return }
        StandardError.say(
            "shown is the busiest process, \(ordered[0].region.pid); there were also \(Self.list(Array(ordered.dropFirst()))).")
    }

    /// `17 (swift-build, 120 events) and 3 more`.
    static func list(_ processes: [Watched]) -> String {
        let names = processes.prefix(5).map { "\($0.region.pid) (\(ListedTrace.name($0.region.program)), \($0.region.recordCount) events)" }
        let rest = processes.count > 5 ? " and \(processes.count - 5) more" : ""
        return names.joined(separator: ", ") + rest
    }

    /// Why a program that publishes here could make no trace, as the system says it to this process, which has the same limits and the same
    /// disk. Nil if it could.
    var obstacle: TraceProblem? {
        do throws(TraceProblem) {
            _ = try EventBus(in: try TraceDirectory(path: folder))
            return nil
        } catch {
            return error
        }
    }

    /// Removes everything that was written for this run, but not the recording that the user asked for.
    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
    }
}

extension TraceDirectory {
    /// The folder where the processes publish that this process starts. Readers of this directory look into it as well.
    fileprivate var pathOfRun: String { "\(path)/\(Self.runPrefix)\(getpid())" }

    /// Removes the folders that commands left which ended without removing them.
    fileprivate func removeLeftRuns() {
        for (path, pid) in runs where kill(pid, 0) != 0 && errno == ESRCH { try? FileManager.default.removeItem(atPath: path) }
    }
}
