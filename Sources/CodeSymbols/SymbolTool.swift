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

    /// Runs the tool once. Returns nil if the tool could not be run, or has been silent for half a minute.
    ///
    /// Makes no thread, because under `ulimit -v` the system may have none to give. A command then waited for ever for a question that no
    /// thread sent.
    func answer(_ question: String, _ arguments: [String]) -> String? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return nil }
        defer { close(ends[0]) }
        let pid = spawn(arguments, on: ends[1])
        close(ends[1])
        guard let pid else { return nil }
        let answer = exchange(Array(question.utf8), on: ends[0])
        if answer == nil { kill(pid, SIGKILL) }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return answer.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Starts the tool with a socket as its input and output.
    private func spawn(_ arguments: [String], on socket: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The tool would inherit the commands' blocked signals.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        // The tool is not part of the inspected program.
        let environment = ProcessInfo.processInfo.environment.filter { $0.key != "HOPSCOPE" && $0.key != "LD_PRELOAD" }
        let words = ([url.path] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var pid: pid_t = 0
        return posix_spawn(&pid, url.path, &actions, &attributes, words, variables) == 0 ? pid : nil
    }

    /// Sends the question, and returns all output until the tool has ended.
    private func exchange(_ question: [UInt8], on socket: Int32) -> [UInt8]? {
        if question.isEmpty { shutdown(socket, Int32(SHUT_WR)) }
        var (sent, answer) = (0, [UInt8]())
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let isAsking = sent < question.count
            var ready = pollfd(fd: socket, events: Int16(POLLIN | (isAsking ? POLLOUT : 0)), revents: 0)
            let count = poll(&ready, 1, Self.patience)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            if isAsking, ready.revents & Int16(POLLOUT) != 0 {
                let size = question[sent...].withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Self.withoutWaiting) }
                // A tool that does not read the whole question may still have answered.
                sent = size > 0 ? sent + size : size < 0 && errno == EAGAIN ? sent : question.count
                if sent == question.count { shutdown(socket, Int32(SHUT_WR)) }
            }
            if ready.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
                let size = recv(socket, &buffer, buffer.count, Self.withoutWaiting)
                if size > 0 { answer += buffer[..<size] }
                if size == 0 || size < 0 && errno != EAGAIN && errno != EINTR { return answer }
            }
        }
    }

    /// In milliseconds.
    private static let patience: Int32 = 30_000
    private static let withoutWaiting = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
}
