import TaskEvents
import TraceStore

/// The unusual waits of a program that goes on, grouped by their cause and place. No rule may have fired, and yet the program may hang in one
/// of them.
///
/// A wait is unusual that has lasted two seconds, and twice as long as any wait at the same place that has ended. The others go on without
/// help: waits for a time; waits in the code of libraries alone. Nor is a task that waits for another task in this list, because the wait of
/// that other one is the cause. A loop, whose task has waited there before, may wait for its next item. That is unusual only if nothing
/// happens at all and no task waits for a time. It is also unusual if a block that the task itself had made ended such a wait before,
/// because then the task waits for an answer. A first wait for a stream is unusual only if nothing else happens. An executor is saturated
/// if more than ten jobs wait for it for most of a second. What repeats itself to no purpose is told here, too.
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
        /// What the program does again and again instead of waiting.
        fileprivate var repetition: Repetition?
        /// From this number of hops on, they are told of a task that runs without a pause.
        fileprivate static let manyHops = 1000
    }

    /// A wait shorter than this many nanoseconds is not long.
    package static let least: UInt64 = 2_000_000_000
    /// The number of waits for other tasks whose chains are followed.
    private static let chainLimit = 256
    /// Nanoseconds without an event after which nothing happens in the program.
    private static let stillness: UInt64 = 2_000_000_000
    /// The mean number of jobs in the queue of a saturated executor, over a second.
    private static let saturation = 10.0
    private static let executorLimit = 1024

    /// The groups, the longest wait first.
    package private(set) var groups: [Group] = []
    /// The time of the last event, if nothing has happened since for two seconds and no task waits for a time. Whether such a program is idle
    /// or hangs, the trace does not tell.
    package private(set) var stillSince: UInt64?

    package init() {}

    /// Looks at a bounded number of tasks at the store's present time.
    package init(_ store: TraceStore) {
        var live = LiveTasks()
        self.init(store, &live)
    }

    /// Looks at the live tasks that are known.
    package init(_ store: TraceStore, _ live: inout LiveTasks) {
        guard store.openCount > 0 else { return }
        var found: [Key: Group] = [:]
        var sites: [EntryID: String?] = [:]
        var followed = 0
        let isStill = store.now >= store.lastEvent + Self.stillness
        let rows = live.look(store)
        if isStill, !rows.contains(where: { Self.waitsForATime(store[$0], store) }) { stillSince = store.lastEvent }
        for row in rows {
            let task = store[row]
            guard let since = task.waitingSince, store.now > since, store.now - since >= Self.least else { continue }
            guard Self.isUnusual(task, store.now - since, isStill: isStill, endsInStillness: stillSince != nil, store),
                var group = Self.group(task, since, store)
            else { continue }
            if group.isOfTasks {
                guard followed < Self.chainLimit else { continue }
                followed += 1
                // In a ring each wait is the cause of the next one.
                guard case .ring(0) = WaitChain(of: .task(task.id), in: store).end else { continue }
            }
            if let cause = group.cause {
                // Tasks in the same calls wait at one place. Without calls, the place comes from a look from outside at this task alone.
                let known = cause.calls == .none ? nil : sites[cause.calls]
                let site = known ?? cause.site(in: store)
                sites[cause.calls] = .some(site)
                group.site = site
            }
            found[Key(group), default: group.empty].add(group)
        }
        for executor in store.executorIDs.prefix(Self.executorLimit) {
            guard let group = Self.saturated(executor, store) else { continue }
            found[Key(group)] = group
        }
        let repeated = Repetition.all(in: store).map { found in
            Group(
                site: found.calls == .none ? nil : WaitsFor(.call, calls: found.calls).site(in: store), task: found.task,
                since: found.since, repetition: found.repetition)
        }
        let spinning = Set(repeated.map(\.task))
        groups = (found.values.filter { !spinning.contains($0.task) } + repeated).sorted { ($0.since, $0.task) < ($1.since, $1.task) }
    }

    /// The rules whose findings name a wait of their task.
    private static let rulesOfWaits: Set = ["blocking-wait", "wait-cycle", "pool-starvation", "never-completed"]

    private static let rulesOfErrors: Set = ["unobserved-fault", "swallowed-error"]

    /// Leaves out the waits of tasks that a finding has named, those for executors that one has called crowded, and the failures at a place
    /// whose errors are found to be unread.
    package mutating func leaveOut(namedIn findings: WarningList?, in store: TraceStore) {
        guard let findings else { return }
        let errors = Set(findings.findings.filter { Self.rulesOfErrors.contains($0.rule) }.map(\.label))
        let named = findings.findings.filter { Self.rulesOfWaits.contains($0.rule) }
        let tasks = Set(named.flatMap { finding in [finding.task] + finding.evidence.map(\.task) })
        let executors = Set(findings.findings.filter { $0.rule == "actor-contention" && $0.severity < .note }.map(\.executor))
        groups.removeAll { group in
            let isOfError = group.isOfFailures && store.task(group.task).map { errors.contains($0.labelID) } ?? false
            return isOfError || tasks.contains(group.task)
                || group.cause.map { $0.kind == .executor && executors.contains($0.executor) } ?? false
        }
    }

    private static func isUnusual(_ task: TaskView, _ wait: UInt64, isStill: Bool, endsInStillness: Bool, _ store: TraceStore) -> Bool {
        guard task.state == .suspended else { return true }
        let calls = task.awaitedCalls
        if task.waitsInLibrary { return false }
        // A task that serves one request after another waits for each anew.
        if task.isBackAtPlace, !task.isCalledAfterHandler, !endsInStillness, !hasMadeItsAnswer(task, store) { return false }
        if store.readsStream(in: calls) { return isStill }
        let ended = store.endedWaits(in: calls)
        return ended.count == 0 || wait / 2 > ended.longest
    }

    /// Whether a block that the task had made resumed it last.
    private static func hasMadeItsAnswer(_ task: TaskView, _ store: TraceStore) -> Bool {
        task.lastResumer.flatMap { store.task($0)?.firstAntecedent } == task.id
    }

    private static func waitsForATime(_ task: TaskView, _ store: TraceStore) -> Bool {
        guard task.state == .suspended else { return task.state == .pending && task.kind == .delay }
        return WaitsFor(task, in: store)?.kind == .timer
    }

    private static func saturated(_ id: ExecutorID, _ store: TraceStore) -> Group? {
        guard let executor = store.executor(id), executor.depth > Int(saturation),
            executor.depthHistory.meanOfLastSecond(until: store.now) > saturation, let first = executor.queue.first(where: { _ in true })
        else { return nil }
        let wait = store.task(first.task).flatMap { WaitsFor($0, in: store) } ?? WaitsFor(.executor, executor: id)
        return Group(cause: wait, site: wait.site(in: store), count: executor.depth, task: first.task, since: first.since)
    }

    private static func group(_ task: TaskView, _ since: UInt64, _ store: TraceStore) -> Group? {
        guard let wait = WaitsFor(task, in: store) else { return task.state == .running ? Group(task: task.id, since: since) : nil }
        return wait.kind == .timer ? nil : Group(cause: wait, task: task.id, since: since)
    }

    private struct Key: Hashable {
        var kind: WaitsFor.Kind?
        var executor: ExecutorID?
        var site: String?
        /// Tasks that run, and tasks of a ring, are listed one by one.
        var task: TaskID?

        init(_ group: Group) {
            (kind, executor) = (group.cause?.kind, group.cause?.executor)
            // Tasks from several places wait for one executor.
            site = kind == .executor ? nil : group.site
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
        if other.since < since { (cause, site, task, since) = (other.cause, other.site, other.task, other.since) }
        count += 1
    }

    fileprivate var isOfFailures: Bool {
        if case .failures = repetition { true } else { false }
    }

    /// One sentence: `` `request 7` has waited 7.8 s for a continuation that nothing has resumed, Request.swift:5 ``; `10 tasks wait for …,
    /// the longest, …, for 9.0 s`.
    ///
    /// - Parameter now: the time of the trace up to which the wait has lasted. Nil for the store's.
    package func text(in store: TraceStore, at now: UInt64? = nil, isASCII: Bool = false) -> String {
        let name = "`\(TaskWords(store).name(of: task))`"
        if let repetition { return repetition.text(of: task, at: site, in: store, isASCII: isASCII) }
        let time = store.elapsed(since: since, of: task, until: now, isASCII: isASCII)
        guard let cause else {
            let computes = store.task(task).flatMap { store.sight(of: $0)?.isComputing } ?? false
            return "\(name) has \(computes ? "computed" : "run") for \(time) without a pause\(hops(in: store))"
        }
        if cause.kind == .thread, cause.task == .none {
            let call = (cause.function(in: store).map { " in \($0)" } ?? "") + (site.map { ", \($0)" } ?? "")
            return count == 1
                ? "\(name) has blocked its thread for \(time)\(call)"
                : "\(CountText.text(count, "task")) block their threads\(call); the longest, \(name), for \(time)"
        }
        let what = what(cause, in: store)
        let has = store.task(task)?.isAskedToStop == true ? "was cancelled, and has" : "has"
        return count == 1
            ? "\(name) \(has) waited \(time) for \(what)"
            : "\(CountText.text(count, "task")) wait for \(what); the longest, \(name), for \(time)"
    }

    /// `, and hopped 20,000 times, last from Broker to global`, of a task that changes executors all the time instead of waiting.
    private func hops(in store: TraceStore) -> String {
        guard let task = store.task(task), task.hopCount >= Self.manyHops else { return "" }
        var last: Hop?
        for hop in task.hops where hop.from != .none { last = hop }
        let words = TaskWords(store)
        let way = last.map { ", last from \(words.name($0.from)) to \(words.name($0.to))" } ?? ""
        return ", and hopped \(CountText.text(task.hopCount)) times\(way)"
    }

    private func what(_ cause: WaitsFor, in store: TraceStore) -> String {
        let site = site.map { ", \($0)" } ?? ""
        switch cause.kind {
        case .continuation: return cause.continuation(in: store) + site
        case .executor: return "a turn on \(cause.text(in: store))\(holder(cause, in: store))\(site)"
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
