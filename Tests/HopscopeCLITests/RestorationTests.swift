import Foundation
import Testing

/// The terminal is restored, whichever way the inspector ends.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RestorationTests {
    @Test("q quits with status 0")
    func quits() async throws {
        try await TerminalSession.run("demo", "guides") { terminal in
            try await terminal.wait(for: "saveRecord")
            try await terminal.press("q")
            let end = try await terminal.ended()
            #expect(end.status == "0")
            #expect(end.modes == .restored)
        }
    }

    @Test("q quits at once, also while chains run and before the first frame")
    func quitsEarly() async throws {
        try await TerminalSession.run("demo", "kinesis-parallel") { terminal in
            try await terminal.press("q")
            let end = try await terminal.ended()
            #expect(end.status == "0")
            #expect(end.modes == .restored)
        }
    }

    @Test(
        "A deadly signal restores the terminal before it ends the program",
        arguments: [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGIO])
    func endsBySignal(signal: Int32) async throws {
        try await TerminalSession.run("demo", "guides") { terminal in
            try await terminal.wait(for: "saveRecord")
            try await terminal.signal(signal)
            let end = try await terminal.ended()
            #expect(end.status == "\(128 + signal)")
            #expect(end.modes == .restored)
        }
    }

    @Test("A stopped inspector returns the terminal to the shell; continued, it draws every cell again")
    func stopsAndContinues() async throws {
        try await TerminalSession.run("demo", "guides") { terminal in
            try await terminal.wait(for: "saveRecord")
            try await terminal.signal(SIGTSTP)
            #expect(try await terminal.stopped() == .restored)
            try await terminal.press("Enter")
            try await terminal.wait(for: "1 Tasks")
            let modes = try await terminal.modes()
            #expect(modes.isAlternateScreen)
            #expect(modes.isMouseReported)
            try await terminal.press("q")
            let end = try await terminal.ended()
            #expect(end.status == "0")
            #expect(end.modes == .restored)
        }
    }

    @Test("Wrong usage does not change the terminal")
    func wrongUsage() async throws {
        try await TerminalSession.run("demo", "no-such-scenario") { terminal in
            let end = try await terminal.ended()
            #expect(end.status == "64")
            #expect(end.modes == .restored)
        }
    }
}
