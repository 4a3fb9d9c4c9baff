import Foundation
import Testing
import TraceTestKit

/// A command that runs until the object is gone.
final class RunningCommand {
    let process = Process()
    var pid: Int32 { process.processIdentifier }

    /// Returns when the command has said that it runs.
    init(_ command: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        guard !pipe.fileHandleForReading.availableData.isEmpty else { throw CocoaError(.fileReadUnknown) }
    }

    deinit {
        kill(pid, SIGKILL)
        process.waitUntilExit()
    }
}

/// The processes that `hopscope ps` may not read, and those that it reads although they lack symbols. The reasons that one machine cannot
/// have at the same time are a table in `RightsTests`.
@Suite(.timeLimit(.minutes(3)))
struct ReadingRightsTests {
    private func ps(_ pid: Int32, as prefix: [String] = [], by program: String = Hopscope.path) async throws -> FinishedProcess {
        try await FinishedProcess.run(prefix + [program, "ps", "\(pid)"])
    }

    private static let asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    /// A copy of a program in a folder that every user may enter. Another process makes it: a child of this one could have the file open for
    /// writing, and the system then refuses to execute it.
    private func copy(_ path: String, to name: String, in folder: ScratchFolder) async throws -> String {
        #expect(chmod(folder.path, 0o755) == 0)
        #expect(try await FinishedProcess.run(["cp", path, folder.path(name)]).status == 0)
        #expect(chmod(folder.path(name), 0o755) == 0)
        return folder.path(name)
    }

    @Test("Another user's process gets the way out", .enabled(if: geteuid() == 0))
    func refusesAnotherUser() async throws {
        let folder = try ScratchFolder()
        let program = try RunningCommand([try WatchedProgram.sleeping.path()])
        let refused = try await ps(program.pid, as: Self.asNobody, by: try await copy(Hopscope.path, to: "hopscope", in: folder))
        #expect(refused.status == 69 && refused.errors.contains("belongs to another user"), "\(refused.errors)")
    }

    @Test("A process that cleared its dumpable flag gets the way out", .enabled(if: geteuid() == 0))
    func refusesTheUndumpable() async throws {
        let folder = try ScratchFolder()
        let undumpable = try await copy(try WatchedProgram.undumpable.path(), to: "undumpable", in: folder)
        let program = try RunningCommand(Self.asNobody + [undumpable])
        let refused = try await ps(program.pid, as: Self.asNobody, by: try await copy(Hopscope.path, to: "hopscope", in: folder))
        #expect(refused.status == 69 && refused.errors.contains("cleared its dumpable flag"), "\(refused.errors)")
    }

    @Test("Root of a container that may not debug gets the way out", .enabled(if: geteuid() == 0))
    func refusesTheContained() async throws {
        let program = try RunningCommand([try WatchedProgram.sleeping.path()])
        // It reads nothing of a process that has the right.
        let withoutRight = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"]
        let refused = try await ps(program.pid, as: withoutRight)
        #expect(refused.status == 69 && refused.errors.contains("--cap-add=SYS_PTRACE"), "\(refused.errors)")
    }

    private static let hasUserNamespaces: @Sendable () async throws -> Bool = {
        try await FinishedProcess.run(["unshare", "--user", "--map-root-user", "true"]).status == 0
    }

    @Test("A process in another user namespace gets the way out", .enabled(if: geteuid() == 0))
    func refusesAnotherNamespace() async throws {
        // Some systems forbid user namespaces.
        guard try await Self.hasUserNamespaces() else { return }
        let program = try RunningCommand([try WatchedProgram.sleeping.path()])
        let refused = try await ps(program.pid, as: ["unshare", "--user", "--map-root-user"])
        #expect(refused.status == 69 && refused.errors.contains("in another user namespace"), "\(refused.errors)")
    }

    @Test("A thread of the kernel has no memory to read")
    func refusesTheKernel() async throws {
        let name = try? String(contentsOfFile: "/proc/2/comm", encoding: .utf8)
        // A container does not show the kernel's threads.
        guard name == "kthreadd\n" else { return }
        let refused = try await ps(2)
        #expect(refused.status == 69 && refused.errors.contains("is a thread of the kernel"), "\(refused.errors)")
    }

    @Test("A static program is read", arguments: [WatchedProgram.sleepingStatic, .sleepingStripped])
    func readsTheStatic(program: WatchedProgram) async throws {
        let running = try RunningCommand([try program.path()])
        let tree = try await ps(running.pid)
        #expect(tree.status == 0 && tree.output.contains(" waiter  suspended, "), "\(tree.output)\(tree.errors)")
        #expect(tree.output.contains("is assumed") == (program == .sleepingStripped), "\(tree.output)")
    }
}
