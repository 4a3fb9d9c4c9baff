import Foundation
import Testing
import TraceTestKit

/// `explore` with its default settings on forty programs with a bug that only some orders show, and on their healthy twins.
///
/// `make explore` runs them: each bug within 200 orders and 10 s, in at most five choices, with 100 replays; each twin in 2,000 orders.
@Suite(.serialized, .timeLimit(.minutes(60)), .enabled(if: ProcessInfo.processInfo.environment["HOPSCOPE_EXPLORE_ORDERS"] != nil))
struct PlantedOrderTests {
    /// The orders of each healthy twin.
    static let orders = ProcessInfo.processInfo.environment["HOPSCOPE_EXPLORE_ORDERS"].flatMap { Int($0) }

    static let tasks = [
        "async-let-race", "begins-twice", "cancelled-before-stored", "cancelled-loser-writes", "check-then-act", "custom-executor",
        "group-order", "late-subscriber", "lost-update", "main-actor-flag", "missed-signal", "order-of-two", "outlives-call",
        "resumed-twice", "stale-answer", "stampede",
    ]
    static let threads = [
        "async-then-read", "condition-missed", "empty-queue", "file-exists", "filled-twice", "group-leaves-early", "half-message",
        "lock-order", "missing-barrier", "pool-starves", "publish-early", "queue-read-write", "reader-upgrades", "semaphore-handoff",
        "two-locks", "two-writers",
    ]
    static let bugs = ExploreTests.bugs + (tasks + threads).map { "planted \($0)" }

    @Test(arguments: bugs)
    func aPlantedBugIsFoundAndItsTwinIsHealthy(_ bug: String) async throws {
        let (folder, program) = (try ScratchFolder(), try WatchedProgram.orders.path())
        func explore(_ options: String, _ arguments: String) async throws -> FinishedProcess {
            try await FinishedProcess.run(
                ["sh", "-c", "cd '\(folder.path)' && exec '\(Hopscope.path)' explore \(options) -- '\(program)' \(arguments)"])
        }
        let found = try await explore("--orders 200 --time 10s", bug)
        #expect(found.status == 1 && found.output.contains("20 of 20 replays fail alike"), "\(found.output)\(found.errors)")
        let choices = found.output.matches(of: /\n  (\d+) choices? differs? from/).first.flatMap { Int($0.1) } ?? 0
        print("explored: \(bug): \(choices) choices, \(found.output.prefix { $0 != "\n" })")
        #expect((1...5).contains(choices), "\(found.output)")
        for _ in 0..<5 {
            let replayed = try await explore("--replay orders.order", bug)
            #expect(replayed.output.contains("20 of 20 replays fail alike"), "\(replayed.output)\(replayed.errors)")
        }
        let orders = Self.orders ?? 0
        let twin = try await explore("--orders \(orders) --time 600s", "\(bug) healthy")
        #expect(twin.status == 0 && twin.output.contains("no order of \(orders) failed"), "\(twin.output)\(twin.errors)")
    }
}
