import Foundation
import TaskRuntime

/// Makes tasks of several kinds repeatedly and looks for leaks after their end, for tests in a process of their own.
///
/// The runtime counts live tasks; resident memory shows all other leaks. A leak grows in every round, and caches or stacks grow in some
/// rounds only. So a kind leaks if its memory grows in every round.
package struct Leftovers {
    private static let rounds = 8
    /// Additional rounds for kinds that have grown in each round, because 64 threads have stacks and heaps of their own.
    private static let moreRounds = 64

    /// A kind of task. `make` makes some, releases them, and returns their number.
    package typealias Kind = (name: String, make: @Sendable () -> Int)

    /// The least number of tasks of a kind in a round.
    private let tasks: Int
    private let deadline: Duration

    /// Whether a sanitizer is active. Sanitizers keep freed memory, so only live tasks are counted with them.
    package static var isSanitized: Bool {
        #if THREAD_SANITIZER || ADDRESS_SANITIZER
            true
        #else
            false
        #endif
    }

    /// Makes a million tasks, or the number of ``Stress``, of these kinds in equal parts. Prints a sentence for each kind that leaks to the
    /// standard error, which is all that an exit test passes on.
    package static func report(_ kinds: [Kind], everyDay: Int = 1_000_000, deadline: Duration = .seconds(60)) async {
        keepNoBacktraces()
        // With a sanitizer a task takes ten times as long.
        let operations = isSanitized ? everyDay / 10 : Stress.operations(everyDay: everyDay)
        let tasks = operations / kinds.count / rounds
        let findings = await Leftovers(tasks: max(1, tasks), deadline: deadline).find(kinds)
        FileHandle.standardError.write(Data(findings.joined(separator: "\n").utf8))
    }

    /// Removes Swift Testing's hooks, which keep a backtrace of every error and so leak memory.
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

    /// Makes a round's tasks. Returns a sentence if some of them leak.
    private func play(_ kind: Kind) async -> String? {
        let before = AnyChainTask.liveCount
        var made = 0
        while made < tasks {
            // A few at a time, because tasks in queues take memory too.
            let end = min(tasks, made + 1000)
            while made < end { made += kind.make() }
            guard await settles(to: before) else { return "\(kind.name): \(AnyChainTask.liveCount - before) of \(made) tasks live on" }
        }
        return nil
    }

    /// Whether the growth exceeds 16 bytes a task, the smallest allocation.
    private func grows(_ bytes: Int) -> Bool {
        !Self.isSanitized && bytes > tasks * 16
    }

    private func settles(to count: Int) async -> Bool {
        let end = ContinuousClock.now + deadline
        while AnyChainTask.liveCount > count {
            guard ContinuousClock.now < end else { return false }
            await Task.yield()
        }
        return true
    }

    /// The process's resident memory. Freed memory counts, and the next round uses it again.
    private static func residentBytes() -> Int {
        let statistics = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = statistics?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
