import Foundation
import RemoteTasks

/// The program begins in a folder. The header of the C library hides this function from Swift.
@_silgen_name("posix_spawn_file_actions_addchdir_np")
private func addFolder(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ folder: UnsafePointer<CChar>) -> CInt

/// A program that a command has started. By default it shares the command's terminal, input and output.
struct ChildProcess {
    /// The way in which the program ended.
    enum Ending {
        case exited(Int32)
        case killed(by: Int32)
    }

    let pid: pid_t

    /// Starts the program. Adds `environment` to this process's environment. The program begins with the signals in `mask` blocked. If
    /// `hasOwnGroup` is true, keys of the terminal send it no signals. If `terminal` is a path, the program gets a new session with that
    /// terminal instead of this process's input and output. If `output` is a descriptor, the program prints there and has no input. It begins in
    /// `folder`, if that is not nil.
    init(
        _ command: [String], environment: [String: String], mask: sigset_t, hasOwnGroup: Bool = false, terminal: String? = nil,
        output: Int32? = nil, folder: String? = nil
    ) throws(UserError) {
        let merged = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        let arguments = command.map { strdup($0) } + [nil]
        let variables = merged.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = mask
        posix_spawnattr_setsigmask(&attributes, &mask)
        var unignored = sigset_t()
        sigemptyset(&unignored)
        for signal in ProcessSetup.signalsOfPrograms { sigaddset(&unignored, signal) }
        posix_spawnattr_setsigdefault(&attributes, &unignored)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0))
                | (terminal == nil ? 0 : Self.newSession))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let folder { _ = addFolder(&actions, folder) }
        if let terminal {
            // The first terminal that a session leader opens becomes its controlling terminal.
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminal, O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
        }
        if let output {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        }
        var pid: pid_t = 0
        let error = posix_spawnp(&pid, command[0], &actions, &attributes, arguments, variables)
        guard error == 0 else { throw ProgramFile.cannotStart(command[0], error) }
        self.pid = pid
    }

    /// `POSIX_SPAWN_SETSID`, a macro that Swift does not import.
    private static let newSession: Int16 = 0x80

    /// The way in which the program ended, or nil while it runs. Do not call it again after it has returned an ending: the process is
    /// reaped.
    func ending() -> Ending? {
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        return status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(by: status & 0x7F)
    }

    /// This process and all its descendants: the process first, then its children, then theirs.
    var family: [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        let children = Dictionary(grouping: all, by: { SwiftProcess.parent(of: $0) ?? 0 })
        var found = [pid]
        var next = 0
        while next < found.count {
            found += (children[found[next]] ?? []).sorted().filter { !found.contains($0) }
            next += 1
        }
        return found
    }
}

extension ChildProcess.Ending {
    /// Prints a message if a signal ended the program.
    func say(of program: String) {
        guard case .killed(let signal) = self else { return }
        StandardError.say("'\(program)' was ended by signal \(signal): \(String(cString: strsignal(signal))).")
    }

    /// Ends this process in the way in which the program ended.
    func pass() -> Never {
        switch self {
        case .exited(let status): exit(status)
        case .killed(let signal): die(by: signal)
        }
    }
}
