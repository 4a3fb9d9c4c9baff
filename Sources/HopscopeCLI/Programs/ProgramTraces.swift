import CodeSymbols
import Foundation
import Hopscope
import TaskEvents
import TraceFile
import TraceStore
import TraceTransport

/// The traces that one program's processes publish, each in its own region, and a recording of each. One thread uses it.
final class ProgramTraces {
    /// One process of the program.
    final class RecordedProcess {
        let region: RegionFile
        let origin: ProcessOrigin
        /// The path of the recording.
        let recording: String
        private let recorder: TraceRecorder
        private let ending = Ending()
        private var isRecorded = false
        /// The reason why the recording is incomplete.
        private(set) var problem: (any Error)?

        fileprivate init(_ region: RegionFile, to recording: String, _ profile: ProcessProfile?, _ symbolizer: Symbolizer) throws {
            self.region = region
            self.recording = recording
            origin = ProcessOrigin(of: region)
            recorder = try RegionRecording.recorder(of: region, to: recording, profile, symbolizer) { [ending] in
                ending.text.withLock { $0 }
            }
        }

        /// Remembers that Hopscope ends the process now, so that the recording says so and lasts until then.
        fileprivate func end(at deadline: Deadline) {
            guard region.writer != .ended else { return }
            let sentence = "Hopscope ended the program, which had not ended after \(deadline.text)"
            let now = region.now
            ending.text.withLock { $0 = (sentence, now) }
        }

        /// Ends the recording, which then holds every event emitted so far.
        fileprivate func finish() {
            guard !isRecorded else { return }
            isRecorded = true
            do { try recorder.stop(sawExit: region.writer == .ended) } catch { problem = error }
        }

        /// Opens the recording. If it is incomplete, returns the lanes, which hold the last events and the number of lost ones.
        fileprivate func open() throws -> OpenedTrace {
            problem == nil ? try OpenedTrace(path: recording) : .lanes(region)
        }
    }

    /// How Hopscope ended a process. Nil for one that ends on its own.
    private final class Ending: Sendable {
        let text = Guarded<(sentence: String, time: UInt64)?>(nil)
    }

    /// The directory where the processes of this run publish.
    let folder: String
    /// The path of the recording that the user asked for. The first process outside of the Swift toolchain is recorded there while it runs.
    /// Nil as well if that file cannot be written.
    private var kept: String?
    private let profile: ProcessProfile?
    private let time: TimeSource
    /// Reads the debug information of each file once for all processes.
    private let symbolizer = Symbolizer()
    private let followed = FollowedProcesses<RecordedProcess>()
    /// Errors from traces that could not be read or recorded. They do not stop the program.
    private var problems: [any Error] = []

    /// `kept` is the path of the recording that the user asked for. If a profile of the processes' threads is asked for, the thread that
    /// calls this must start the program.
    init(recordingTo kept: String? = nil, profiling rates: ProfileRates? = nil, time: TimeSource) throws {
        self.kept = kept
        profile = ProcessProfile.ofStartedPrograms(rates)
        self.time = time
        let parent = try TraceDirectory.own()
        parent.removeLeftRuns()
        folder = parent.pathOfRun
        _ = try TraceDirectory(path: folder, makingIt: true)
    }

    /// The environment variables that make a program's processes publish in ``folder``.
    func environment() throws(UserError) -> [String: String] {
        try PreloadedLibrary.probe.environment().merging(["HOPSCOPE": folder]) { _, new in new }
    }

    /// Starts recording new processes, and ends the recordings of ended processes.
    func look() {
        profile?.look()
        guard let directory = attempt({ try TraceDirectory(path: folder) }) else { return }
        followed.add(directory.traces(), begin: record)
        for process in processes where process.region.writer == .ended { process.finish() }
    }

    /// Remembers that Hopscope ends the processes that are there now.
    func end(at deadline: Deadline) {
        for process in processes { process.end(at: deadline) }
    }

    private func record(_ trace: PublishedTrace) -> RecordedProcess? {
        guard let region = attempt({ try RegionFile(path: trace.path) }) else { return nil }
        let temporary = "\(folder)/\(processes.count).hop"
        if let kept, !ProcessOrigin(of: region).isToolchain, !processes.contains(where: { $0.recording == kept }) {
            if let process = attempt({ try RecordedProcess(region, to: kept, profile, symbolizer) }) { return process }
            // Another command may record there.
            self.kept = nil
        }
        return attempt { try RecordedProcess(region, to: temporary, profile, symbolizer) }
    }

    /// The processes, also those that have ended, in the order in which their traces appeared.
    var processes: [RecordedProcess] { followed.all }

    private func attempt<Result>(_ body: () throws -> Result) -> Result? {
        do {
            return try body()
        } catch {
            if problems.isEmpty { problems.append(error) }
            return nil
        }
    }

    /// Ends all recordings. If the user's file holds the recording of a process that is not the busiest, replaces it with the busiest
    /// one's.
    func finish() {
        look()
        for process in processes { process.finish() }
        guard let kept, let busiest = busiestFirst.first, busiest.recording != kept, busiest.problem == nil else { return }
        _ = attempt {
            let output = try ResultOutput(kept, mayReplaceTrace: true)
            try output.copy(busiest.recording)
            try output.finish()
        }
    }

    /// The first reason why a trace is missing or a recording is incomplete. Complete after ``finish()``.
    var problem: (any Error)? {
        problems.first ?? processes.lazy.compactMap(\.problem).first
    }

    /// The processes that recorded events. The user's own processes come before those of the Swift toolchain; within each group, the
    /// process with the most events comes first.
    var busiestFirst: [RecordedProcess] {
        let active = processes.filter { $0.region.recordCount > 0 && $0.region.reasonOfIdleProbe == nil }.sorted {
            $0.region.recordCount > $1.region.recordCount
        }
        return active.filter { !$0.origin.isToolchain } + active.filter(\.origin.isToolchain)
    }

    /// The processes that the inspector shows, as ``busiestFirst``. Those of the Swift toolchain are left out until the program has ended
    /// without any other.
    func shownFirst(hasEnded: Bool) -> [RecordedProcess] {
        let all = busiestFirst
        let own = all.filter { !$0.origin.isToolchain }
        return own.isEmpty && hasEnded ? all : own
    }

    /// Opens a process's trace. Nil if it cannot be read.
    func open(_ process: RecordedProcess) -> OpenedTrace? {
        attempt { try process.open() }
    }

    /// If there are several processes, names them, and says what became of the first one only, such as `shown`. In the inspector, the user
    /// chooses.
    func listOthers(as fate: String?) {
        let ordered = busiestFirst
        guard ordered.count > 1 else { return }
        guard let fate else { return StandardError.say("\(ordered.count) processes had events: \(Self.list(ordered)).") }
        StandardError.say(
            "Only the busiest process is \(fate), \(Self.list([ordered[0]])). The others: \(Self.list(Array(ordered.dropFirst()))).")
    }

    /// Text such as `17 (swift-build, 120 events) and 3 more`.
    static func list(_ processes: [RecordedProcess]) -> String {
        let names = processes.prefix(5).map { "\($0.region.pid) (\(ListedTrace.name($0.region.program)), \($0.region.recordCount) events)" }
        let rest = processes.count > 5 ? " and \(processes.count - 5) more" : ""
        return names.joined(separator: ", ") + rest
    }

    /// Moves the recordings of processes to where flight recordings are kept, and prints their paths.
    func keep(_ processes: [RecordedProcess], because trigger: String) {
        for process in processes where process.problem == nil {
            do {
                let path = try KeptRecording.path(
                    program: process.region.program, pid: process.region.pid, trigger: trigger, at: time.dateSeconds)
                let output = try ResultOutput(path, mayReplaceTrace: true)
                try output.copy(process.recording)
                try output.finish()
                StandardError.say("The trace of \(ListedTrace.name(process.region.program)) is in '\(path)'.")
            } catch {
                UserError(any: error).say()
            }
        }
    }

    /// Removes all files of this run except the recording that the user asked for.
    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
    }
}

extension TraceDirectory {
    /// The folder where the processes that this command starts publish. Readers of this directory also search that folder.
    fileprivate var pathOfRun: String { "\(path)/\(Self.runPrefix)\(getpid())" }

    /// Removes the folders of earlier commands that ended without removing them.
    fileprivate func removeLeftRuns() {
        for (path, pid) in runs where kill(pid, 0) != 0 && errno == ESRCH { try? FileManager.default.removeItem(atPath: path) }
    }
}
