import Foundation

/// A test's own folder, removed when the object is released.
package final class ScratchFolder: Sendable {
    package let path: String

    /// Always in /tmp, even if TMPDIR is set, because a Unix socket's path has at most 107 bytes.
    package init() throws {
        var template = Array("/tmp/hop-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func path(_ name: String) -> String { path + "/" + name }

    /// Makes a folder with mode 0700, as programs require it to publish, and returns its path.
    package func privateFolder(_ name: String) throws -> String {
        let folder = path(name)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        return folder
    }

    /// The content of a file, nil if there is none.
    package func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    package func write(_ text: String, to name: String) throws {
        let file = URL(fileURLWithPath: path(name))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}
