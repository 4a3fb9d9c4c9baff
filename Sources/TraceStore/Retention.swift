/// How much of the past a store keeps.
package struct Retention: Hashable, Sendable {
    /// Past this many tasks that have ended, or were let go of while pending, ended chains are forgotten: the one that ended first before
    /// the others, each as a whole, and none that a live task follows from.
    package var endedTasks: Int

    package init(endedTasks: Int = 1_000_000) {
        self.endedTasks = endedTasks
    }
}
