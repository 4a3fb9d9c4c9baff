import TaskEvents
import TraceStore
import TraceTransport

/// The unusual waits of a program that goes on, grouped by their cause and place. No rule may have fired, and yet the program may hang in one
/// of them.
///
/// A wait is unusual that has lasted two seconds, and twice as long as any wait at the same place that has ended. The others go on without
/// help: waits for a time, but for those of an ``Oversleeper``; waits in the code of libraries alone. Nor is a task that waits for another
/// task in this list, because the wait of that other one is the cause. A loop, whose task has waited there before, may wait for its next
/// item. That is unusual only if nothing happens at all and no task waits for a time. It is also unusual if a block that the task itself had
/// made ended such a wait before, because then the task waits for an answer. A trace without blocks does not tell the two apart, so each
/// loop may wait for an answer there. A first wait for a stream is unusual only if nothing else happens. An executor is saturated if more
/// than ten jobs wait for it for most of a second. What repeats itself to no purpose is told here, too.
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
        var repetition: Repetition?
        /// Whether the wait is unusual only if nothing at all happens in the program.
        var needsStillness = false
        /// From this number of hops on, they are told of a task that runs without a pause.
        fileprivate static let manyHops = 1000
        /// The number of latest events among which the place of its hops is looked for.
        fileprivate static let eventsWithHops = 4096
    }

    /// A wait shorter than this many nanoseconds is not long.
    package static let least: UInt64 = 2_000_000_000
    /// The number of waits for other tasks whose chains are followed.
    static let chainLimit = 256
    /// Nanoseconds without an event after which nothing happens in the program.
    static let stillness: UInt64 = 2_000_000_000
    /// The mean number of jobs in the queue of a saturated executor, over a second.
    private static let saturation = 10.0
    static let executorLimit = 1024

    /// The groups, the longest wait first.
    package private(set) var groups: [Group] = []
    /// The time of the last event, if nothing has happened since for two seconds and no task waits for a time. Whether such a program is idle
    /// or hangs, the trace does not tell.
    package private(set) var stillSince: UInt64?

    package init() {}

    init(_ groups: [Group], stillSince: UInt64?) {
        (self.groups, self.stillSince) = (groups, stillSince)
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

    /// Whether the task waits in code that has no name. While names are looked up, it may be the code of libraries, in which a wait is
    /// usual.
    static func isUnnamed(_ task: TaskView, _ store: TraceStore) -> Bool {
        task.state == .suspended && task.awaitedCalls != .none && store.entries.owner(of: task.awaitedCalls) == .unknown
    }

    static func isUnusual(_ task: TaskView, _ wait: UInt64, isStill: Bool, endsInStillness: Bool, _ store: TraceStore) -> Bool {
        guard task.state == .suspended else { return true }
        let calls = task.awaitedCalls
        // In optimized code, a function that ends with a sleep has no frame of its own.
        if task.waitsInLibrary, !waitsForATime(task, store) { return false }
        if !endsInStillness, isForNextItem(task, store) { return false }
        if store.readsStream(in: calls) { return isStill }
        let ended = store.endedWaits(in: calls)
        return ended.count == 0 || wait / 2 > ended.longest
    }

    /// Whether the task serves one request after another, and waits for each anew.
    static func isForNextItem(_ task: TaskView, _ store: TraceStore) -> Bool {
        task.isBackAtPlace && !task.isCalledAfterHandler && !mayHaveMadeItsAnswer(task, store)
    }

    /// Whether a block that the task had made resumed it last. In a trace without blocks, whether one may have: the trace shows no resumer.
    private static func mayHaveMadeItsAnswer(_ task: TaskView, _ store: TraceStore) -> Bool {
        guard let resumer = task.lastResumer, resumer.isBlock else { return task.kind.isOfSwift && !store.swiftRoutes.contains(.blocks) }
        return store.task(resumer)?.firstAntecedent == task.id
    }

    static func waitsForATime(_ task: TaskView, _ store: TraceStore) -> Bool {
        guard task.state == .suspended else { return task.state == .pending && task.kind == .delay }
        return WaitsFor(task, in: store)?.kind == .timer
    }

    static func saturated(_ id: ExecutorID, _ store: TraceStore) -> Group? {
        guard let executor = store.executor(id), executor.depth > Int(saturation),
            executor.depthHistory.meanOfLastSecond(until: store.now) > saturation, let first = executor.queue.first(where: { _ in true })
        else { return nil }
        let wait = store.task(first.task).flatMap { WaitsFor($0, in: store) } ?? WaitsFor(.executor, executor: id)
        return Group(cause: wait, site: wait.site(in: store), count: executor.depth, task: first.task, since: first.since)
    }

    static func group(_ task: TaskView, _ since: UInt64, _ store: TraceStore) -> Group? {
        guard let wait = WaitsFor(task, in: store) else { return task.state == .running ? Group(task: task.id, since: since) : nil }
        if wait.kind == .timer, Oversleeper(task, since, store) == nil { return nil }
        return Group(cause: wait, task: task.id, since: since)
    }

    struct Key: Hashable {
        var kind: WaitsFor.Kind?
        var executor: ExecutorID?
        var site: String?
        /// Tasks that run, and tasks of a ring, are listed one by one.
        var task: TaskID?
        var needsStillness: Bool

        init(_ group: Group) {
            (kind, executor) = (group.cause?.kind, group.cause?.executor)
            // Tasks from several places wait for one executor.
            site = kind == .executor ? nil : group.site
            task = kind == nil || kind == .task ? group.task : nil
            needsStillness = group.needsStillness
        }
    }
}

extension LongWaits.Group {
    /// Whether tasks wait or run on, instead of repeating something.
    package var isWait: Bool { repetition == nil }

    /// Whether it is worth a look in a program that goes on, too.
    package func isLong(in store: TraceStore) -> Bool { !isWait || store.now >= since + LongWaits.least }

    /// Whether blocks wait, and no tasks.
    package var isOfBlocks: Bool { task.isBlock }

    /// Whether the task waits for other tasks.
    var isOfTasks: Bool { cause?.kind == .task || cause?.kind == .group }

    var empty: Self {
        var group = self
        (group.count, group.since) = (0, .max)
        return group
    }

    mutating func add(_ other: Self) {
        if (other.since, other.task) < (since, task) { (cause, site, task, since) = (other.cause, other.site, other.task, other.since) }
        count += other.count
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
        if let repetition { return repetition.text(of: task, and: count, at: site, in: store, isASCII: isASCII) }
        let time = store.elapsed(since: since, of: task, until: now, isASCII: isASCII)
        guard let cause else {
            let sight = store.task(task).flatMap { store.sight(of: $0) }
            let place = sight?.computedSite.map { " in \($0)" } ?? ""
            let pauses = store.isSampled ? "" : " without a pause"
            return "\(name) has \(sight?.isComputing == true ? "computed" : "run") for \(time)\(pauses)\(place)\(hops(in: store))"
        }
        if cause.kind == .thread, cause.task == .none {
            let call = (cause.function(in: store).map { " in \($0)" } ?? "") + (site.map { ", \($0)" } ?? "")
            return count == 1
                ? "\(name) has blocked its thread for \(time)\(call)"
                : "\(CountText.text(count, "task")) block their threads\(call); the longest, \(name), for \(time)"
        }
        if cause.kind == .timer {
            let place = site.map { ", \($0)" } ?? ""
            let others = others(in: store, isASCII: isASCII)
            return count == 1
                ? "\(name) has slept \(time)\(place)\(others)"
                : "\(CountText.text(count, "task")) sleep\(place); the longest, \(name), for \(time)\(others)"
        }
        let what = what(cause, in: store)
        let has = store.task(task)?.isAskedToStop == true ? "was cancelled, and has" : "has"
        return count == 1
            ? "\(name) \(has) waited \(time)\(place(of: cause)) for \(what)"
            : "\(CountText.text(count, isOfBlocks ? "block" : "task")) wait\(place(of: cause)) for \(what); the longest, \(name), for \(time)"
    }

    /// `, and hopped 20,000 times, last from Broker to global, App.swift:12`, of a task that changes executors all the time instead of
    /// waiting.
    private func hops(in store: TraceStore) -> String {
        guard let task = store.task(task), task.hopCount >= Self.manyHops else { return "" }
        var last: Hop?
        for hop in task.hops where hop.from != .none { last = hop }
        let words = TaskWords(store)
        let way = last.map { ", last from \(words.name($0.from)) to \(words.name($0.to))" } ?? ""
        return ", and hopped \(CountText.text(task.hopCount)) times\(way)\(placeOfHops(in: store).map { ", \($0)" } ?? "")"
    }

    /// The place of the task's latest hop that has one, among the latest events.
    private func placeOfHops(in store: TraceStore) -> String? {
        var latest = EntryID.none
        var number = max(store.oldestEvent, store.eventCount - Self.eventsWithHops + 1)
        while let stretch = store.stretch(from: number) {
            latest = stretch.events.last { $0.kind == .hopped && $0.task == task && $0.label != .none }?.label ?? latest
            number = stretch.numbers.upperBound
        }
        return latest == .none ? nil : WaitsFor(.call, calls: latest).site(in: store)
    }

    /// `; main waits for it, and 7 others of the group ended within 40.1 ms`, of a sleep.
    private func others(in store: TraceStore, isASCII: Bool) -> String {
        guard let found = store.task(task).flatMap({ Oversleeper($0, since, store) }) else { return "" }
        let longest = DurationText.text(found.longest, isASCII: isASCII)
        return "; `\(TaskWords(store).name(of: found.parent))` waits for it, "
            + "and \(CountText.text(found.ended, "other")) of the group ended within \(longest)"
    }

    /// ` at App.swift:26`, of a wait for an executor. The name of the task that it runs can end with a place of its own.
    private func place(of cause: WaitsFor) -> String { cause.kind == .executor ? site.map { " at \($0)" } ?? "" : "" }

    private func what(_ cause: WaitsFor, in store: TraceStore) -> String {
        let site = site.map { ", \($0)" } ?? ""
        switch cause.kind {
        case .continuation: return cause.continuation(in: store) + site
        case .executor: return "a turn on \(cause.text(in: store))\(holder(cause, in: store))"
        case .task, .thread, .group, .timer, .condition, .source, .call: return cause.text(in: store)
        }
    }

    /// `, which runs NAME`, or what the thread of main does instead of its jobs. Empty if that is unknown, or if several jobs run.
    private func holder(_ cause: WaitsFor, in store: TraceStore) -> String {
        let jobs = cause.holders(in: store)
        if let main = cause.mainActivity(since: since, in: store) { return ", whose thread \(main)" }
        guard jobs.count == 1 else { return "" }
        return ", which runs `\(TaskWords(store).name(of: jobs[0].task, closure: jobs[0].label))`"
    }
}
