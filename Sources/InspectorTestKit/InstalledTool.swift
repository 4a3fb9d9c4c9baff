import Foundation

/// A program that reads what we write, where it is installed.
package enum InstalledTool: String {
    case dot, xmllint

    private var path: String? {
        ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(rawValue)" }.first(
            where: FileManager.default.isExecutableFile(atPath:))
    }

    package var exists: Bool { path != nil }

    /// Runs it with `input` on a file of its own, and returns what it complains of; its exit status counts as a complaint.
    package func run(_ arguments: [String], input: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appendingPathComponent("hopscope-\(rawValue)-\(UUID().uuidString)")
        try Data(input.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let complaints = Pipe()
        process.executableURL = URL(fileURLWithPath: path ?? "")
        process.arguments = arguments + [file.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = complaints
        try process.run()
        let said = String(decoding: complaints.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? said : said + "exit \(process.terminationStatus)"
    }
}
