import Testing

/// The inspector in a real terminal: keys, clicks and what the screen shows.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct InspectorTests {
    /// The screens, in the order of their digits.
    private enum Screen: String, CaseIterable {
        case overview = "0"
        case tasks = "1"
        case graph = "2"
        case executors = "3"
        case timeline = "4"
        case faults = "5"
        case hops = "6"
        case warnings = "7"
        case output = "8"
        case events = "9"
        case profile = "P"

        var title: String { "\(self)".prefix(1).uppercased() + "\(self)".dropFirst() }

        /// Checks that the tab is marked as selected and that the screen below it is the right one.
        func isShown(by screen: TerminalScreen) -> Bool {
            (screen.text.contains("[\(rawValue) \(title)]") || screen.text.contains("[\(rawValue) \(title.prefix(3))"))
                && hasContent(screen.text)
        }

        private func hasContent(_ text: String) -> Bool {
            switch self {
            case .overview: text.contains("Needs attention") && text.contains("Executors")
            case .events: text.contains("What happened")
            case .profile: text.contains("Time of tasks by place")
            case .output: text.contains("Scene 1 of 11")
            case .tasks: text.contains("State") && text.contains("Name")
            case .graph: text.contains { "●○◌◍◉".contains($0) }
            case .executors: text.contains("p99")
            case .timeline: ["the whole trace", "ms from 00:", " s from 00:", "No job yet"].contains { text.contains($0) }
            case .faults: text.contains("Verdict") || text.contains("No error so far")
            case .hops: text.contains("n p99") || text.contains("No hop yet")
            case .warnings: text.contains("Severity") || text.contains("No rule has found anything so far")
            }
        }
    }

    @Test("The guides begin on the overview, with the tabs, and show their first chain")
    func opens() async throws {
        try await TerminalSession.run("demo", "guides") { terminal in
            try await terminal.wait(for: "Hopscope", "1 Tasks", "2 Graph", "3 Exec")
            try await terminal.wait(for: "the overview", until: Screen.overview.isShown)
            try await terminal.wait(for: "saveRecord")
            let modes = try await terminal.modes()
            #expect(modes.isAlternateScreen)
            #expect(modes.isMouseReported)
        }
    }

    @Test("The tour is a program under the probe, whose scenes are told above the events, and a problem is named in its scene")
    func tour() async throws {
        try await TerminalSession.run("demo", "tour", "--speed", "0.5", columns: 120, rows: 36) { terminal in
            try await terminal.wait(for: "Scene 1 of 16, lost-error: orders are charged", "PaymentDeclined")
        }
    }

    @Test("Digits, Tab and the mouse reach every screen")
    func screens() async throws {
        try await TerminalSession.run("demo", "guides", columns: 120, rows: 36) { terminal in
            func expect(_ screen: Screen) async throws {
                try await terminal.wait(for: "the screen \(screen.title)", until: screen.isShown)
            }
            try await terminal.wait(for: "saveRecord")
            try await expect(.overview)
            for screen in Screen.allCases.reversed() {
                try await terminal.press(screen.rawValue)
                try await expect(screen)
            }
            for screen in Screen.allCases.dropFirst() + [.overview] {
                try await terminal.press("Tab")
                try await expect(screen)
            }
            try await terminal.press("BTab")
            try await expect(Screen.allCases[Screen.allCases.count - 1])
            for screen in Screen.allCases {
                try await terminal.click(on: "\(screen.rawValue) \(screen.title)")
                try await expect(screen)
            }
        }
    }

    @Test("Enter opens the selected task, Escape returns, and the wheel keeps the list intact")
    func detail() async throws {
        try await TerminalSession.run("demo", "kinesis-save-fails", "--speed", "5") { terminal in
            try await terminal.wait(for: "report")
            try await terminal.press("1")
            try await terminal.turnWheelDown(column: 10, row: 5)
            try await terminal.press("Home", "Enter")
            // The detail shows the error's text, the list only the state.
            try await terminal.wait(for: "throttled")
            try await terminal.press("Escape")
            try await terminal.wait(for: "the list", until: Screen.tasks.isShown)
            // While a task waits, the list has a column for it, and the name is cut.
            try await terminal.wait(for: "submitAllRecords")
        }
    }

    @Test("? shows and hides the keys")
    func help() async throws {
        try await TerminalSession.run("demo", "guides") { terminal in
            let before = try await terminal.wait(for: "saveRecord")
            #expect(!before.text.contains("Shift-Tab"))
            try await terminal.press("?")
            try await terminal.wait(for: "pause at this event")
            try await terminal.wait(for: "the help") { $0.text.lowercased().contains("quit") && $0.text.contains("Enter") }
            try await terminal.press("Escape")
            try await terminal.wait(for: "the overview", until: Screen.overview.isShown)
        }
    }

    @Test("The screen follows the terminal's size and recovers from one that is too small")
    func resizing() async throws {
        try await TerminalSession.run("demo", "guides") { terminal in
            try await terminal.wait(for: "saveRecord")
            try await terminal.press("1")
            try await terminal.resize(columns: 120, rows: 36)
            try await terminal.wait(for: "a footer on the last row of 36") { screen in
                screen.rows.count >= 36 && !screen.rows[35].allSatisfy(\.isWhitespace) && Screen.tasks.isShown(by: screen)
            }
            try await terminal.resize(columns: 30, rows: 8)
            let small = try await terminal.wait(for: "what it needs") { $0.text.contains("60") && $0.text.contains("16") }
            #expect(!Screen.tasks.isShown(by: small))
            try await terminal.resize(columns: 80, rows: 24)
            try await terminal.wait(for: "the list", until: Screen.tasks.isShown)
        }
    }

    @Test(
        "Without colour or without UTF-8 the screens show the same facts", arguments: [["NO_COLOR": "1", "TERM": "xterm"], ["LANG": "C"]])
    func plainTerminals(environment: [String: String]) async throws {
        try await TerminalSession.run("demo", "guides", environment: environment) { terminal in
            let screen = try await terminal.wait(for: "saveRecord")
            #expect(screen.text.contains("1 Tasks"))
            if environment["LANG"] == "C" {
                #expect(screen.text.unicodeScalars.allSatisfy { $0.isASCII })
            }
        }
    }
}
