import TaskEvents
import TraceAnalysis
import TraceFile
import TraceStore
import TraceTransport

/// Keeps a trace's last events, notices triggers, and writes recordings. Belongs to one thread.
///
/// The memory is bounded: it keeps at least the last 131,072 events, and the ended tasks that these can be about.
package final class FlightMonitor {
    private static let keptEvents = 131_072
    /// An ended task has at least two events.
    private static let endedTasks = keptEvents / 2
    /// More findings are forgotten once their triggers have fired, because an engine keeps only the first ones of a kind.
    private static let mostFindings = 500

    private let plan: FlightPlan
    private let header: TraceFileHeader
    private let store = TraceStore(retention: Retention(endedTasks: endedTasks))
    private let warnings: WarningEngine
    /// The tasks whose trigger has fired. `.none` stands for causes without a task.
    private var reported: [String: Set<TaskID>] = [:]
    private var limit: FlightLimit

    package init(_ plan: FlightPlan, of header: TraceFileHeader) {
        self.plan = plan
        self.header = header
        store.keepEvents(Self.keptEvents)
        warnings = Self.engine(plan)
        limit = FlightLimit(mostPerHour: plan.mostPerHour, pause: plan.pause)
    }

    /// A rule that is no trigger costs nothing.
    private static func engine(_ plan: FlightPlan) -> WarningEngine {
        let rules = WarningRules.all.filter { plan.rules.contains($0.id) && !plan.settings.isOff($0.id) }
        return WarningEngine(rules: rules, settings: plan.settings, limit: 1000)
    }

    package func apply(_ batch: TraceBatch) {
        store.apply(batch)
        warnings.follow(store)
    }

    /// The number of events in memory.
    package var eventCount: Int { store.eventCount - store.oldestEvent + 1 }

    // MARK: Triggers

    /// The causes that are new since the last call, if a recording of them may be written now.
    ///
    /// - Parameter isOver: whether the program has ended, so that no open task will end.
    package func check(at now: UInt64, isOver: Bool = false) -> [FlightCause] {
        store.advance(to: now)
        if isOver { store.end = .exit }
        warnings.settle(in: store)
        let list = warnings.list(in: store, isOver: isOver)
        let causes = findings(in: list) + slowOnes() + matches(WarningIndex(list))
        forgetEvicted()
        if list.count > Self.mostFindings { warnings.forgetFindings() }
        guard let first = causes.first else { return [] }
        return limit.admits(first.trigger, at: now) ? causes : []
    }

    private func findings(in list: WarningList) -> [FlightCause] {
        list.findings.filter { isNew($0.rule, $0.task) }.map {
            FlightCause($0.rule, $0.task, list.message(of: $0, in: store))
        }
    }

    private func slowOnes() -> [FlightCause] {
        guard plan.slowTask != nil || plan.slowChain != nil else { return [] }
        var causes: [FlightCause] = []
        for row in store.rows {
            let task = store[row]
            let end = task.state.hasEnded ? task.ended : store.now
            guard let end else { continue }
            if let limit = plan.slowTask, let created = task.created, end > created, end - created > limit, isNew("slow-task", task.id) {
                let name = PrintableText.text(task.label.name)
                causes.append(FlightCause("slow-task", task.id, sentence("Task \(task.id.rawValue), \(name),", end - created, limit)))
            }
            if let limit = plan.slowChain, let root = store.task(task.chain), let created = root.created, end > created,
                end - created > limit, isNew("slow-chain", root.id)
            {
                let name = PrintableText.text(root.label.name)
                causes.append(FlightCause("slow-chain", root.id, sentence("The chain of \(name)", end - created, limit)))
            }
        }
        return causes
    }

    private func sentence(_ subject: String, _ time: UInt64, _ limit: UInt64) -> String {
        "\(subject) has taken \(DurationText.text(time)); the limit is \(DurationText.text(limit))."
    }

    private func matches(_ index: WarningIndex) -> [FlightCause] {
        guard !plan.query.isEmpty else { return [] }
        return TaskQueryMatcher(plan.query, in: store, warnings: index).tasks().filter { isNew("query", $0) }.map { task in
            let name = store.task(task).map { PrintableText.text($0.label.name) } ?? ""
            return FlightCause("query", task, "Task \(task.rawValue), \(name), matches '\(plan.query.text)'.")
        }
    }

    private func isNew(_ trigger: String, _ task: TaskID) -> Bool {
        reported[trigger, default: []].insert(task).inserted
    }

    /// Bounds the memory for tasks that have been reported.
    private func forgetEvicted() {
        for (trigger, tasks) in reported where tasks.count > 65_536 { reported[trigger] = tasks.filter { store.task($0) != nil } }
    }

    // MARK: Writing

    /// Writes the last events into a new recording, with a note for each of the first causes. It begins earlier than the plan says if a
    /// cause's task or its chain was made earlier.
    package func write(_ causes: [FlightCause], to path: String) throws {
        let start = store.now > plan.last ? store.now - plan.last : 0
        let tasks = causes.compactMap { store.task($0.task) }
        let origins = tasks.compactMap(\.created) + tasks.compactMap { store.task($0.chain)?.created }
        let file = try TraceFileWriter(path: path, header: header)
        do {
            try write(causes, to: LastEvents(file, since: origins.reduce(start) { min($0, $1) }))
        } catch {
            file.removeIfEmpty()
            throw error
        }
    }

    private func write(_ causes: [FlightCause], to sink: LastEvents) throws {
        var names = store.entries
        var notes = TraceBatch()
        func mark(_ sentence: String) {
            let label = EntryID(rawValue: names.count)
            names.append(.text("flight recorder: \(sentence)"))
            notes.events.append(TaskEvent(.mark, at: store.now, label: label))
            notes.lanes.append(0)
        }
        for cause in causes.prefix(16) { mark("\(cause.trigger): \(cause.sentence)") }
        if causes.count > 16 { mark("There are \(causes.count - 16) more causes.") }
        if limit.refused > 0 { mark("Since the last recording \(limit.refused) causes came too soon to be written.") }
        limit.forgetRefused()
        sink.write(names)
        let forgotten = store.forgottenCount
        if forgotten > 0 { try sink.write(LastEvents.loss(forgotten, at: store.event(number: store.oldestEvent)?.event.time ?? 0)) }
        try store.forEachStretch(from: store.oldestEvent) { try sink.write($0) }
        try sink.write(notes)
        try sink.finish(sawExit: store.isOver, at: store.now)
    }
}

extension TraceStore {
    fileprivate func forEachStretch(from number: Int, _ body: (TraceBatch) throws -> Void) rethrows {
        var number = number
        while let stretch = stretch(from: number) {
            try body(TraceBatch(events: stretch.events, lanes: stretch.lanes))
            number = stretch.numbers.upperBound
        }
    }

    /// The number of the program's events that are no longer in memory, with those that an earlier loss counts.
    fileprivate var forgottenCount: UInt64 {
        var kept: UInt64 = 0
        forEachStretch(from: oldestEvent) { batch in
            for event in batch.events { kept += event.kind == .lost ? event.other : 1 }
        }
        return UInt64(toldCount) + lostCount - kept
    }
}
