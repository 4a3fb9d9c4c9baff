import Foundation
import TaskRuntime

/// Makes tasks of several kinds over and over, and looks for what stays behind when they have ended: for tests in a process of their own.
///
/// Tasks are counted by the runtime, whatever else stays by resident memory. What grows with the tasks grows in every round, and everything
/// else, caches or a thread's stack, in some: so that a kind leaks if there is no round without growth, however many there are.
package struct Leftovers {
    private static let rounds = 8
    /// How many more are made where each has grown: 64 threads have stacks and heaps of their own.
    private static let moreRounds = 64

    /// A kind of tasks. `make` makes some, says how many, and lets them go.
    package typealias Kind = (name: String, make: @Sendable () -> Int)

    /// How many tasks of a kind a round makes, at least.
    private let tasks: Int
    private let deadline: Duration

    /// Whether a sanitizer is at work. They keep accounts of what is freed, so that with them tasks alone are counted and no memory.
    package static var isSanitized: Bool {
        #if THREAD_SANITIZER || ADDRESS_SANITIZER
            true
        #else
            false
        #endif
    }

    /// Makes a million tasks, or as many as ``Stress`` says, of these kinds in equal parts, and prints what stays behind to
    /// standard error, a sentence a kind. (That is all that an exit test hands on of a process that did not end as it should.)
    package static func report(_ kinds: [Kind], everyDay: Int = 1_000_000, deadline: Duration = .seconds(60)) async {
        keepNoBacktraces()
        // With a sanitizer a task takes ten times as long.
        let operations = isSanitized ? everyDay / 10 : Stress.operations(everyDay: everyDay)
        let tasks = operations / kinds.count / rounds
        let findings = await Leftovers(tasks: max(1, tasks), deadline: deadline).find(kinds)
        FileHandle.standardError.write(Data(findings.joined(separator: "\n").utf8))
    }

    /// Swift Testing remembers where every error was thrown, also of one that is long gone: in a process that looks at its memory it must not.
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

    /// Makes a round's tasks, and answers how many stay behind if some do.
    private func play(_ kind: Kind) async -> String? {
        let before = AnyChainTask.liveCount
        var made = 0
        while made < tasks {
            // A few at a time: what waits in queues takes memory, too.
            let end = min(tasks, made + 1000)
            while made < end { made += kind.make() }
            guard await settles(to: before) else { return "\(kind.name): \(AnyChainTask.liveCount - before) of \(made) tasks live on" }
        }
        return nil
    }

    /// Whether that is more than the smallest piece of memory that there is for every task.
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

    /// What the process has in memory. What it has freed counts, and is used again by the next round.
    private static func residentBytes() -> Int {
        let statistics = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = statistics?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
