import Foundation

/// Where programs are made that tests run, each once; it goes with the process. Any thread may call it.
package final class BuildFolder: Sendable {
    /// A compiler, or whatever makes a program, did not make it.
    package struct NotMade: Error {
        package let command: [String]
    }

    private let scratch = try? ScratchFolder()
    private let lock = NSLock()

    package init() {}

    /// The path of a program, which is made by the command unless it is there already.
    package func program(_ name: String, _ command: (_ path: String) throws -> [String]) throws -> String {
        guard let path = scratch?.path(name) else { throw CocoaError(.fileWriteUnknown) }
        return try lock.withLock {
            if !FileManager.default.fileExists(atPath: path) { try make(command(path)) }
            return path
        }
    }

    private func make(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw NotMade(command: command) }
    }
}
