import Foundation
import TaskEvents
import TraceStore

/// What the processes of one program publish, each in a region of its own, and recordings of all of them.
final class ProgramTraces {
    /// One process.
    struct Watched {
        let region: RegionFile
        let recording: String
        let recorder: TraceRecorder
    }

    /// Where its processes publish: a directory of this run's own.
    private let run: TraceDirectory
    var folder: String { run.path }
    private(set) var watched: [Watched] = []
    private var seen: Set<String> = []

    init() throws {
        let parent = try TraceDirectory.own()
        parent.prune(now: Int(Date().timeIntervalSince1970))
        run = try parent.beginRun()
    }

    /// Begins to record the processes that have begun to publish.
    func look() throws {
        for trace in try TraceDirectory(path: folder).traces() where seen.insert(trace.path).inserted {
            let region = try RegionFile(path: trace.path)
            let recording = "\(folder)/\(watched.count).hop"
            let sink = try HopWriter(path: recording, header: HopHeader(of: region))
            watched.append(Watched(region: region, recording: recording, recorder: TraceRecorder(source: region, sink: sink)))
        }
    }

    /// Records what is left of all of them.
    func finish() throws {
        try look()
        for process in watched { try process.recorder.stop() }
    }

    /// The process that has told most.
    var busiest: Watched? {
        watched.max { $0.region.recordCount < $1.region.recordCount }
    }

    /// Says which processes there were beside one.
    func listOthers(than chosen: Watched) {
        let others = watched.filter { $0.recording != chosen.recording }.sorted { $0.region.recordCount > $1.region.recordCount }
        guard !others.isEmpty else { return }
        let names = others.prefix(5).map { "\($0.region.pid) (\(ListedTrace.name($0.region.program)), \($0.region.recordCount) events)" }
        let rest = others.count > 5 ? " and \(others.count - 5) more" : ""
        StandardError.say("shown is the busiest process, \(chosen.region.pid); there were also \(names.joined(separator: ", "))\(rest).")
    }

    /// Removes everything that was written for it.
    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
    }
}
