import Foundation
import Testing

/// However the inspector ends, the terminal is as it was.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RestorationTests {
    @Test("q quits with 0")
    func quits() async throws {
        try await TerminalSession.run("demo", "tour") { terminal in
            try await terminal.wait(for: "saveRecord")
            try await terminal.press("q")
            let end = try await terminal.ended()
            #expect(end.status == "0")
            #expect(end.modes == .restored)
        }
    }

    @Test("q quits at once, also while chains are at work and before anything is seen")
    func quitsEarly() async throws {
        try await TerminalSession.run("demo", "kinesis-parallel") { terminal in
            try await terminal.press("q")
            let end = try await terminal.ended()
            #expect(end.status == "0")
            #expect(end.modes == .restored)
        }
    }

    @Test(
        "A signal that ends it restores the terminal first, and still counts as the cause",
        arguments: [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGIO])
    func endsBySignal(signal: Int32) async throws {
        try await TerminalSession.run("demo", "tour") { terminal in
            try await terminal.wait(for: "saveRecord")
            try await terminal.signal(signal)
            let end = try await terminal.ended()
            #expect(end.status == "\(128 + signal)")
            #expect(end.modes == .restored)
        }
    }

    @Test("Stopped, it lends the terminal to the shell; continued, it draws all again")
    func stopsAndContinues() async throws {
        try await TerminalSession.run("demo", "tour") { terminal in
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

    @Test("Wrong usage in a terminal does not touch it")
    func wrongUsage() async throws {
        try await TerminalSession.run("demo", "no-such-scenario") { terminal in
            let end = try await terminal.ended()
            #expect(end.status == "64")
            #expect(end.modes == .restored)
        }
    }
}
