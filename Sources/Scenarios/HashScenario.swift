import Foundation
import TaskEvents
import TaskRuntime

/// Hashes every regular file below a directory, several at a time, and counts the results on main.
struct HashTree: ChainScenario {
    let name = "hash"
    let summary =
        "your own files: hashes every file below --path on a pool and counts them on main; 3 Executors shows disk's four jobs and its queue"

    func start(on stage: Stage) -> [AnyChainTask] {
        [HashRun(stage, below: stage.path ?? ".").start()]
    }
}

/// Hashes one directory tree.
final class HashRun: Sendable {
    private struct Tally {
        var hashed = 0
        var bytes = 0
        var unreadable = 0
        var directoriesMissed = 0
    }

    private let stage: Stage
    private let root: String
    private let disk = ChainExecutor.pool(name: "disk", width: 4)
    private let tally = Guarded(Tally())

    init(_ stage: Stage, below root: String) {
        self.stage = stage
        self.root = root
    }

    func start() -> AnyChainTask {
        hashDirectory(root)
            .continueWithTask(on: .main, name: "summary") { [self] _ in
                let tally = tally.withLock { $0 }
                stage.say(Self.words(for: tally, root: root))
                return ChainTask(
                    tally.hashed, name: "\(tally.hashed + tally.unreadable) files: \(tally.hashed) hashed, \(tally.unreadable) unreadable")
            }
    }

    /// Ends when everything below the directory has been counted. Never fails, because failures are counted too.
    private func hashDirectory(_ path: String) -> ChainTask<Void> {
        ChainTask(on: disk, name: "list \(shown(path))") { try Listing(of: path) }
            .continueWithTask(name: "files of \(shown(path))") { [self] listing in
                if let error = listing.error {
                    stage.say("\(error)")
                    tally.withLock { $0.directoriesMissed += 1 }
                }
                let files = listing.result?.files ?? []
                let directories = listing.result?.directories ?? []
                return ChainTask.whenAll(files.map(hashFile) + directories.map(hashDirectory))
            }
    }

    private func hashFile(_ path: String) -> ChainTask<Void> {
        ChainTask(on: disk, name: shown(path)) { [stage] in
            stage.dawdle(.milliseconds(1))
            return try FileHash(of: path)
        }
        .continueWith(on: .main, name: "count") { [self] hash in
            let error = hash.error
            tally.withLock { tally in
                tally.hashed += error == nil ? 1 : 0
                tally.unreadable += error == nil ? 0 : 1
                tally.bytes += hash.result?.length ?? 0
            }
        }
    }

    /// A path relative to the root.
    private func shown(_ path: String) -> String {
        guard path != root else { return root }
        return String(path.dropFirst(root.hasSuffix("/") ? root.count : root.count + 1))
    }

    private static func words(for tally: Tally, root: String) -> String {
        var words = "\(tally.hashed + tally.unreadable) files below \(root): \(tally.hashed) hashed (\(tally.bytes) bytes)"
        words += ", \(tally.unreadable) unreadable."
        if tally.directoriesMissed > 0 { words += " \(tally.directoriesMissed) directories could not be listed." }
        return words
    }
}
