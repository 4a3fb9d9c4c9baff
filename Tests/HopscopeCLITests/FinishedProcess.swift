import Dispatch
import Foundation
import TraceTestKit

/// The exit status and output of an ended program. It had no terminal and no input.
struct FinishedProcess: Sendable {
    let status: Int32
    let output: String
    let errors: String

    /// Runs a program to its end, which must come within so many seconds: past that it is killed and the status is 137.
    ///
    /// Foundation's `Process` does not fit: it waits also for the program's own children, such as tmux's server.
    static func run(_ command: [String], within seconds: Int = 60) async throws -> FinishedProcess {
        let folder = try ScratchFolder()
        let process = try spawn(["env", "timeout", "--signal=KILL", "\(seconds)"] + command, in: folder)
        // On a thread of its own, so that no thread of the test runner is blocked.
        let ending = await withCheckedContinuation { continuation in
            DispatchQueue(label: "waiting for \(command[0])").async {
                var ending: Int32 = 0
                while waitpid(process, &ending, 0) == -1, errno == EINTR {}
                continuation.resume(returning: ending)
            }
        }
        return FinishedProcess(
            status: ending & 0x7F == 0 ? (ending >> 8) & 0xFF : 128 + (ending & 0x7F),
            output: folder.text("output") ?? "", errors: folder.text("errors") ?? "")
    }

    /// Output goes to files, because a full pipe would block a program that prints much.
    private static func spawn(_ command: [String], in folder: ScratchFolder) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, folder.path("output"), O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, folder.path("errors"), O_WRONLY | O_CREAT, 0o600)
        let arguments = command.map { strdup($0) } + [nil]
        let environment = TestEnvironment.plain.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The test runner's threads block signals. A tmux that inherited this would not notice that its terminals have closed.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let failure = posix_spawn(&process, "/usr/bin/env", &actions, &attributes, arguments, environment)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .ENOENT) }
        return process
    }
}

enum TestEnvironment {
    /// This process's environment without the variables that change how a terminal program looks. Temporary files and published traces
    /// go to a folder that is deleted at the end of the test run.
    static var plain: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        for name in ["LC_ALL", "LC_CTYPE", "NO_COLOR", "COLORTERM", "COLUMNS", "LINES", "TMUX", "TMUX_PANE"] {
            environment[name] = nil
        }
        environment["LANG"] = "C.UTF-8"
        environment["TERM"] = "xterm-256color"
        environment["TMPDIR"] = ScratchFolder.ofTestRun.path
        environment["XDG_RUNTIME_DIR"] = ScratchFolder.ofTestRun.path
        return environment
    }
}

/// The built `hopscope`, in the folder of the running test bundle.
enum Hopscope {
    static let path = built("hopscope")

    /// The library that `hopscope run` preloads.
    static let probe = built("libhopscope-probe.so")

    /// The built program of `Sources/ExampleProgram`.
    static let example = built("ExampleProgram")

    private static func built(_ name: String) -> String {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(name).path
    }

    static func run(_ arguments: String...) async throws -> FinishedProcess {
        try await FinishedProcess.run([path] + arguments)
    }
}
