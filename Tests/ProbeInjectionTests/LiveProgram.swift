import Foundation
import RemoteTasks
import TraceTestKit

/// A program of `Programs` that runs until the object is gone. Its input and output are pipes.
final class LiveProgram: Sendable {
    enum Source: String {
        case requests = "Requests"
        case calls = "Calls"
        case quiet = "Quiet"
        /// `Quiet` with the Swift runtime in its own file.
        case withRuntime = "QuietWithRuntime"
        /// `Quiet` with all libraries in its own file.
        case alone = "QuietAlone"
        /// A library.
        case slow = "Slow"

        func path() throws -> String {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            func file(_ name: String) -> String { folder.appendingPathComponent("Programs/\(name)").path }
            let swift = ["swiftc", "-swift-version", "5", "-parse-as-library", "-g"]
            return try LiveProgram.folder.program(rawValue) { path in
                switch self {
                case .calls: ["cc", "-O1", file("Calls.c"), "-o", path]
                case .slow: ["cc", "-shared", "-fPIC", file("Slow.c"), "-o", path]
                case .requests, .quiet: swift + [file("\(rawValue).swift"), "-o", path]
                case .withRuntime: swift + ["-static-stdlib", file("Quiet.swift"), "-o", path]
                case .alone: swift + ["-static-executable", file("Quiet.swift"), "-o", path]
                }
            }
        }
    }

    let pid: Int32
    /// The folder in which it would publish.
    let traces: String
    private let process: Process
    private let input: FileHandle
    private let output: FileHandle
    private let scratch: ScratchFolder

    fileprivate static let folder = BuildFolder("ProbeInjectionTests")

    struct NoLine: Error {
        let text: String
    }

    /// Starts a program of `Programs` and waits for the line `ready`.
    convenience init(_ source: Source, _ arguments: [String] = [], environment variables: [String: String] = [:]) throws {
        try self.init(path: source.path(), arguments, environment: variables)
    }

    /// Starts any program that says `ready`.
    init(path: String, _ arguments: [String] = [], environment variables: [String: String] = [:]) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        scratch = try ScratchFolder()
        traces = try scratch.privateFolder("traces")
        var environment = ProcessInfo.processInfo.environment
        environment["LD_PRELOAD"] = nil
        environment["HOPSCOPE"] = traces
        environment.merge(variables) { _, new in new }
        process.environment = environment
        let (inputs, outputs) = (Pipe(), Pipe())
        process.standardInput = inputs
        process.standardOutput = outputs
        (input, output) = (inputs.fileHandleForWriting, outputs.fileHandleForReading)
        try process.run()
        pid = process.processIdentifier
        let ready = try line()
        guard ready == "ready" else { throw NoLine(text: ready) }
    }

    /// The program's next line.
    func line() throws -> String {
        var bytes = Data()
        while let byte = try output.read(upToCount: 1), !byte.isEmpty {
            if byte == Data([10]) { return String(decoding: bytes, as: UTF8.self) }
            bytes += byte
        }
        throw NoLine(text: String(decoding: bytes, as: UTF8.self))
    }

    func tell(_ line: String) throws {
        try input.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Sends a line and reads the answer.
    func ask(_ question: String) throws -> String {
        try tell(question)
        return try line()
    }

    /// The number of the program's threads. Those of a pool end when they have had nothing to do for a while.
    var threads: Int { ProcFile("/proc/\(pid)/status").field("Threads:").flatMap { Int($0) } ?? 0 }

    /// The files that the program has mapped.
    var files: [String] {
        let maps = ProcFile("/proc/\(pid)/maps").text.split(separator: "\n").compactMap { $0.split(separator: " ").dropFirst(5).first }
        return Set(maps.map(String.init)).sorted()
    }

    /// The system calls in which its threads are.
    var calls: [Int] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        return threads.compactMap { Int(ProcFile("/proc/\(pid)/task/\($0)/syscall").text.prefix { $0 != " " }) }
    }

    /// Closes its input and waits for its end.
    func finish() throws -> Int32 {
        try input.close()
        process.waitUntilExit()
        return process.terminationStatus
    }

    deinit {
        guard process.isRunning else { return }
        kill(pid, SIGKILL)
        process.waitUntilExit()
    }
}

/// The library that the tests load, as Scripts/link-probe builds it.
enum ProbeFile {
    static func path() throws -> String { try built.get() }

    private static let built = Result {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let products = URL(fileURLWithPath: bundle).resolvingSymlinksInPath().deletingLastPathComponent()
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let script = Process()
        script.currentDirectoryURL = tests.deletingLastPathComponent()
        script.executableURL = tests.deletingLastPathComponent().appendingPathComponent("Scripts/link-probe")
        script.arguments = [products.path]
        try script.run()
        script.waitUntilExit()
        guard script.terminationStatus == 0 else { throw BuildFolder.NotMade(command: ["Scripts/link-probe", products.path]) }
        return products.appendingPathComponent("libhopscope-probe.own.so").path
    }
}
