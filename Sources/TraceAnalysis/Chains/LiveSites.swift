import TaskEvents
import TraceStore

/// One creation place with its number of live tasks.
package struct LiveSite: Hashable, Sendable {
    /// The place in the source. If it is unknown, the tasks' name.
    package var site: String
    /// Tasks created there that have not ended.
    package var live = 0
    /// Tasks created there, as far as the store knows.
    package var created = 0
    /// The creation time of the oldest live task.
    package var oldest: UInt64?
    /// The total size in bytes of the memory that the runtime has allocated for live tasks. Nil if none of them was measured; a sum of
    /// those that were, if not all.
    package var memory: UInt64?
    /// The creation time of the first task of all.
    package var first: UInt64

    /// The net growth of live tasks in thousandths of a task per second, from the first task created there until `now`.
    package func thousandthsPerSecond(until now: UInt64) -> UInt64 {
        now > first ? UInt64(min(Double(live) * 1000 / (Double(now - first) / 1_000_000_000), 1e18)) : 0
    }

    /// The same in words, as a whole number: `+36/s`, below ten a second `+90/min`, below one a minute `+12/h`. Nil for none.
    package func growthText(until now: UInt64) -> String? {
        let rate = thousandthsPerSecond(until: now)
        let units: [(name: String, seconds: UInt64, least: UInt64)] = [("s", 1, 10_000), ("min", 60, 17), ("h", 3600, 1)]
        guard let unit = units.first(where: { rate >= $0.least }) else { return nil }
        return "+\(CountText.text(Int((rate * unit.seconds + 500) / 1000)))/\(unit.name)"
    }

    /// All places with a live task, the one with the most first, then sorted by place.
    package static func all(in store: TraceStore) -> [LiveSite] {
        var texts: [EntryID: String] = [:]
        var sites: [String: LiveSite] = [:]
        for row in store.rows {
            let task = store[row]
            guard task.labelID != .none, let created = task.created else { continue }
            let site: String
            if let known = texts[task.labelID] {
                site = known
            } else {
                site = task.label.place
                texts[task.labelID] = site
            }
            sites[site, default: LiveSite(site: site, first: created)].add(
                created: created, isLive: !task.state.hasEnded, memory: task.memory)
        }
        return sites.values.filter { $0.live > 0 }.sorted { ($1.live, $0.site) < ($0.live, $1.site) }
    }

    package init(site: String, first: UInt64) {
        self.site = site
        self.first = first
    }

    /// Counts a task.
    package mutating func add(created time: UInt64, isLive: Bool, memory size: UInt64?) {
        created += 1
        first = min(first, time)
        guard isLive else { return }
        live += 1
        oldest = min(oldest ?? time, time)
        if let size { memory = (memory ?? 0) + size }
    }
}
