import Foundation
import RemoteTasks
import TaskEvents
import Testing
import TraceTestKit

/// Whether the kernel writes core files beside the program.
func writesCoreFiles() -> Bool {
    let pattern = FileManager.default.contents(atPath: "/proc/sys/kernel/core_pattern").map { String(decoding: $0, as: UTF8.self) } ?? "|"
    return !pattern.hasPrefix("|") && !pattern.hasPrefix("/")
}

/// Core files of crashed programs.
@Suite(.enabled(if: writesCoreFiles()), .timeLimit(.minutes(3)))
struct CoreTests {
    /// A crash: what crashes, and in which part of the task named `crasher`.
    struct Crash: Sendable, CustomTestStringConvertible {
        var how: String
        var site = "task"
        var build = UnpreparedProgram.Build.debug
        var testDescription: String { "\(how) in \(site), \(build.rawValue)" }
    }

    static let crashes =
        ["fatal-error", "nil", "index", "overflow", "division", "precondition", "try", "abort", "null", "stack", "c"].map { Crash(how: $0) }
        + ["actor", "group", "async-let"].map { Crash(how: "index", site: $0) }
        + [
            Crash(how: "abort", build: .release), Crash(how: "c", build: .release), Crash(how: "null", site: "actor", build: .release),
            Crash(how: "fatal-error", site: "group", build: .release),
            Crash(how: "division", site: "async-let", build: .release),
        ]

    /// Lets the program crash in a folder of its own, and returns the path of the core file.
    static func core(of program: String, _ crash: Crash, in folder: ScratchFolder) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", "ulimit -c unlimited; cd \"$0\"; exec \"$1\" \"$2\" \"$3\"", folder.path, program, crash.how, crash.site,
        ]
        process.environment = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return folder.path(try #require(names.first { $0.hasPrefix("core") }))
    }

    @Test("The crashing thread's task, its native and asynchronous stack, and all suspended tasks are found", arguments: crashes)
    func findsTheCrash(crash: Crash) throws {
        let folder = try ScratchFolder()
        let path = try UnpreparedProgram.crash.path(crash.build)
        let snapshot = try Snapshot(of: RemoteProcess(core: try Self.core(of: path, crash, in: folder), program: path))
        let symbols = SnapshotSymbols(of: snapshot)
        #expect(snapshot.isCore)
        let others = crash.site == "group" ? ["crasher", "child", "sibling"] : ["crasher"]
        #expect(Set(snapshot.tasks.map(\.name)).subtracting([""]) == Set((0..<20).map { "parked-\($0)" } + others))
        #expect(snapshot.tasks.count { $0.name.hasPrefix("parked-") && $0.state == .suspended && !$0.frames.isEmpty } == 20)

        // The first thread of a core file is the one that crashed.
        let thread = try #require(snapshot.threads.first)
        let task = try #require(thread.task.flatMap { snapshot.task(at: $0) })
        let signal = ["abort": SIGABRT, "null": SIGSEGV, "stack": SIGSEGV][crash.how] ?? SIGILL
        #expect(task.state == .running && thread.signal == signal && snapshot.threads.dropFirst().allSatisfy { $0.signal == nil })
        let crasher = try #require(snapshot.tasks.first { $0.name == "crasher" })
        let functions = symbols.calls(at: symbols.stack(of: task)).map(\.function)
        func called(_ function: String) -> Bool { functions.contains { $0.hasPrefix(function + "(") } }
        let wanted = crash.how == "stack" ? ["deeper"] : ["crash", "leaf", "branch"]
        #expect(wanted.allSatisfy(called), "\(functions)")
        // A function of the standard library that the compiler copied into the program is not the place.
        if crash.how == "index" { #expect(symbols.call(of: task)?.function == "crash(_:)", "\(functions)") }
        if crash.how == "c" { #expect(functions.contains { $0.contains("qsort") }, "\(functions)") }

        let waiting = symbols.calls(at: crasher.frames).map(\.function)
        switch crash.site {
        case "actor":
            #expect(task.address == crasher.address && called("Teller.pay"), "\(functions)")
        case "group":
            #expect(task.name == "child" && task.parent == crasher.address && crasher.state == .suspended)
            #expect(waiting.contains { $0.hasPrefix("groupCrashes(") }, "\(waiting)")
            #expect(snapshot.tasks.contains { $0.name == "sibling" && $0.state == .suspended && !$0.frames.isEmpty })
        case "async-let":
            #expect(task.kind == .asyncLet && task.parent == crasher.address && crasher.wait == .task(task.address))
            #expect(waiting.contains { $0.hasPrefix("childCrashes(") }, "\(waiting)")
        default:
            #expect(task.address == crasher.address)
        }
    }
}
