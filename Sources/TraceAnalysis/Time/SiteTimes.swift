import TaskEvents
import TraceStore
import TraceTransport

/// The parts of the time of all kept tasks that were created at one site.
package struct SiteTimes: Sendable {
    /// The call site that created the tasks, or their name where the site is unknown.
    package let site: String
    /// The number of tasks whose parts are known.
    package private(set) var tasks = 0
    /// Sums over these tasks, in nanoseconds. Nil if the part of one of them is unknown.
    package private(set) var running: UInt64? = 0
    /// The two parts of ``running``, which only a profile tells apart.
    package private(set) var onCPU: UInt64? = 0
    package private(set) var runnable: UInt64? = 0
    package private(set) var blocked: UInt64? = 0
    package private(set) var queued: UInt64? = 0
    package private(set) var awaiting: UInt64? = 0
    package private(set) var life: UInt64 = 0

    private init(site: String) {
        self.site = site
    }

    private mutating func add(_ parts: TimeParts) {
        tasks += 1
        life = life.plus(parts.life)
        (running, blocked) = (Self.sum(running, parts.running), Self.sum(blocked, parts.blocked))
        (onCPU, runnable) = (Self.sum(onCPU, parts.onCPU), Self.sum(runnable, parts.runnable))
        (queued, awaiting) = (Self.sum(queued, parts.queued), Self.sum(awaiting, parts.awaiting))
    }

    private static func sum(_ one: UInt64?, _ other: UInt64?) -> UInt64? {
        guard let one, let other else { return nil }
        return one.plus(other)
    }

    /// All sites whose tasks took time, the one whose tasks lived longest first, then sorted by site. The tasks that a runtime made for
    /// itself have no site.
    ///
    /// - Parameter steps: the steps of all tasks, with the thread times of a profile.
    package static func all(in store: TraceStore, _ steps: TaskSteps? = nil) -> [SiteTimes] {
        var indices: [EntryID: Int] = [:]
        var bySite: [String: Int] = [:]
        var sites: [SiteTimes] = []
        for row in store.rows {
            let task = store[row]
            guard task.labelID != .none, task.kind != .internal, let parts = TimeParts(task, in: store, steps) else { continue }
            if let index = indices[task.labelID] {
                sites[index].add(parts)
                continue
            }
            let site = PrintableText.text(task.label.place)
            let index = bySite[site] ?? sites.count
            if index == sites.count { sites.append(SiteTimes(site: site)) }
            (bySite[site], indices[task.labelID]) = (index, index)
            sites[index].add(parts)
        }
        return sites.filter { $0.life > 0 }.sorted { ($1.life, $0.site) < ($0.life, $1.site) }
    }
}
