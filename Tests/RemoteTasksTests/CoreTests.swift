import Foundation
import InspectorTestKit
import RemoteTasks
import TaskEvents
import Testing

/// Whether the kernel writes core files beside the program.
private func writesCoreFiles() -> Bool {
    let pattern = FileManager.default.contents(atPath: "/proc/sys/kernel/core_pattern").map { String(decoding: $0, as: UTF8.self) } ?? "|"
    return !pattern.hasPrefix("|") && !pattern.hasPrefix("/")
}

/// Core files of crashed programs.
@Suite(.enabled(if: writesCoreFiles()), .timeLimit(.minutes(3)))
struct CoreTests {
    static let crashes = ["fatal-error", "nil", "index", "overflow", "division", "precondition", "try", "abort", "null", "stack"]

    /// Lets the program crash in a folder of its own, and returns the path of the core file.
    private func core(of program: String, _ how: String, in folder: ScratchFolder) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "ulimit -c unlimited; cd \"$0\"; exec \"$1\" \"$2\"", folder.path, program, how]
        process.environment = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return folder.path(try #require(names.first { $0.hasPrefix("core") }))
    }

    @Test("The crashing thread's task, its native and asynchronous stack, and all suspended tasks are found", arguments: crashes)
    func findsTheCrash(how: String) throws {
        let folder = try ScratchFolder()
        let path = try UnpreparedProgram.crash.path(.debug)
        let snapshot = try Snapshot(of: RemoteProcess(core: try core(of: path, how, in: folder), program: path))
        let symbols = SnapshotSymbols(of: snapshot)
        #expect(snapshot.isCore)
        #expect(Set(snapshot.tasks.map(\.name)).subtracting([""]) == Set((0..<20).map { "parked-\($0)" } + ["crasher"]))
        #expect(snapshot.tasks.count { $0.name.hasPrefix("parked-") && $0.state == .suspended && !$0.frames.isEmpty } == 20)
        // The first thread of a core file is the one that crashed.
        let thread = try #require(snapshot.threads.first)
        #expect(thread.task.flatMap { snapshot.task(at: $0) }?.name == "crasher")
        let functions = symbols.calls(at: thread.stack + thread.frames).map(\.function)
        let wanted = how == "stack" ? ["deeper"] : ["crash", "leaf", "branch"]
        #expect(wanted.allSatisfy { function in functions.contains { $0.hasPrefix(function + "(") } }, "\(functions)")
    }
}
