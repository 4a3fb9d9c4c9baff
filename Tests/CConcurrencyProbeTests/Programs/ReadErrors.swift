import Foundation

// Errors that one task throws and another is handed, each way by its name. The program ends while its async main is still running.

struct Boom: Error {}
struct Other: Error {}

func fail(after milliseconds: Int = 2) async throws -> Int {
    await pause(milliseconds)
    throw Boom()
}

func pause(_ milliseconds: Int) async {
    try? await Task.sleep(for: .milliseconds(milliseconds))
}

/// The async main awaits and catches.
func caught() async {
    let task = Task(name: "failing") { try await fail() }
    do { _ = try await task.value } catch {}
    await pause(2)
}

/// One long-lived task awaits 34 others, and goes on each time. It has not ended when the program does.
func server() async {
    Task(name: "server") {
        for _ in 0..<34 { _ = try? await Task(name: "failing") { try await fail(after: 1) }.value }
        print("served 34")
        await pause(60_000)
    }
    await pause(400)
}

/// A task throws on what it was handed, and the async main catches that.
func forwarded() async {
    let inner = Task(name: "failing") { try await fail() }
    let outer = Task(name: "forwarding") { try await inner.value }
    do { _ = try await outer.value } catch {}
    await pause(2)
}

/// A task makes another error of what it was handed.
func transformed() async {
    let inner = Task(name: "failing") { try await fail() }
    let outer = Task(name: "wrapping") { do { _ = try await inner.value } catch { throw Other() } }
    do { _ = try await outer.value } catch {}
    await pause(2)
}

/// Nothing reads the error.
func unread() async {
    Task(name: "failing") { try await fail() }
    await pause(30)
}

@main struct ReadErrors {
    static func main() async {
        switch CommandLine.arguments[1] {
        case "caught": await caught()
        case "server": await server()
        case "forwarded": await forwarded()
        case "transformed": await transformed()
        default: await unread()
        }
    }
}
