import TaskEvents
import TraceStore

/// Looks for unusual waits a bounded number of tasks at a time: a hundred thousand tasks that wait would delay keys.
package struct LongWaitsPass: Sendable {
    /// The number of rows among which one look searches for live tasks.
    private static let rowsPerLook = 16_384

    private var live = LiveTasks()
    private var found: [LongWaits.Key: LongWaits.Group] = [:]
    /// The waits that are not long yet, or not unusual. They count where another one like them is.
    private var others: [LongWaits.Key: Int] = [:]
    private var sites: [EntryID: String?] = [:]
    /// The number of waits for other tasks whose chains have been followed.
    private var followed = 0
    /// The last task that was looked at.
    private var last = TaskID.none
    /// Whether nothing had happened for a while as the pass began.
    private var isStill = false
    /// Whether a task waits for a time.
    private var hasTimer = false
    /// Whether the pass has begun and not ended.
    package private(set) var isUnfinished = false

    package init() {}

    /// Looks at the next `portion` tasks at most. Returns the waits after the last one.
    ///
    /// - Parameters:
    ///   - least: the nanoseconds from which on a wait is told.
    ///   - isFindingNames: whether names are still being looked up. Waits in code without a name are then left out.
    package mutating func advance(
        _ store: TraceStore, portion: Int, least: UInt64 = LongWaits.least, isFindingNames: Bool = false
    ) -> LongWaits? {
        guard store.openCount > 0 else {
            restart()
            // Blocks are no tasks, and can crowd a queue all the same.
            return LongWaits(Self.saturated(store), stillSince: nil)
        }
        if !isUnfinished || !live.isComplete { live.look(store, portion: max(portion, Self.rowsPerLook)) }
        if !isUnfinished { isStill = Self.isStill(store) }
        isUnfinished = true
        let known = live.known
        let first = known.partitioningIndex { $0 > last }
        let end = known.endIndex - first > portion ? first + portion : known.endIndex
        for id in known[first..<end] {
            guard let task = store.task(id), !task.state.hasEnded, !task.isFinishedMain,
                !(isFindingNames && LongWaits.isUnnamed(task, store))
            else { continue }
            look(at: task, least, store)
        }
        if end > first { last = known[end - 1] }
        guard end == known.endIndex, live.isComplete else { return nil }
        defer { restart() }
        return waits(store)
    }

    /// Begins anew with the next portion.
    package mutating func restart() {
        found.removeAll(keepingCapacity: true)
        others.removeAll(keepingCapacity: true)
        sites.removeAll(keepingCapacity: true)
        (followed, last, hasTimer, isUnfinished) = (0, .none, false, false)
    }

    private static func isStill(_ store: TraceStore) -> Bool { store.now >= store.lastEvent + LongWaits.stillness }

    private mutating func look(at task: TaskView, _ least: UInt64, _ store: TraceStore) {
        if isStill, !hasTimer, LongWaits.waitsForATime(task, store) { hasTimer = true }
        guard let since = task.waitingSince, store.now > since else { return }
        guard store.now - since >= least else { return countAmongOthers(task, since, store) }
        // Whether the whole program stands still is known after the last task.
        func isUnusual(inStillness: Bool) -> Bool {
            LongWaits.isUnusual(task, store.now - since, isStill: isStill, endsInStillness: inStillness, store)
        }
        let isAlwaysUnusual = isUnusual(inStillness: false)
        guard isAlwaysUnusual || isStill && isUnusual(inStillness: true) else { return countAmongOthers(task, since, store) }
        guard var group = LongWaits.group(task, since, store) else { return }
        if group.isOfTasks {
            guard followed < LongWaits.chainLimit else { return }
            followed += 1
            // In a ring each wait is the cause of the next one.
            guard case .ring(0) = WaitChain(of: .task(task.id), in: store).end else { return }
        }
        group.site = group.cause.flatMap { site(of: $0, store) }
        group.needsStillness = !isAlwaysUnusual
        found[LongWaits.Key(group), default: group.empty].add(group)
    }

    /// A task that suspends where others have waited long waits for the same, unless it is a loop that waits for its next item. So the
    /// number of these is that of all tasks that wait there.
    private mutating func countAmongOthers(_ task: TaskView, _ since: UInt64, _ store: TraceStore) {
        guard task.state == .suspended, !task.waitsInLibrary, !LongWaits.isForNextItem(task, store),
            var group = LongWaits.group(task, since, store), let cause = group.cause, cause.kind == .continuation
        else { return }
        group.site = site(of: cause, store)
        others[LongWaits.Key(group), default: 0] += 1
    }

    /// A look from outside tells of one task, and the trace's calls of all tasks that are in them.
    private mutating func site(of cause: WaitsFor, _ store: TraceStore) -> String? {
        let known = cause.calls == .none ? nil : sites[cause.calls]
        let site = known ?? cause.site(in: store)
        sites[cause.calls] = .some(site)
        return site
    }

    /// The queues of saturated executors, the longest wait first.
    private static func saturated(_ store: TraceStore) -> [LongWaits.Group] {
        store.executorIDs.prefix(LongWaits.executorLimit).compactMap { LongWaits.saturated($0, store) }
            .sorted { ($0.since, $0.task) < ($1.since, $1.task) }
    }

    private func waits(_ store: TraceStore) -> LongWaits {
        let isStill = isStill && !hasTimer && Self.isStill(store)
        var groups: [LongWaits.Key: LongWaits.Group] = [:]
        for var group in found.values where isStill || !group.needsStillness {
            group.needsStillness = false
            groups[LongWaits.Key(group), default: group.empty].add(group)
        }
        for (key, count) in others where groups[key]?.site != nil { groups[key]?.count += count }
        for group in Self.saturated(store) { groups[LongWaits.Key(group)] = group }
        let repeated = Repetition.all(in: store)
        let spinning = Set(repeated.map(\.task))
        let all = groups.values.filter { !spinning.contains($0.task) } + Self.grouped(repeated, store)
        return LongWaits(all.sorted { ($0.since, $0.task) < ($1.since, $1.task) }, stillSince: isStill ? store.lastEvent : nil)
    }

    /// One group for each place where tasks spin. What has no place, and each place whose tasks fail, is a group of its own.
    private static func grouped(_ repeated: [Repetition.Found], _ store: TraceStore) -> [LongWaits.Group] {
        var groups: [LongWaits.Group] = []
        for found in repeated.sorted(by: { ($0.since, $0.task) < ($1.since, $1.task) }) {
            let site = found.calls.lazy.compactMap { WaitsFor(.call, calls: $0).site(in: store) }.first
            if let site, let same = groups.firstIndex(where: { $0.site == site && $0.repetition?.sleeps == found.repetition.sleeps }) {
                groups[same].count += 1
            } else {
                groups.append(LongWaits.Group(site: site, task: found.task, since: found.since, repetition: found.repetition))
            }
        }
        return groups
    }
}

extension LongWaits {
    /// Looks at all live tasks at the store's present time.
    package init(_ store: TraceStore, isFindingNames: Bool = false) {
        var pass = LongWaitsPass()
        // One portion has all tasks.
        self = pass.advance(store, portion: .max, isFindingNames: isFindingNames) ?? LongWaits()
    }
}
