// What the scenario recipes-invisible-error shows, as a program of its own: a task whose error nobody reads. It waits for input in the end, so
// that it is still alive when the error is looked for.

enum DraftError: Error {
    case diskFull
}

@globalActor
actor Desk {
    static let shared = Desk()

    func turn() {}
}

@main
enum InvisibleError {
    @Desk
    private static func write() async throws {
        throw DraftError.diskFull
    }

    static func main() async {
        Task(name: "saveDraft") { @Desk in
            try await write()
        }
        // It is its actor's turn when the task has ended.
        await Desk.shared.turn()
        print("thrown")
        _ = readLine()
    }
}
