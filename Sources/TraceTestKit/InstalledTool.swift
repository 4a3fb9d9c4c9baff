import Foundation

/// An external program that reads an export, if it is installed.
package enum InstalledTool: String {
    case dot, xmllint

    private var path: String? {
        ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(rawValue)" }.first(
            where: FileManager.default.isExecutableFile(atPath:))
    }

    package var exists: Bool { path != nil }

    /// Runs the program with `input` in a file and returns its complaints. A non-zero exit status is a complaint.
    package func run(_ arguments: [String], input: String) throws -> String {
        let folder = try ScratchFolder()
        try folder.write(input, to: "input")
        let process = Process()
        let complaints = Pipe()
        process.executableURL = URL(fileURLWithPath: path ?? "")
        process.arguments = arguments + [folder.path("input")]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = complaints
        try process.run()
        let said = String(decoding: complaints.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? said : said + "exit \(process.terminationStatus)"
    }
}
