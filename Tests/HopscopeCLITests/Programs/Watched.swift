import Dispatch
import Glibc

struct Unread: Error {}

@globalActor
actor Desk {
    static let shared = Desk()

    func turn() {}
}

/// The program that the tests of `run` start. Its first argument selects its work, some of which is concurrent.
@main
enum Watched {
    static func main() {
        if let path = getenv("WATCHED_RUNS") { close(creat(path, 0o600)) }
        let way = CommandLine.arguments.dropFirst().first ?? ""
        switch way {
        case "plain": break
        case "tasks": wait { _ = await Task(name: "answer") { 42 }.value }
        case "fault":
            // No reference to the task is kept, so nothing can read its error.
            wait { Task(name: "careless") { @Desk in throw Unread() } }
            // The actor runs this after the task has ended.
            wait { await Desk.shared.turn() }
        case "crash":
            wait {}
            fatalError("as asked")
        case "kill":
            wait {}
            kill(getpid(), SIGKILL)
        // A program may name a library that it does not load, as the linked probe does, and what the linked probe is asked by.
        case "names": print("usr/lib/swift/linux/libswiftCore.so HOPSCOPE_PROBE_ASKED")
        case _: exit(64)
        }
        print("did \(way)")
        fflush(nil)
        let said = "said \(way)\n"
        write(STDERR_FILENO, said, said.utf8.count)
        exit(way == "tasks" ? 7 : 0)
    }

    /// Waits for a task from a synchronous main.
    private static func wait(_ body: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task(name: "body") {
            await body()
            done.signal()
        }
        done.wait()
    }
}
