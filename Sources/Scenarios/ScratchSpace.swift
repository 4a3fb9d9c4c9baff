import Foundation
import TaskEvents

/// A temporary directory for everything that scenarios write.
///
/// Its owner removes it, even if a scenario is interrupted. A killed process leaves its directory, and the next process that makes a
/// scratch space removes it. Each directory in use has a lock, which the kernel releases with the process.
package final class ScratchSpace: Sendable {
    let url: URL
    private let lock = Guarded<Int32?>(nil)

    private static let prefix = "hopscope-demo-"

    /// Chooses the name of a directory in `parent`, and removes the directories that killed processes left there.
    package init(in parent: URL = FileManager.default.temporaryDirectory) {
        url = parent.appendingPathComponent("\(Self.prefix)\(UUID().uuidString)", isDirectory: true)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where name.hasPrefix(Self.prefix) { Self.removeIfUnused(parent.appendingPathComponent(name).path) }
    }

    deinit {
        unlock()
    }

    private static func removeIfUnused(_ path: String) {
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard directory >= 0 else { return }
        defer { close(directory) }
        var status = stat()
        guard fstat(directory, &status) == 0, status.st_uid == geteuid(), flock(directory, LOCK_EX | LOCK_NB) == 0 else { return }
        try? FileManager.default.removeItem(atPath: path)
    }

    private func takeLock() {
        lock.withLock { lock in
            guard lock == nil else { return }
            let directory = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard directory >= 0 else { return }
            flock(directory, LOCK_SH)
            lock = directory
        }
    }

    private func unlock() {
        lock.withLock { lock in
            if let lock { close(lock) }
            lock = nil
        }
    }

    /// Removes the directory, if it exists.
    package func remove() {
        defer { unlock() }
        // Tries again, because a scenario may have removed a part at the same time.
        for _ in 0..<3 where FileManager.default.fileExists(atPath: url.path) {
            try? FileManager.default.removeItem(at: url)
        }
    }

    fileprivate func make(_ name: String) throws -> URL {
        let directory = url.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        takeLock()
        return directory
    }
}

/// A directory for one part of a scenario. It is removed with its content when the last reference to it is released, or earlier.
final class ScratchDirectory: Sendable {
    let url: URL

    init(in space: ScratchSpace) throws {
        url = try space.make(UUID().uuidString)
    }

    deinit {
        remove()
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }
}
