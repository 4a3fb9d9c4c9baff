import TaskEvents

/// The tasks and threads of the traced process as a look from outside found them: their calls, which the trace does not have.
package struct OutsideView: Hashable, Sendable {
    /// A task or a thread at the moment of the look.
    package struct Sight: Hashable, Sendable {
        /// The function in which the thread blocks, as the program called it. Nil if it does not block, or if that is unknown.
        package var blockingCall: String?
        /// Whether the thread was on a processor. Its calls are then those of a sample.
        package var isComputing: Bool
        /// The calls of the program and of the packages that it depends on, innermost first.
        package var calls: [CodeSymbol]

        package init(blockingCall: String? = nil, isComputing: Bool = false, calls: [CodeSymbol] = []) {
            (self.blockingCall, self.isComputing, self.calls) = (blockingCall, isComputing, calls)
        }

        /// The innermost call of the user's own code; of a dependency, if there is no other.
        package var site: CodeSymbol? {
            let placed = calls.filter { !$0.site.isEmpty }
            return placed.first { !$0.isOfDependency } ?? placed.first
        }

        /// Where the thread computes: `count(_:), Main.swift:12`. Nil if it does not compute, and if that is unknown.
        package var computedSite: String? { isComputing ? site.map { "\($0.name), \($0.site)" } : nil }
    }

    /// The time of the trace at which the look began.
    package let began: UInt64
    /// The suspended tasks.
    private let tasks: [TaskID: Sight]
    /// By the kernel's number of the thread.
    private let threads: [UInt64: Sight]
    /// The number of the thread that runs main. Nil if unknown.
    private let mainThread: UInt64?
    /// What holds the continuations of tasks.
    private var holders: [TaskID: Holder]

    /// What holds the continuation that a task waits for, in words.
    private struct Holder: Hashable, Sendable {
        let words: String
        /// The time of the trace at which the look began that has found it.
        let began: UInt64
    }

    /// - Parameter holders: What holds the continuation that a task waits for, in the words that follow "waits for a continuation".
    package init(
        began: UInt64, tasks: [TaskID: Sight], threads: [UInt64: Sight], mainThread: UInt64? = nil, holders: [TaskID: String] = [:]
    ) {
        (self.began, self.tasks, self.threads, self.mainThread) = (began, tasks, threads, mainThread)
        self.holders = holders.mapValues { Holder(words: $0, began: began) }
    }

    /// Adds the holders that an earlier look has found. Most looks do not search for them.
    package mutating func keepHolders(of earlier: OutsideView?) {
        if let earlier { holders.merge(earlier.holders) { new, _ in new } }
    }

    func holder(of task: TaskID, since: UInt64) -> String? {
        holders[task].flatMap { since <= $0.began ? $0.words : nil }
    }

    func sight(of task: TaskID, since: UInt64) -> Sight? { since <= began ? tasks[task] : nil }

    func sightOfMain(since: UInt64) -> Sight? { mainThread.flatMap { sight(ofThread: $0, since: since) } }

    func sight(ofThread thread: UInt64, since: UInt64) -> Sight? { since <= began ? threads[thread] : nil }
}
