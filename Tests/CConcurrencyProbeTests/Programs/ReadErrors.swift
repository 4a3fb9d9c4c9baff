import Foundation

// Errors that pass from one task to another, one function for each way. The program ends while its async main is still running.

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

/// One long-lived task awaits 34 others and handles the error of each. It is still running when the program ends.
func server() async {
    Task(name: "server") {
        for _ in 0..<34 { _ = try? await Task(name: "failing") { try await fail(after: 1) }.value }
        print("served 34")
        await pause(60_000)
    }
    await pause(400)
}

/// A task rethrows the error of another task, and the async main catches it.
func forwarded() async {
    let inner = Task(name: "failing") { try await fail() }
    let outer = Task(name: "forwarding") { try await inner.value }
    do { _ = try await outer.value } catch {}
    await pause(2)
}

/// A task replaces the error of another task by an error of its own.
func transformed() async {
    let inner = Task(name: "failing") { try await fail() }
    let outer = Task(name: "wrapping") { do { _ = try await inner.value } catch { throw Other() } }
    do { _ = try await outer.value } catch {}
    await pause(2)
}

/// The task has failed before its value is asked for.
func late() async {
    let task = Task(name: "failing") { try await fail() }
    await pause(30)
    do { _ = try await task.value } catch {}
    let other = Task(name: "answer") { 42 }
    await pause(10)
    print("answer \(await other.value)")
}

/// No code reads the error.
func unread() async {
    Task(name: "failing") { try await fail() }
    await pause(30)
}

@main struct ReadErrors {
    static func main() async {
        switch CommandLine.arguments[1] {
        case "caught": await caught()
        case "server": await server()
        case "late": await late()
        case "forwarded": await forwarded()
        case "transformed": await transformed()
        default: await unread()
        }
    }
}
