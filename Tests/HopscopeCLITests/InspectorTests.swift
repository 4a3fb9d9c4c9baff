import Testing

/// The inspector in a real terminal: what a person presses, clicks and sees.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct InspectorTests {
    /// What only one screen shows.
    private enum Screen: String, CaseIterable {
        case tasks = "Tasks"
        case graph = "Graph"
        case executors = "Executors"

        func isShown(by screen: TerminalScreen) -> Bool {
            let hasTable = screen.text.contains("State") && screen.text.contains("Name")
            let hasWaits = screen.text.contains("p99")
            return switch self {
            case .tasks: hasTable && !hasWaits
            case .executors: hasWaits && !hasTable
            case .graph: !hasTable && !hasWaits && screen.text.contains { "●○◌◍◉".contains($0) }
            }
        }
    }

    @Test("The tour begins on Tasks, with the three tabs, and shows its first chain")
    func opens() async throws {
        try await TerminalSession.run("demo", "tour") { terminal in
            let screen = try await terminal.wait(for: "1 Tasks")
            #expect(screen.text.contains("Hopscope"))
            #expect(screen.text.contains("2 Graph"))
            #expect(screen.text.contains("3 Executors"))
            try await terminal.wait(for: "saveRecord")
            let modes = try await terminal.modes()
            #expect(modes.isAlternateScreen)
            #expect(modes.isMouseReported)
        }
    }

    @Test("Digits, Tab and the mouse reach every screen")
    func screens() async throws {
        try await TerminalSession.run("demo", "tour", columns: 120, rows: 36) { terminal in
            func expect(_ screen: Screen) async throws {
                try await terminal.wait(for: "the screen \(screen.rawValue)", until: screen.isShown)
            }
            try await terminal.wait(for: "saveRecord")
            try await expect(.tasks)
            for (key, screen) in [("2", Screen.graph), ("3", .executors), ("1", .tasks)] {
                try await terminal.press(key)
                try await expect(screen)
            }
            for screen in [Screen.graph, .executors, .tasks] {
                try await terminal.press("Tab")
                try await expect(screen)
            }
            try await terminal.press("BTab")
            try await expect(.executors)
            for screen in [Screen.graph, .tasks, .executors] {
                try await terminal.click(on: screen.rawValue)
                try await expect(screen)
            }
        }
        #expect(Screen.allCases.count == 3)
    }

    @Test("Enter opens the selected task, Escape goes back, and the wheel does not upset the list")
    func detail() async throws {
        try await TerminalSession.run("demo", "kinesis-save-fails", "--speed", "5") { terminal in
            try await terminal.wait(for: "report")
            try await terminal.turnWheelDown(column: 10, row: 5)
            try await terminal.press("Home", "Enter")
            // The error's words stand in the detail, the list has its state alone.
            try await terminal.wait(for: "throttled")
            try await terminal.press("Escape")
            let screen = try await terminal.wait(for: "the list", until: Screen.tasks.isShown)
            #expect(screen.text.contains("submitAllRecords"))
        }
    }

    @Test("? shows the keys, and goes away again")
    func help() async throws {
        try await TerminalSession.run("demo", "tour") { terminal in
            let before = try await terminal.wait(for: "saveRecord")
            #expect(!before.text.contains("Shift-Tab"))
            try await terminal.press("?")
            try await terminal.wait(for: "Tab")
            try await terminal.wait(for: "the help") { $0.text.lowercased().contains("quit") && $0.text.contains("Enter") }
            try await terminal.press("Escape")
            try await terminal.wait(for: "the list", until: Screen.tasks.isShown)
        }
    }

    @Test("The screen follows the terminal's size, and comes back from one that is too small")
    func resizing() async throws {
        try await TerminalSession.run("demo", "tour") { terminal in
            try await terminal.wait(for: "saveRecord")
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

    @Test("Without colour and without UTF-8 it says the same", arguments: [["NO_COLOR": "1", "TERM": "xterm"], ["LANG": "C"]])
    func plainTerminals(environment: [String: String]) async throws {
        try await TerminalSession.run("demo", "tour", environment: environment) { terminal in
            let screen = try await terminal.wait(for: "saveRecord")
            #expect(screen.text.contains("1 Tasks"))
            if environment["LANG"] == "C" {
                #expect(screen.text.unicodeScalars.allSatisfy { $0.isASCII })
            }
        }
    }
}
