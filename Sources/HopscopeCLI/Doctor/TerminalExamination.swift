import Foundation

/// The terminal on which the inspector would be shown.
struct TerminalExamination: Examination {
    let title = "Terminal"

    private let environment = ProcessInfo.processInfo.environment

    func lines() -> [DoctorLine] {
        [terminal, type, characters].compactMap(\.self)
    }

    private var terminal: DoctorLine {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            return DoctorLine(
                "terminal", "none: standard input or output is redirected",
                advice: "'run' and 'demo' print a report then; 'report', 'check', 'export' and 'screen' never need a terminal.")
        }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return DoctorLine("terminal", "one that does not say its size")
        }
        let isSmall = size.ws_col < 60 || size.ws_row < 16
        return DoctorLine(
            "terminal", "\(size.ws_col)x\(size.ws_row)",
            advice: isSmall ? "Make it 60x16 or larger; lists show most from 140 columns." : nil)
    }

    private var type: DoctorLine? {
        guard let name = environment["TERM"], !name.isEmpty else {
            return DoctorLine("type", "TERM is not set", advice: "Set it to your terminal's type, for example TERM=xterm-256color.")
        }
        guard hasEntry(name) else {
            return DoctorLine(
                "type", "\(name), which the terminfo database does not have",
                advice: "Install ncurses-base or ncurses-term, or set TERM to a similar terminal, for example xterm-256color.")
        }
        return DoctorLine("type", environment["NO_COLOR"].map { !$0.isEmpty } == true ? "\(name), without colours (NO_COLOR)" : name)
    }

    private var characters: DoctorLine {
        StandardOutput.showsUnicode
            ? DoctorLine("characters", "UTF-8")
            : DoctorLine("characters", "ASCII, as the locale says", advice: "LANG=C.UTF-8 shows lines and symbols.")
    }

    /// Whether terminfo has an entry of this name, in the folder of its first letter or of that letter's code.
    private func hasEntry(_ name: String) -> Bool {
        guard let first = name.utf8.first, !name.contains("/") else { return false }
        var folders = ["/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo"]
        if let home = environment["HOME"] { folders.append("\(home)/.terminfo") }
        folders += (environment["TERMINFO_DIRS"] ?? "").split(separator: ":").map(String.init)
        if let own = environment["TERMINFO"] { folders.append(own) }
        let letters = [String(decoding: [first], as: UTF8.self), String(first, radix: 16)]
        return folders.contains { folder in
            letters.contains { FileManager.default.fileExists(atPath: "\(folder)/\($0)/\(name)") }
        }
    }
}
