import TaskEvents
import TraceStore

/// The waits of a program that goes on and that have lasted long, grouped by their cause and place. No rule may have fired, and yet the
/// program may hang in one of them.
///
/// A task that waits for a time, and one that waits for a task that runs or waits for a time, is not among them: the program goes on without
/// help. Nor is a task that waits for another task in this list, because the wait of that other one is the cause.
package struct LongWaits: Sendable {
    package struct Group: Hashable, Sendable {
        /// The cause of the longest wait. Nil if the tasks do not wait: they have run without a pause.
        package var cause: WaitsFor?
        /// The place of the wait in the source. Nil if unknown.
        package var site: String?
        package var count = 1
        /// The task that has waited longest.
        package var task: TaskID
        /// The time at which that wait began, in nanoseconds of the trace.
        package var since: UInt64
    }

    /// A wait shorter than this many nanoseconds is not long.
    package static let least: UInt64 = 2_000_000_000
    /// The number of tasks that are looked at, the oldest first, and of waits for other tasks whose chains are followed.
    private static let rowLimit = 50_000
    private static let chainLimit = 256

    /// The groups, the longest wait first.
    package private(set) var groups: [Group] = []
    package init() {}

    /// Looks at a bounded number of tasks at the store's present time.
    package init(_ store: TraceStore) {
        guard store.openCount > 0 else { return }
        var found: [Key: Group] = [:]
        var sites: [EntryID: String?] = [:]
        var followed = 0
        for row in store.rows.prefix(Self.rowLimit) {
            let task = store[row]
            guard !task.state.hasEnded, task.kind != .internal, let since = task.waitingSince, store.now > since,
                store.now - since >= Self.least
            else { continue }
            guard var group = Self.group(task, since, store) else { continue }
            if group.isOfTasks {
                guard followed < Self.chainLimit else { continue }
                followed += 1
                // In a ring each wait is the cause of the next one.
                guard case .ring(0) = WaitChain(of: .task(task.id), in: store).end else { continue }
            }
            if let cause = group.cause {
                let site = sites[cause.calls] ?? cause.site(in: store)
                sites[cause.calls] = .some(site)
                group.site = site
            }
            found[Key(group), default: group.empty].add(group)
        }
        groups = found.values.sorted { ($0.since, $0.task) < ($1.since, $1.task) }
    }

    /// The rules whose findings name a wait of their task.
    private static let rulesOfWaits: Set = ["blocking-wait", "wait-cycle", "pool-starvation", "never-completed"]

    /// Leaves out the waits of tasks that a finding has named.
    package mutating func leaveOut(namedIn findings: WarningIndex) {
        groups.removeAll { group in findings.findings(of: group.task).contains { Self.rulesOfWaits.contains($0.rule) } }
    }

    private static func group(_ task: TaskView, _ since: UInt64, _ store: TraceStore) -> Group? {
        if task.state == .running, task.threadWait == nil { return Group(task: task.id, since: since) }
        guard let wait = WaitsFor(task, in: store) else { return nil }
        return wait.kind == .timer ? nil : Group(cause: wait, task: task.id, since: since)
    }

    private struct Key: Hashable {
        var kind: WaitsFor.Kind?
        var executor: ExecutorID?
        var site: String?
        /// Tasks that run, and tasks of a ring, are listed one by one.
        var task: TaskID?

        init(_ group: Group) {
            (kind, executor, site) = (group.cause?.kind, group.cause?.executor, group.site)
            task = kind == nil || kind == .task ? group.task : nil
        }
    }
}

extension LongWaits.Group {
    /// Whether the task waits for other tasks.
    fileprivate var isOfTasks: Bool { cause?.kind == .task || cause?.kind == .group }

    fileprivate var empty: Self {
        var group = self
        (group.count, group.since) = (0, .max)
        return group
    }

    fileprivate mutating func add(_ other: Self) {
        if other.since < since { (cause, task, since) = (other.cause, other.task, other.since) }
        count += 1
    }

    /// One sentence: `` `request 7` has waited 7.8 s for a continuation that nothing has resumed, Request.swift:5 ``; `10 tasks wait for …,
    /// the longest, …, for 9.0 s`.
    package func text(in store: TraceStore, isASCII: Bool = false) -> String {
        let name = "`\(TaskWords(store).name(of: task))`"
        let time = store.elapsed(since: since, isASCII: isASCII)
        guard let cause else { return "\(name) has run for \(time) without a pause" }
        let what = what(cause, in: store)
        return count == 1
            ? "\(name) has waited \(time) for \(what)"
            : "\(CountText.text(count, "task")) wait for \(what); the longest, \(name), for \(time)"
    }

    private func what(_ cause: WaitsFor, in store: TraceStore) -> String {
        let site = site.map { ", \($0)" } ?? ""
        switch cause.kind {
        case .continuation: return "a continuation that nothing has resumed\(site)"
        case .executor: return "a turn on \(cause.text(in: store))\(holder(cause, in: store))"
        case .task, .thread, .group, .timer, .condition, .source, .call: return cause.text(in: store)
        }
    }

    /// `, which runs NAME`. Empty if nothing runs there, or if several jobs run.
    private func holder(_ cause: WaitsFor, in store: TraceStore) -> String {
        let jobs = cause.holders(in: store)
        guard jobs.count == 1 else { return "" }
        return ", which runs `\(TaskWords(store).name(of: jobs[0].task, closure: jobs[0].label))`"
    }
}
