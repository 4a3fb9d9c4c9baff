import Foundation

/// A program that ends soon, as the examinations of `hopscope doctor` run it.
struct BriefProgram {
    /// What it printed to standard output: at most the 64 KiB that a pipe holds, beyond which it would not end.
    let output: String
    /// Whether it exited with 0.
    let hasSucceeded: Bool

    /// Runs a program with no input. Nil if it does not start, or if it is killed because it takes longer than `seconds`.
    ///
    /// It gets this process's environment without `HOPSCOPE`, with `variables`, and with a folder for temporary files that is removed with
    /// all that the program leaves there: Swift's driver leaves a folder at each call.
    init?(_ program: String, _ arguments: [String] = [], _ variables: [String: String] = [:], seconds: Int = 10) {
        let folder = NSTemporaryDirectory() + "hopscope-doctor-\(UUID().uuidString.prefix(8))"
        let hasFolder = mkdir(folder, 0o700) == 0
        defer { if hasFolder { try? FileManager.default.removeItem(atPath: folder) } }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "HOPSCOPE" }
            .merging(hasFolder ? ["TMPDIR": folder] : [:]) { $1 }.merging(variables) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        for _ in 0..<seconds * 100 where process.isRunning { usleep(10_000) }
        guard !process.isRunning else {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            return nil
        }
        // A process that it left behind can have the pipe open, so its end may not come.
        let reader = pipe.fileHandleForReading.fileDescriptor
        _ = fcntl(reader, F_SETFL, O_NONBLOCK)
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(reader, &bytes, bytes.count)
        output = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        hasSucceeded = process.terminationReason == .exit && process.terminationStatus == 0
    }
}
