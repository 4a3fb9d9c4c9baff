// Errors that Swift's libraries throw, and waits inside them. Each belongs to a line of this program.
//
//   library errors | waits

import Foundation

struct Refused: Error {}

/// The error comes from the code that resumes the continuation, before the task awaits it or afterwards.
func resumed() async throws -> Int {
    print("asks")

    return try await withCheckedThrowingContinuation { continuation in  // resumed
        DispatchQueue.global().async { continuation.resume(throwing: Refused()) }  // resumption
    }
}

/// The continuation is resumed before the task awaits it.
func resumedAtOnce() async throws -> Int {
    print("asks")

    return try await withCheckedThrowingContinuation { $0.resume(throwing: Refused()) }  // resumed at once
}

func contents() throws -> Int {
    print("reads")

    return try Data(contentsOf: URL(fileURLWithPath: "/no/such/file")).count  // contents
}

func attributes() throws -> Int {
    print("asks")

    return try FileManager.default.attributesOfItem(atPath: "/no/such/file").count  // attributes
}

func decoded() throws -> Int {
    print("decodes")

    return try JSONDecoder().decode([Int].self, from: Data("{}".utf8)).count  // decoded
}

func errors() async {
    _ = await Task.detached(name: "attributes") { try attributes() }.result
    _ = await Task.detached(name: "decoded") { try decoded() }.result
    _ = await Task.detached(name: "resumed") { try await resumed() }.result
    _ = await Task.detached(name: "resumed at once") { try await resumedAtOnce() }.result
    _ = await Task.detached(name: "contents") { try contents() }.result
}

func nap(_ count: Int) async throws {
    for number in 0..<count {
        print("begins", number)

        try await Task.sleep(for: .seconds(100))  // nap
        print("ends", number)
    }
}

func doze() async {
    print("begins")

    try? await Task.sleep(for: .seconds(100))  // doze
    print("ends")
}

func leak(_ number: Int) async throws -> Int {
    print("begins")

    let value = try await withCheckedThrowingContinuation { (_: CheckedContinuation<Int, any Error>) in  // leak
        print("asks")
    }
    return value + number
}

func away() async { await Task.yield() }

/// Returns to the main actor before its last line.
@MainActor
func visit() async {  // visit
    print("leaves")

    await away()  // home
    print("is back")
}

/// Ends when the tasks have begun to wait.
func waits() async {
    let tasks = [
        Task.detached(name: "nap") { try await nap(2) }, Task.detached(name: "doze") { await doze() },
        Task.detached(name: "leak") { _ = try await leak(1) }, Task.detached { _ = try await leak(2) },
        Task.detached {
            try await Task.sleep(for: .milliseconds(1))
            _ = try await leak(3)
        },
    ]
    await Task.detached(name: "home") { await visit() }.value
    try? await Task.sleep(for: .milliseconds(100))
    withExtendedLifetime(tasks) {}
}

@main
struct Library {
    static func main() async {
        if CommandLine.arguments.contains("errors") { await errors() } else { await waits() }
    }
}
