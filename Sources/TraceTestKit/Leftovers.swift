import Foundation
import TaskEvents
import TaskRuntime

/// Makes tasks of several kinds in rounds and measures the memory that remains after their ends. For tests in a process of their own.
///
/// The runtime's task count shows leaked tasks, and resident memory shows other leaks. A leak grows in every round, while caches and thread
/// stacks grow only in some rounds. A kind of task leaks if memory grows in every round, however many rounds there are.
package struct Leftovers {
    private static let rounds = 8
    /// The number of further rounds if each round has grown. Each of 64 threads has a stack and a heap of its own.
    private static let moreRounds = 64

    /// A kind of tasks. `make` makes some, releases them, and returns their number.
    package typealias Kind = (name: String, make: @Sendable () -> Int)

    /// The least number of tasks of a kind that a round makes.
    private let tasks: Int
    private let deadline: Duration

    /// Whether a sanitizer is active. Sanitizers keep freed memory, so only tasks are counted then.
    package static var isSanitized: Bool {
        #if THREAD_SANITIZER || ADDRESS_SANITIZER
            true
        #else
            false
        #endif
    }

    /// Makes 300,000 tasks, or the number that ``Stress`` sets, divided among these kinds. Prints a sentence about each kind that leaves
    /// memory behind. It prints to standard error, which is the only output that an exit test passes on.
    package static func report(_ kinds: [Kind], everyDay: Int = 300_000, deadline: Duration = .seconds(60)) async {
        keepNoBacktraces()
        // With a sanitizer a task takes ten times as long.
        let operations = isSanitized ? everyDay / 10 : Stress.operations(everyDay: everyDay)
        let tasks = operations / kinds.count / rounds
        let findings = await Leftovers(tasks: max(1, tasks), deadline: deadline).find(kinds)
        FileHandle.standardError.write(Data(findings.joined(separator: "\n").utf8))
    }

    /// Stops Swift Testing from keeping a backtrace of every thrown error, which would grow the measured memory.
    private static func keepNoBacktraces() {
        for hook in ["_swift_willThrow", "_swift_willThrowTypedImpl"] {
            dlsym(nil, hook)?.storeBytes(of: nil, as: UnsafeRawPointer?.self)
        }
    }

    private func find(_ kinds: [Kind]) async -> [String] {
        var least = Array(repeating: Int.max, count: kinds.count)
        for round in 0..<Self.rounds + Self.moreRounds where round < Self.rounds || least.contains(where: grows) {
            for (index, kind) in kinds.enumerated() {
                let before = Self.residentBytes()
                if let finding = await play(kind) { return [finding] }
                least[index] = min(least[index], Self.residentBytes() - before)
            }
        }
        return zip(kinds, least).filter { grows($1) }.map { "\($0.name): \($1 / tasks) bytes a task stay behind" }
    }

    /// Makes a round's tasks. Returns a sentence if some of them remain.
    private func play(_ kind: Kind) async -> String? {
        let before = AnyChainTask.liveCount
        var made = 0
        while made < tasks {
            // A few at a time, because queued jobs take memory too.
            let end = min(tasks, made + 1000)
            while made < end { made += kind.make() }
            guard await settles(to: before) else { return "\(kind.name): \(AnyChainTask.liveCount - before) of \(made) tasks live on" }
        }
        return nil
    }

    /// Whether the growth exceeds the smallest allocation for every task.
    private func grows(_ bytes: Int) -> Bool {
        !Self.isSanitized && bytes > tasks * 16
    }

    private func settles(to count: Int) async -> Bool {
        let waited = TimeSource().elapsed()
        while AnyChainTask.liveCount > count {
            guard .nanoseconds(Int64(waited())) < deadline else { return false }
            await Task.yield()
        }
        return true
    }

    /// The process's resident memory. Freed memory counts, and the next round reuses it.
    private static func residentBytes() -> Int {
        let statistics = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = statistics?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
