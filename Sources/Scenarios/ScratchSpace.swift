import Foundation

/// A temporary directory for the files of all scenarios. Its owner removes it, even if a scenario is interrupted.
package final class ScratchSpace: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("hopscope-\(UUID().uuidString)", isDirectory: true)

    package init() {}

    /// Removes the directory, if it exists.
    package func remove() {
        // Repeated, because removal fails if a scenario removes a part at the same time.
        for _ in 0..<3 where FileManager.default.fileExists(atPath: url.path) {
            try? FileManager.default.removeItem(at: url)
        }
    }

    fileprivate func make(_ name: String) throws -> URL {
        let directory = url.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return directory
    }
}

/// A directory for one part of a scenario. It is removed with its content when it is released, or before.
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
