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
    /// The task that lived longest.
    package private(set) var longest = TaskID.none
    private var longestLife: UInt64 = 0

    fileprivate init(site: String) {
        self.site = site
    }

    fileprivate mutating func add(_ parts: TimeParts, of task: TaskID) {
        tasks += 1
        if longest == .none || parts.life > longestLife { (longest, longestLife) = (task, parts.life) }
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
        var pass = SiteTimesPass(steps)
        return pass.advance(store, portion: .max) ?? []
    }
}

/// Adds up the times of the store's tasks in portions: a million tasks at once would delay keys.
package struct SiteTimesPass: Sendable {
    private var latest = TaskID.none
    private var indices: [EntryID: Int] = [:]
    private var bySite: [String: Int] = [:]
    private var sites: [SiteTimes] = []
    private let steps: TaskSteps?

    package init(_ steps: TaskSteps? = nil) { self.steps = steps }

    /// Adds the next `portion` tasks. Returns all sites after the last portion.
    package mutating func advance(_ store: TraceStore, portion: Int) -> [SiteTimes]? {
        var rows = store.rows(after: latest).makeIterator()
        var left = portion
        while left > 0, let row = rows.next() {
            let task = store[row]
            latest = task.id
            left -= 1
            guard task.labelID != .none, task.kind != .internal, let parts = TimeParts(task, in: store, steps) else { continue }
            sites[index(of: task)].add(parts, of: task.id)
        }
        guard left > 0 else { return nil }
        return sites.filter { $0.life > 0 }.sorted { ($1.life, $0.site) < ($0.life, $1.site) }
    }

    private mutating func index(of task: TaskView) -> Int {
        if let index = indices[task.labelID] { return index }
        let site = PrintableText.text(task.label.place)
        let index = bySite[site] ?? sites.count
        if index == sites.count { sites.append(SiteTimes(site: site)) }
        (bySite[site], indices[task.labelID]) = (index, index)
        return index
    }
}
