import Dispatch
import Foundation
import TraceTestKit

/// Hopscope in a real terminal: a separate tmux server of a fixed size, without the user's settings and without a client.
///
/// All facts come from the terminal itself: its screen, its modes, its line settings before and after. A test waits
/// until the terminal shows a text and fails with the last screen if it never does.
struct TerminalSession: Sendable {
    private let folder: ScratchFolder

    /// Opens a terminal, runs `hopscope` or another program in it, passes it to the body, and closes it in any case.
    static func run(
        _ arguments: String..., program: String = Hopscope.path, columns: Int = 80, rows: Int = 24, environment: [String: String] = [:],
        _ body: (TerminalSession) async throws -> Void
    ) async throws {
        try await run(arguments, program: program, columns: columns, rows: rows, environment: environment, body)
    }

    /// The same in a terminal whose ground has this colour, such as `#ffffff`, and which says so when it is asked.
    static func run(_ arguments: String..., ground: String, _ body: (TerminalSession) async throws -> Void) async throws {
        try await run(arguments, ground: ground, body)
    }

    /// The same with the arguments as a list.
    static func run(
        _ arguments: [String], program: String = Hopscope.path, columns: Int = 80, rows: Int = 24, environment: [String: String] = [:],
        ground: String? = nil, _ body: (TerminalSession) async throws -> Void
    ) async throws {
        let session = TerminalSession(folder: try ScratchFolder())
        try session.folder.write(settings + (ground.map { "set -g window-style bg=\($0)\n" } ?? ""), to: "tmux.conf")
        try session.folder.write(script, to: "session.sh")
        // Keys that change settings must change neither the user's nor another test's.
        let settings = "XDG_CONFIG_HOME=\(session.folder.path("config"))"
        let program = ["env", settings] + environment.map { "\($0)=\($1)" } + [program] + arguments
        let shell = ["sh", session.folder.path("session.sh"), session.folder.path] + program
        try await session.tmux(["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"] + shell)
        do {
            try await body(session)
        } catch {
            _ = try? await session.tmux(["kill-server"])
            throw error
        }
        try await session.tmux(["kill-server"])
    }

    private static let settings = """
        set -g default-terminal xterm-256color
        set -g status off
        set -g escape-time 0

        """

    /// The script that the terminal runs. It continues a stopped program (148: 128 and SIGTSTP) when a line arrives. At the end the
    /// terminal stays open, so that the test can read it.
    private static let script = """
        folder=$1
        shift
        trap : INT
        stty -g >"$folder/before"
        set -m
        sh -c 'echo $$ >"$0/pid"; exec "$@"' "$folder" "$@"
        status=$?
        while [ "$status" -eq 148 ]; do
            stty -g >"$folder/stopped"
            read -r line
            rm "$folder/stopped"
            fg >/dev/null
            status=$?
        done
        stty -g >"$folder/after"
        echo "$status" >"$folder/status.new"
        mv "$folder/status.new" "$folder/status"
        exec cat
        """

    // MARK: Input

    /// Presses keys by tmux's names: `q`, `Tab`, `BTab`, `Enter`, `Escape`, `Down`, `PageUp`.
    func press(_ keys: String...) async throws {
        try await tmux(["send-keys"] + keys)
    }

    /// Presses and releases the left button on a cell; column and row count from 0.
    func click(column: Int, row: Int) async throws {
        try await report(button: 0, column: column, row: row, isPress: true)
        try await report(button: 0, column: column, row: row, isPress: false)
    }

    /// Clicks on the first cell of a text on the screen.
    func click(on text: String) async throws {
        let screen = try await wait(for: text)
        guard let position = screen.position(of: text) else { throw NeverShown(what: text, screen: screen) }
        try await click(column: position.column, row: position.row)
    }

    func turnWheelDown(column: Int, row: Int) async throws {
        try await report(button: 65, column: column, row: row, isPress: true)
    }

    /// A mouse report in xterm's mode 1006.
    private func report(button: Int, column: Int, row: Int, isPress: Bool) async throws {
        try await send("\u{1B}[<\(button);\(column + 1);\(row + 1)\(isPress ? "M" : "m")")
    }

    /// Sends bytes as a terminal sends its reports and answers.
    func send(_ bytes: String) async throws {
        try await tmux(["send-keys", "-H"] + bytes.utf8.map { String($0, radix: 16) })
    }

    func resize(columns: Int, rows: Int) async throws {
        try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    func signal(_ signal: Int32) async throws {
        let process = try await wait(forFile: "pid")
        guard let process = pid_t(process.dropLast()), kill(process, signal) == 0 else {
            throw TerminalFailure(description: "hopscope (process \(process)) could not be sent signal \(signal).")
        }
    }

    // MARK: Output

    func screen() async throws -> TerminalScreen {
        TerminalScreen(text: try await tmux(["capture-pane", "-p"]))
    }

    /// The screen with its colours, as escape sequences.
    func colouredScreen() async throws -> TerminalScreen {
        TerminalScreen(text: try await tmux(["capture-pane", "-p", "-e"]))
    }

    /// Waits until a part of the screen is drawn with these colours.
    func wait(forColours code: String) async throws {
        let deadline = ContinuousClock.now + patience
        while true {
            let screen = try await colouredScreen()
            if screen.text.contains(code) { return }
            guard ContinuousClock.now < deadline else { throw NeverShown(what: "the colours \(code)", screen: screen) }
            await pause()
        }
    }

    /// Waits until the screen shows all of the texts. A frame reaches the terminal in pieces, so a screen that shows one of them need not
    /// show the others yet.
    @discardableResult
    func wait(for texts: String...) async throws -> TerminalScreen {
        let what = texts.map { "“\($0)”" }.joined(separator: " and ")
        return try await wait(for: what) { screen in texts.allSatisfy(screen.text.contains) }
    }

    @discardableResult
    func wait(for what: String, until isShown: (TerminalScreen) -> Bool) async throws -> TerminalScreen {
        let deadline = ContinuousClock.now + patience
        while true {
            let screen = try await screen()
            if isShown(screen) { return screen }
            guard ContinuousClock.now < deadline else { throw NeverShown(what: what, screen: screen) }
            await pause()
        }
    }

    /// The terminal's modes now: whether the program uses them or has restored them.
    func modes() async throws -> TerminalModes {
        let flags = try await tmux(["display-message", "-p", "#{alternate_on} #{mouse_any_flag} #{cursor_flag}"])
        let values = flags.split(whereSeparator: \.isWhitespace).map { $0 == "1" }
        return TerminalModes(isAlternateScreen: values[0], isMouseReported: values[1], isCursorShown: values[2])
    }

    /// Waits until the program is stopped as by Ctrl-Z, and returns the terminal's modes then.
    func stopped() async throws -> TerminalModes {
        let settings = try await wait(forFile: "stopped")
        var modes = try await modes()
        modes.areSettingsKept = settings == folder.text("before")
        return modes
    }

    /// Waits until the program has ended, and returns its status and the terminal's modes then.
    func ended() async throws -> (status: String, modes: TerminalModes) {
        let status = try await wait(forFile: "status")
        var modes = try await modes()
        modes.areSettingsKept = folder.text("after") == folder.text("before")
        return (status.trimmingCharacters(in: .whitespacesAndNewlines), modes)
    }

    private func wait(forFile name: String) async throws -> String {
        let deadline = ContinuousClock.now + patience
        while true {
            if let text = folder.text(name), text.hasSuffix("\n") { return text }
            guard ContinuousClock.now < deadline else { throw NeverShown(what: "its \(name)", screen: try await screen()) }
            await pause()
        }
    }

    // MARK: tmux

    /// Ends a test that would hang. A passing test never reaches it, however busy the machine is.
    private var patience: Duration { .seconds(30) }

    /// Pauses between two looks at the terminal without blocking a thread.
    private func pause() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { continuation.resume() }
        }
    }

    @discardableResult
    private func tmux(_ arguments: [String]) async throws -> String {
        let command = ["tmux", "-u", "-S", folder.path("socket"), "-f", folder.path("tmux.conf")] + arguments
        let finished = try await FinishedProcess.run(command)
        guard finished.status == 0 else { throw TerminalFailure(description: "tmux \(arguments): \(finished.errors)") }
        return finished.output
    }
}
