import Foundation

/// A folder of a test's own, deleted with the object.
package final class ScratchFolder: Sendable {
    package let path: String

    /// Made in /tmp, whatever TMPDIR says, because the path of a Unix socket has at most 107 bytes.
    package init() throws {
        var template = Array("/tmp/hop-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// A folder for everything that outlasts a test, deleted when the test process exits.
    package static let ofTestRun: ScratchFolder = {
        guard let folder = try? ScratchFolder() else { fatalError("The test run cannot make a folder in /tmp.") }
        atexit { try? FileManager.default.removeItem(atPath: ScratchFolder.ofTestRun.path) }
        return folder
    }()

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func path(_ name: String) -> String { path + "/" + name }

    /// Makes a folder in it with mode 0700, which programs require to publish in, and returns its path.
    package func privateFolder(_ name: String) throws -> String {
        let folder = path(name)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        return folder
    }

    /// The text of a file in it, nil while there is no such file.
    package func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    package func write(_ text: String, to name: String) throws {
        let file = URL(fileURLWithPath: path(name))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}
