import Foundation

/// The result of comparing a ledger with the report of the same run.
package struct LedgerComparison: Sendable {
    /// The number of facts compared.
    package private(set) var facts = 0
    /// The facts that differ, each with its subject: `state: t3 is faulted, the report says running`.
    package private(set) var differences: [String] = []

    /// Compares fact by fact. `report` is the output of `hopscope report --format json`.
    package init(_ ledger: NativeLedger, report: Data) throws {
        let report = try JSONDecoder().decode(LedgerReport.self, from: report)
        let matched = match(ledger, report)
        for id in ledger.order { compare(ledger.tasks[id]!, in: ledger, matched, report) }
        compareFaults(ledger, matched, report)
        compareExecutors(ledger, report)
        expect("lost", "records", 0, report.lost)
    }

    private mutating func expect<Value: Equatable>(_ fact: String, _ subject: String, _ expected: Value, _ found: Value) {
        expect(fact, expected == found, "\(subject) is \(expected), the report says \(found)")
    }

    private mutating func expect(_ fact: String, _ isTrue: Bool, _ text: @autoclosure () -> String) {
        facts += 1
        if !isTrue { differences.append("\(fact): \(text())") }
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
        expect("state", name, task.state ?? "not ended", found.state)
        if let parent = matched[task.parent] {
            expect("parent", found.antecedents.contains(parent.id), "\(name) has no antecedent \(task.parent)")
        }
        for other in task.awaited {
            // A structured child is always awaited, and no event records that.
            guard let awaited = matched[other], !["async-let", "group-child"].contains(ledger.tasks[other]?.kind) else { continue }
            expect("awaits", found.antecedents.contains(awaited.id), "\(name) awaits \(other), which is none of its antecedents")
        }
        let mayAwait = task.awaited.union(ledger.order.filter { ledger.tasks[$0]?.parent == task.id }).union([task.parent])
        let known = matched.filter { found.antecedents.contains($0.value.id) }.keys
        expect("false-await", mayAwait.isSuperset(of: known), "\(name) awaits \(mayAwait.sorted()), the report says \(known.sorted())")
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
        if task.executor != "?", task.hasBegun {
            expect(task.executor == "CrewExecutor" ? "preference" : "executor", name, task.executor, found.executor ?? "none")
        }
    }

    // MARK: Faults

    private mutating func compareFaults(_ ledger: NativeLedger, _ matched: [Int: LedgerReport.Task], _ report: LedgerReport) {
        let faults = Dictionary(report.faults.map { ($0.origin, $0) }) { first, _ in first }
        var origins: Set<UInt64> = []
        for error in ledger.faults {
            guard let carriers = ledger.carriers[error], let origin = matched[carriers[0]] else { continue }
            let name = "error \(error) of \(carriers[0])"
            guard let fault = faults[origin.id] else {
                expect("origin", ledger.isSuccessor(error), "\(name) begins no fault")
                continue
            }
            origins.insert(origin.id)
            let type = ledger.secondFailures.contains(error) ? "SecondFailure" : "FirstFailure"
            expect("fault-error", name, type, fault.error.type)
            for carrier in carriers {
                guard let task = matched[carrier] else { continue }
                expect("path", fault.path.contains { $0.task == task.id }, "\(name) went to \(carrier), which is not on its path")
            }
            expect("role", ledger.isSuccessor(error) || matched[carriers[0]]?.role == "thrown", "\(name) has another role than thrown")
            let places = Dictionary(fault.path.enumerated().map { ($1.task, $0) }) { first, _ in first }
            for reading in ledger.readings where reading.error == error && reading.reader != 0 {
                guard let reader = matched[reading.reader], let source = matched[reading.source] else { continue }
                guard let later = places[reader.id] else {
                    expect("path", false, "\(reading.reader) read \(name) from \(reading.source) and is not on its path")
                    continue
                }
                expect("path-order", places[source.id].map { $0 < later } ?? false, "\(reading.reader) stands before \(reading.source)")
            }
            if let verdicts = ledger.verdicts(of: error) {
                expect("verdict", verdicts.contains(fault.verdict), "\(name) is \(verdicts.sorted()), the report says \(fault.verdict)")
            }
        }
        let extra = report.faults.filter { !origins.contains($0.origin) }
        expect("false-origin", extra.isEmpty, "\(extra.map { "\($0.origin) \($0.error.type)" }) are no faults")
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
        for executor in report.executors where !["global", "CrewExecutor"].contains(executor.name) {
            let text = "\(executor.name) is busy \(executor.busy_ns) of \(report.duration_ns)"
            expect("serial-busy", executor.busy_ns <= report.duration_ns, text)
        }
    }
}

/// The parts of `hopscope report --format json` that the comparison reads.
private struct LedgerReport: Decodable {
    struct Task: Decodable {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let busy_ns: UInt64, started_ns: UInt64?, ended_ns: UInt64?
        let id: UInt64
        let name, kind, state: String
        let antecedents: [UInt64]
        let executor, role: String?
        let error: Failure?
    }

    struct Failure: Decodable {
        let type: String
    }

    struct Fault: Decodable {
        struct Step: Decodable {
            let task: UInt64
        }

        let origin: UInt64
        let error: Failure
        let path: [Step]
        let verdict: String
    }

    struct Executor: Decodable {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let busy_ns: UInt64
        let name: String
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    let duration_ns: UInt64
    let lost: Int
    let tasks: [Task]
    let faults: [Fault]
    let executors: [Executor]
}
