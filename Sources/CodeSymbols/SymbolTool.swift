import Foundation

/// A program of the toolchain that answers each input line with output lines.
struct SymbolTool: Sendable {
    private let url: URL

    /// Searches the Swift toolchain's folder, then `PATH`; nil if the program is in neither.
    init?(_ name: String) {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
        let folders = path.split(separator: ":").map { URL(fileURLWithPath: String($0)) }
        let toolchains = folders.map { $0.appendingPathComponent("swift") }.filter { FileManager.default.isExecutableFile(atPath: $0.path) }
            .map { $0.resolvingSymlinksInPath().deletingLastPathComponent() }
        let found = (toolchains + folders).map { $0.appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        guard let found else { return nil }
        url = found
    }

    /// Runs the program once. Nil if that fails.
    func answer(_ question: String, _ arguments: [String]) -> String? {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        // The tool must not publish a trace.
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "HOPSCOPE" && $0.key != "LD_PRELOAD" }
        guard (try? process.run()) != nil else { return nil }
        let writer = Thread {
            try? input.fileHandleForWriting.write(contentsOf: Data(question.utf8))
            try? input.fileHandleForWriting.close()
        }
        writer.start()
        let answer = try? output.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        return answer.map { String(decoding: $0, as: UTF8.self) }
    }
}
