import Foundation
import TaskEvents
import TraceTestKit

/// A program of `Programs`, and how it is built.
enum UnpreparedProgram: String, Sendable {
    case shapes = "Shapes"
    case churn = "Churn"
    case crash = "Crash"
    case blocked = "Blocked"
    case served = "Served"
    case large = "Large"
    case frames = "Frames"
    case odd = "Odd"
    case stale = "Stale"
    case queues = "Queues"
    case holders = "Holders"
    case sockets = "Sockets"
    case channels = "Channels"
    case pools = "Pools"
    case computing = "Computing"

    enum Build: String, CaseIterable, Sendable {
        case debug, release, stripped, staticRuntime, staticStripped

        /// Whether the program has symbols of its own.
        var hasSymbols: Bool { self != .stripped && self != .staticStripped }

        /// The build whose copy loses its symbols to make this one, because the compiler and the linker would do the same work again.
        fileprivate var withSymbols: Build? {
            switch self {
            case .stripped: .release
            case .staticStripped: .staticRuntime
            case .debug, .release, .staticRuntime: nil
            }
        }

        fileprivate var options: [String] {
            switch self {
            case .debug: ["-Onone", "-g"]
            case .release, .stripped: ["-O", "-g"]
            case .staticRuntime, .staticStripped: ["-O", "-g", "-static-stdlib"]
            }
        }
    }

    private static let folder = BuildFolder("RemoteTasksTests")

    private var source: String { Self.source(rawValue) }

    private static func source(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Programs/\(name).swift").path
    }

    private var otherOptions: [String] {
        switch self {
        // SwiftPM gives the main function of a program the name of its module.
        case .served:
            ["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "Served_main", "-Xlinker", "--defsym=main=Served_main"]
        case .channels, .pools: [Self.source("Connections"), "-module-name", "NIOPosix"]
        case _: []
        }
    }

    struct NoSuchText: Error {
        let text: String
    }

    /// The first line of the program that contains a text, as `File.swift:12`.
    func site(of text: String) throws -> String {
        let lines = try String(contentsOfFile: source, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        guard let index = lines.firstIndex(where: { $0.contains(text) }) else { throw NoSuchText(text: text) }
        return "\(rawValue).swift:\(index + 1)"
    }

    /// The last line of the program that contains a text, as `File.swift:12`.
    func lastSite(of text: String) throws -> String {
        let lines = try String(contentsOfFile: source, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        guard let index = lines.lastIndex(where: { $0.contains(text) }) else { throw NoSuchText(text: text) }
        return "\(rawValue).swift:\(index + 1)"
    }

    func path(_ build: Build) throws -> String {
        try Self.folder.program("\(rawValue)-\(build.rawValue)") { path in
            if let whole = build.withSymbols { return ["strip", "--strip-all", "-o", path, try self.path(whole)] }
            let command = ["swiftc", "-swift-version", "5", "-parse-as-library", source, "-o", path] + build.options + otherOptions
            guard self == .channels || self == .pools else { return command }
            // A module of its own comes first.
            let script = #"""
                client=$1 folder=$2-modules; shift 2; mkdir -p "$folder"
                swiftc -swift-version 5 -parse-as-library -module-name Client -emit-module -emit-module-path "$folder/Client.swiftmodule" \
                    -c "$client" -o "$folder/Client.o" && exec "$@" -I "$folder" -Xfrontend -import-module -Xfrontend Client "$folder/Client.o"
                """#
            return ["sh", "-c", script, "sh", Self.source("Client"), path] + command
        }
    }
}

/// A program that runs until the object is gone, once it has printed `ready`.
final class RunningProgram: Sendable {
    let pid: Int32
    /// The program's output before `ready`.
    let lines: [String]
    private let process: Process

    /// The program did not print `ready`. Its output until then is given.
    enum NotReady: Error {
        case ended(output: String)
        /// It still ran at the deadline, and was killed.
        case hung(output: String)
    }

    /// `runtime` replaces the program's Swift runtime. If the program crashes, it leaves its core file in `coreFolder`, or runs `backtracer`.
    /// A sound program prints `ready` long before the deadline, however busy the machine is.
    init(
        _ path: String, _ arguments: [String] = [], runtime: RuntimeCopy? = nil, coreFolder: String? = nil, backtracer: String? = nil,
        deadline seconds: Double = 120
    ) throws {
        process = Process()
        let path = try runtime?.prepared(path) ?? path
        process.executableURL = URL(fileURLWithPath: coreFolder == nil ? path : "/bin/sh")
        process.arguments = arguments
        if let coreFolder {
            process.currentDirectoryURL = URL(fileURLWithPath: coreFolder)
            process.arguments = ["-c", "ulimit -c unlimited; exec \"$0\" \"$@\"", path] + arguments
        }
        var environment = ProcessInfo.processInfo.environment
        environment["HOPSCOPE"] = nil
        environment["LD_PRELOAD"] = nil
        // The runtime's own backtrace would be made before the core file. With a changed runtime it can wait for ever.
        if coreFolder != nil || runtime != nil { environment["SWIFT_BACKTRACE"] = "enable=no" }
        if let backtracer { environment["SWIFT_BACKTRACE"] = "enable=yes,swift-backtrace=\(backtracer)" }
        if let runtime { environment.merge(runtime.environment) { _, new in new } }
        process.environment = environment
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        pid = process.processIdentifier
        do {
            let output = try Self.output(of: pipe.fileHandleForReading, until: seconds)
            lines = output.split(separator: "\n").map(String.init).dropLast()
        } catch {
            kill(pid, SIGKILL)
            process.waitUntilExit()
            throw error
        }
    }

    /// The program's output up to the line `ready`.
    private static func output(of pipe: FileHandle, until seconds: Double) throws -> String {
        let waited = TimeSource().elapsed()
        var bytes = Data()
        func output() -> String { String(decoding: bytes, as: UTF8.self) }
        while !bytes.suffix(7).elementsEqual("\nready\n".utf8) && !bytes.elementsEqual("ready\n".utf8) {
            var waiting = pollfd(fd: pipe.fileDescriptor, events: Int16(POLLIN), revents: 0)
            let left = seconds * 1000 - Double(waited()) / 1_000_000
            guard left > 0, poll(&waiting, 1, Int32(left.rounded(.up))) > 0 else {
                if left > 0, errno == EINTR { continue }
                throw NotReady.hung(output: output())
            }
            let part = pipe.availableData
            guard !part.isEmpty else { throw NotReady.ended(output: output()) }
            bytes += part
        }
        return output()
    }

    func end(with signal: Int32 = SIGKILL) {
        kill(pid, signal)
        process.waitUntilExit()
    }

    deinit {
        if process.isRunning { end() }
    }
}
