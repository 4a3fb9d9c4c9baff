// What the scenario recipes-invisible-error shows, as a program of its own: a task whose error nobody reads. It waits for input in the end, so
// that it is still alive when the error is looked for.

enum DraftError: Error {
    case diskFull
}

@main
enum InvisibleError {
    private static func write() async throws {
        throw DraftError.diskFull
    }

    static func main() async {
        Task(name: "saveDraft") {
            try await write()
        }
        for _ in 0..<1000 { await Task.yield() }
        print("thrown")
        _ = readLine()
    }
}
