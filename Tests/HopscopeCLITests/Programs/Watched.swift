import Dispatch
import Glibc

struct Unread: Error {}

@globalActor
actor Desk {
    static let shared = Desk()

    func turn() {}
}

/// What the tests of `run` and its like run: it does what its first argument says. Only some of that is concurrent.
@main
enum Watched {
    static func main() {
        let way = CommandLine.arguments.dropFirst().first ?? ""
        switch way {
        case "plain": break
        case "tasks": wait { _ = await Task(name: "answer") { 42 }.value }
        case "fault":
            // Nobody has the task, so nobody can read its error.
            wait { Task(name: "careless") { @Desk in throw Unread() } }
            // It is its actor's turn when the task has ended.
            wait { await Desk.shared.turn() }
        case "crash":
            wait {}
            fatalError("as asked")
        case "kill":
            wait {}
            kill(getpid(), SIGKILL)
        case _: exit(64)
        }
        print("did \(way)")
        fflush(nil)
        let said = "said \(way)\n"
        write(STDERR_FILENO, said, said.utf8.count)
        exit(way == "tasks" ? 7 : 0)
    }

    /// Waits for a task from a program that is not concurrent itself.
    private static func wait(_ body: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task(name: "body") {
            await body()
            done.signal()
        }
        done.wait()
    }
}
