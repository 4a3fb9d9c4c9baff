import Foundation
import TaskEvents
import TraceAnalysis
import TraceStore

/// The result of comparing a ledger with the report of the same run.
package struct LedgerComparison: Sendable {
    /// The number of facts compared, by fact.
    package private(set) var facts: [String: Int] = [:]
    /// The facts that differ, each with its subject: `state: t3 is faulted, the report says running`.
    package private(set) var differences: [String] = []
    /// The number of facts that the report leaves open, because the trace lacks routes.
    package private(set) var unknown = 0
    /// The routes that the trace lacks. A fact may then be unknown, but not false.
    private var lacking: TraceRoutes = []

    init() {}

    /// Compares fact by fact. `report` is the output of `hopscope report --format json`, `events` that of `export --to jsonl`.
    package init(_ ledger: NativeLedger, report: Data, events: Data, lacking: TraceRoutes = []) throws {
        self.lacking = lacking
        let report = try JSONDecoder().decode(LedgerReport.self, from: report)
        let matched = match(ledger, report)
        try compareAwaits(ledger, matched, events)
        for id in ledger.order { compare(ledger.tasks[id]!, in: ledger, matched, report) }
        compareFaults(ledger, matched, report)
        compareCancellations(ledger, matched, report)
        compareExecutors(ledger, report)
        let queued = ledger.order.filter { ledger.tasks[$0]?.stays?.kind == "executor" }.compactMap { matched[$0]?.waits_for?.position }
        expect("waits", "the places in the queue", Array(queued.indices.map { $0 + 1 }), queued.sorted())
        expect("quiet", "the warnings of reentrancy", 0, report.warnings.count { $0.rule == "actor-reentrancy" })
        expect("quiet", "the warnings of the order of starts", 0, report.warnings.count { $0.rule == "start-order" })
        expect("lost", "records", 0, report.lost)
    }

    /// Compares the faults of a trace that ends before its program does. What is lost there is lost in the end.
    package mutating func compareCut(_ store: TraceStore, report: Data) throws {
        let faults = try JSONDecoder().decode(LedgerReport.self, from: report).faults
        let verdicts = Dictionary(faults.map { ($0.origin, $0.verdict) }) { first, _ in first }
        for path in FaultAnalysis(store).faults() {
            let (verdict, later) = (path.verdict.name, verdicts[path.origin.rawValue] ?? "no fault")
            expect(
                "cut", !path.verdict.isUnread || later == verdict, "\(path.origin.words) is \(verdict) before the end, and then \(later)")
        }
        expect("cut", !store.isOver, "the trace was cut, and shows the program's end")
    }

    mutating func expect<Value: Equatable>(_ fact: String, _ subject: String, _ expected: Value, _ found: Value) {
        // A task that waits for a call waits for something that the trace does not show.
        let isUnknown = ["unknown", "none", "nothing", "call", "nil"].contains("\(found)")
        expect(fact, expected == found, isUnknown: isUnknown, "\(subject) is \(expected), the report says \(found)")
    }

    /// Facts that the report leaves open by not having them.
    private static let absences: Set<String> = ["cancelled", "awaits", "path", "origin", "stored", "transformed"]

    mutating func expect(_ fact: String, _ isTrue: Bool, isUnknown: Bool = false, _ text: @autoclosure () -> String) {
        facts[fact, default: 0] += 1
        guard !isTrue else { return }
        if !lacking.isEmpty, isUnknown || Self.absences.contains(fact) {
            unknown += 1
        } else {
            differences.append("\(fact): \(text())")
        }
    }

    // MARK: Tasks

    /// Maps each task of the ledger to the report's task. An `async let` has no name, so its parent and its place among its siblings
    /// identify it.
    private mutating func match(_ ledger: NativeLedger, _ report: LedgerReport) -> [Int: LedgerReport.Task] {
        var matched: [Int: LedgerReport.Task] = [:]
        matched[0] = report.tasks.first { $0.kind == "root" }
        expect("main", matched[0] != nil, "the report has no root task")
        var taken: Set<UInt64> = []
        for id in ledger.order {
            let task = ledger.tasks[id]!
            let found = report.tasks.filter { candidate in
                if let name = task.name { return candidate.name == name }
                guard candidate.kind == "async-let", !taken.contains(candidate.id) else { return false }
                return candidate.antecedents.first == matched[task.parent]?.id
            }
            expect("task", task.name == nil ? !found.isEmpty : found.count == 1, "\(task.kind) \(id) is in the report \(found.count) times")
            guard let first = found.first else { continue }
            taken.insert(first.id)
            matched[id] = first
        }
        let known = report.tasks.filter { !["root", "internal"].contains($0.kind) }.count
        expect("tasks", "the number of tasks", ledger.order.count, known)
        return matched
    }

    private mutating func compare(
        _ task: NativeLedger.Task, in ledger: NativeLedger, _ matched: [Int: LedgerReport.Task], _ report: LedgerReport
    ) {
        guard let found = matched[task.id] else { return }
        let name = "\(task.kind) \(task.id)"
        expect("kind", name, task.kind == "immediate" ? "unstructured" : task.kind, found.kind)
        let isQueued = task.stays?.kind == "executor"
        // Without the queues, a task that waits for an executor is where it was before. The probe may have found that out late.
        let staysUnseen = isQueued && lacking.contains(.queues)
        let isWaiting = staysUnseen && ["queued", "suspended"].contains(found.state)
        expect("state", name, task.state ?? (isWaiting ? found.state : isQueued ? "queued" : "suspended"), found.state)
        if let parent = matched[task.parent] {
            expect("parent", found.antecedents.contains(parent.id), "\(name) has no antecedent \(task.parent)")
        }
        expect("open", name, task.state == nil, found.open)
        if let stays = task.stays {
            expect("waits", "what \(name) waits for", stays.kind, found.waits_for?.kind ?? "nothing")
            if stays.task != 0 { expect("waits", "what \(name) awaits", matched[stays.task]?.id, found.waits_for?.task) }
        }
        expect("place", "the place of \(name)", "Ledger.swift:\(task.line)", found.site ?? "unknown")
        if task.error > 0 {
            expect(
                "error", name, ledger.secondFailures.contains(task.error) ? "SecondFailure" : "FirstFailure", found.error?.type ?? "none")
        } else {
            expect("error", name, "none", found.error?.type ?? "none")
        }
        expect("busy", Double(found.busy_ns) >= Double(task.work) * 0.97, "\(name) worked \(task.work), the report says \(found.busy_ns)")
        if let started = found.started_ns, let ended = found.ended_ns {
            expect("busy", found.busy_ns <= ended - started, "\(name) is busy \(found.busy_ns) within \(ended - started)")
        }
        if task.executor != "?", task.hasBegun, !staysUnseen {
            expect(task.executor == "CrewExecutor" ? "preference" : "executor", name, task.executor, found.executor ?? "none")
        }
    }

    /// The tasks whose values tasks took. Structured children are always awaited, and no event records that.
    private mutating func compareAwaits(_ ledger: NativeLedger, _ matched: [Int: LedgerReport.Task], _ events: Data) throws {
        let found = try LedgerEvent.awaits(in: events)
        func isStructured(_ task: Int) -> Bool { ["async-let", "group-child"].contains(ledger.tasks[task]?.kind) }
        for task in ledger.tasks.values {
            guard let number = matched[task.id]?.id else { continue }
            for other in task.awaited where !isStructured(other) {
                guard let awaited = matched[other]?.id else { continue }
                expect(
                    "awaits", found[number]?.contains(awaited) == true, "\(task.kind) \(task.id) awaits \(other), of which no event tells")
            }
            for (other, awaited) in matched where found[number]?.contains(awaited.id) == true && !isStructured(other) {
                expect("false-await", task.awaited.contains(other), "an event tells that \(task.kind) \(task.id) awaits \(other)")
            }
        }
    }

    // MARK: Faults

    private mutating func compareFaults(_ ledger: NativeLedger, _ matched: [Int: LedgerReport.Task], _ report: LedgerReport) {
        let faults = Dictionary(report.faults.map { ($0.origin, $0) }) { first, _ in first }
        var origins: Set<UInt64> = []
        for error in ledger.faults {
            guard let carriers = ledger.carriers[error], let origin = matched[carriers[0]] else { continue }
            let name = "error \(error) of \(carriers[0])"
            let making = ledger.making(of: error)
            compareMaking(making, of: name, origin, matched, report)
            guard let fault = faults[origin.id] else {
                // An error that was made of another one stands on the path of that one.
                expect("origin", making != .own, "\(name) begins no fault")
                continue
            }
            expect("origin", origins.insert(origin.id).inserted, "\(name) begins the fault of another error")
            if let first = ledger.throwsOfErrors[error], first.line != 0, first.task == carriers[0] {
                expect("throw-place", "the throw of \(name)", "Ledger.swift:\(first.line)", fault.path[0].where ?? "unknown")
            }
            let type = ledger.secondFailures.contains(error) ? "SecondFailure" : "FirstFailure"
            expect("fault-error", name, type, fault.error.type)
            for carrier in carriers {
                guard let task = matched[carrier] else { continue }
                expect("path", fault.path.contains { $0.task == task.id }, "\(name) went to \(carrier), which is not on its path")
            }
            let positions = Dictionary(fault.path.enumerated().map { ($1.task, $0) }) { first, _ in first }
            let readings = Dictionary(grouping: ledger.readings.filter { $0.error == error && $0.reader != 0 }, by: \.reader)
            for (reader, readings) in readings {
                let sources = readings.map(\.source)
                guard let step = matched[reader], sources.contains(where: { matched[$0] != nil }) else { continue }
                guard let later = positions[step.id] else {
                    expect("path", false, "\(reader) read \(name) from \(sources) and is not on its path")
                    continue
                }
                // A task that got the error from several tasks stands on the path once.
                let earlier = sources.contains { matched[$0].flatMap { positions[$0.id] }.map { $0 < later } ?? false }
                expect("path-order", earlier, "\(reader) stands before \(sources)")
            }
            if let verdicts = ledger.verdicts(of: error) {
                // A trace that lacks what a task awaited may not show that the task made its own error of the one that it read.
                let isRead = !lacking.isDisjoint(with: [.waits, .read]) && fault.verdict == "read" && !readings.isEmpty
                let (isRight, isUnknown) = (isRead || verdicts.contains(fault.verdict), fault.verdict == "unknown")
                expect("verdict", isRight, isUnknown: isUnknown, "\(name) is \(verdicts.sorted()), the report says \(fault.verdict)")
            }
        }
        for thrower in ledger.storedThrowers where ledger.tasks[thrower]?.error == NativePlan.storedError {
            guard let task = matched[thrower] else { continue }
            let fault = faults[task.id]
            expect("stored", fault?.error.type == "FirstFailure", "the stored error of \(thrower) begins no fault")
            origins.insert(task.id)
            if let verdict = ledger.verdict(ofStoredBy: thrower) {
                expect("stored-verdict", "the stored error of \(thrower)", verdict, fault?.verdict ?? "none")
            }
        }
        let extra = report.faults.filter { !origins.contains($0.origin) }
        expect("false-origin", extra.isEmpty, "\(extra.map { "\($0.origin) \($0.error.type)" }) are no faults")
    }

    /// Compares whether the report says that `task` made its error of another one.
    private mutating func compareMaking(
        _ making: NativeLedger.Making, of name: String, _ task: LedgerReport.Task, _ matched: [Int: LedgerReport.Task],
        _ report: LedgerReport
    ) {
        let isOwn = task.role == "thrown"
        let source: Int
        switch making {
        case .own:
            expect("role", "the role of \(name)", "thrown", task.role ?? "none")
            return
        case .open(let other):
            guard !isOwn else { return }
            source = other
        case .transformed(let other):
            // The wait for an `async let` may be its scope's, and without the waits the task may have waited in between.
            let isUnknown = !lacking.isDisjoint(with: [.cancellation, .waits, .read])
            expect("role", !isOwn, isUnknown: isUnknown, "\(name) was thrown for the error of \(other), the report says thrown")
            source = other
        }
        guard let source = matched[source] else { return }
        let isOnPath = report.faults.contains { fault in
            guard let position = fault.path.firstIndex(where: { $0.task == task.id }) else { return false }
            return fault.path[..<position].contains { $0.task == source.id }
        }
        expect("transformed", isOnPath, "\(name) is on no path after the task whose error it was made of")
    }

    // MARK: Cancellations

    /// Each task looked once, at its end. If it found itself cancelled, one cancellation reached it, and it looked; otherwise it did not.
    private mutating func compareCancellations(_ ledger: NativeLedger, _ matched: [Int: LedgerReport.Task], _ report: LedgerReport) {
        /// By task, the place of its step among all steps, and its cancellation.
        var places: [UInt64: (path: Int, step: Int)] = [:]
        var count = 0
        for (path, cancellation) in report.cancellations.enumerated() {
            for (step, reached) in cancellation.reached.enumerated() {
                count += 1
                places[reached.task] = (path, step)
            }
        }
        expect("reached", "the number of reached tasks that differ", count, places.count)
        for id in ledger.order {
            guard let task = ledger.tasks[id], let found = matched[id] else { continue }
            let place = places[found.id]
            let reached = place.map { report.cancellations[$0.path].reached[$0.step] }
            let name = "\(task.kind) \(id)"
            if let flag = task.foundCancelled {
                if flag { expect("cancelled", reached != nil, "\(name) found itself cancelled, and no cancellation reached it") }
                guard let reached else { continue }
                let isUnknown = reached.looked_ns == nil && lacking.contains(.looks)
                let isRight = flag == (reached.looked_ns != nil)
                expect("looked", isRight, isUnknown: isUnknown, "\(name) found \(flag), the report says \(reached)")
            }
            guard let place, let reached else { continue }
            compareOrigin(of: task, found, place, reached, ledger, matched, report)
        }
    }

    private mutating func compareOrigin(
        of task: NativeLedger.Task, _ found: LedgerReport.Task, _ place: (path: Int, step: Int),
        _ reached: LedgerReport.Cancellation.Reached,
        _ ledger: NativeLedger, _ matched: [Int: LedgerReport.Task], _ report: LedgerReport
    ) {
        let cancellation = report.cancellations[place.path]
        let name = "\(task.kind) \(task.id)"
        let asked = ledger.requests.filter { $0.target == task.id }
        let isStructured = ["async-let", "group-child"].contains(task.kind)
        if !isStructured {
            expect("asked", !asked.isEmpty, "nothing asked \(name) to cancel")
            expect("first", "the place of \(name) in its cancellation", 0, place.step)
            let isKnown = asked.contains {
                matched[$0.asker]?.id == cancellation.by.task && cancellation.by.where == "Ledger.swift:\($0.line)"
            }
            expect("asker", isKnown, "\(name) was asked by \(asked), the report says \(cancellation.by)")
            return
        }
        let parent = matched[task.parent]
        expect("group", asked.isEmpty, "\(name) has no handle")
        if place.step > 0 {
            let earlier = cancellation.reached[..<place.step]
            // The rest of a cancelled group stands beside the first child.
            let isSibling = task.kind == "group-child" && isSibling(earlier[0].task, of: task, ledger, matched)
            let follows = isSibling || earlier.contains { $0.task == parent?.id }
            expect("follows", follows, "\(name) follows \(earlier.map(\.task)), and its parent \(parent?.id ?? 0) is not among them")
        } else {
            // Its scope was left, or its group failed: no code of the program asks for it. Optimized code has the end of a group's scope in the
            // program's own function, with the line of the group.
            if task.kind == "async-let" { expect("scope", "the place that asked for \(name)", nil, cancellation.by.where) }
        }
    }

    private func isSibling(
        _ other: UInt64, of task: NativeLedger.Task, _ ledger: NativeLedger, _ matched: [Int: LedgerReport.Task]
    ) -> Bool {
        ledger.tasks.values.contains { $0.parent == task.parent && $0.kind == "group-child" && matched[$0.id]?.id == other }
    }

    // MARK: Executors

    private mutating func compareExecutors(_ ledger: NativeLedger, _ report: LedgerReport) {
        for (name, work) in ledger.work where name != "?" {
            // The order of first use distinguishes actors of one type.
            let base = name.split(separator: "#")[0]
            let all = name.contains("#") || ledger.work.keys.contains("\(name)#2")
            let found = report.executors.filter { all ? $0.name.split(separator: "#")[0] == base : $0.name == name }
            let expected = all ? ledger.work.filter { $0.key.split(separator: "#")[0] == base }.values.reduce(0, +) : work
            let busy = found.map(\.busy_ns).reduce(0, +)
            expect(
                name == "CrewExecutor" ? "preference-busy" : "executor-busy", Double(busy) >= Double(expected) * 0.97,
                "\(name) worked \(expected), the report says \(busy)")
        }
        compareTimes(of: report.executors, serial: { !["global", "CrewExecutor"].contains($0) }, within: report.duration_ns)
    }

    /// Compares the busy times with the time that passed, and with the jobs that they are the times of.
    mutating func compareTimes(of executors: [LedgerReport.Executor], serial isSerial: (String) -> Bool, within duration: UInt64) {
        for executor in executors {
            let text = "\(executor.name) is busy \(executor.busy_ns)"
            if isSerial(executor.name) { expect("serial-busy", executor.busy_ns <= duration, "\(text) of \(duration)") }
            let longest = executor.longest_job_ns ?? 0
            expect(
                "busy-jobs", executor.busy_ns <= executor.jobs * longest, "\(text) with \(executor.jobs) jobs of at most \(longest)")
        }
    }
}
