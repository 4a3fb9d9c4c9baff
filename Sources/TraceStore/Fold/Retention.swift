/// The limit of the past that a store keeps.
package struct Retention: Hashable, Sendable {
    /// The number of kept tasks that have ended, or were released while pending. Above this number, ended chains are evicted, oldest end
    /// first. A chain is evicted as a whole, and never while a live task follows from it. Only structured children of Swift's tasks are
    /// evicted from a chain that goes on.
    package var endedTasks: Int

    /// Above this number of hops, a task with many hops forgets its earliest one with each new one, and only counts it. A task that lives
    /// as long as its program would otherwise need more and more memory.
    package var hops: Int

    /// The past of a live trace: about as many tasks as its kept events tell of.
    package static let live = Retention(endedTasks: 1 << 18)

    /// - Parameter hops: four for each ended task if nil, and at least 65,536.
    package init(endedTasks: Int = 1_000_000, hops: Int? = nil) {
        self.endedTasks = endedTasks
        self.hops = hops ?? max(1 << 16, endedTasks > .max / 4 ? .max : endedTasks * 4)
    }
}
