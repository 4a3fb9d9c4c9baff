import TaskEvents
import TraceStore

/// The live tasks of a trace by the place that made them.
package struct LiveSite: Hashable, Sendable {
    /// The place, or the tasks' name where no place is known.
    package var place: String
    /// Tasks made there that have not ended.
    package var live = 0
    /// Tasks made there of which the store knows.
    package var created = 0
    /// When the first live one was made.
    package var oldest: UInt64?
    /// When the first of all was made.
    package var first: UInt64

    /// Thousandths of a live task that came to be each second, from the first task made there until `now`.
    package func thousandthsPerSecond(until now: UInt64) -> UInt64 {
        now > first ? UInt64(Double(live) * 1000 / (Double(now - first) / 1_000_000_000)) : 0
    }

    /// All places with a live task, the one with the most first, then by place.
    package static func all(in store: TraceStore) -> [LiveSite] {
        var places: [EntryID: String] = [:]
        var sites: [String: LiveSite] = [:]
        for row in store.rows {
            let task = store[row]
            guard task.labelID != .none, let created = task.created else { continue }
            let place: String
            if let known = places[task.labelID] {
                place = known
            } else {
                let label = task.label
                place = label.site.isEmpty ? label.name : label.site
                places[task.labelID] = place
            }
            sites[place, default: LiveSite(place: place, first: created)].add(created: created, isLive: !task.state.hasEnded)
        }
        return sites.values.filter { $0.live > 0 }.sorted { ($1.live, $0.place) < ($0.live, $1.place) }
    }

    private mutating func add(created time: UInt64, isLive: Bool) {
        created += 1
        first = min(first, time)
        guard isLive else { return }
        live += 1
        oldest = min(oldest ?? time, time)
    }
}
