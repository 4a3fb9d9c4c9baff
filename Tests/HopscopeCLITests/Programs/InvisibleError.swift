// The hazard of the scenario recipes-invisible-error as a program of its own: a task whose error nothing reads. It waits for input at its
// end, so that it still runs when the test looks for the error.

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
        // The actor runs this after the task has ended.
        await Desk.shared.turn()
        print("thrown")
        _ = readLine()
    }
}
