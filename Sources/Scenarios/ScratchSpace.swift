import Foundation

/// A temporary directory for everything that scenarios write. Whoever made it removes it, also when a scenario is left in its middle.
package final class ScratchSpace: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("hopscope-\(UUID().uuidString)", isDirectory: true)

    package init() {}

    /// Removes what has been written; without effect if nothing has.
    package func remove() {
        // Again where somebody was removing a part of it at the same time.
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

/// A directory of one part of a scenario, removed with its content at the latest when nobody holds it any more.
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
