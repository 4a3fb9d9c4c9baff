import Foundation
import TaskEvents
import TraceAnalysis

extension LedgerComparison {
    /// Compares fact by fact. `report` is the output of `hopscope report --format json`.
    package init(_ ledger: ChainLedger, report: Data) throws {
        self.init()
        let report = try JSONDecoder().decode(LedgerReport.self, from: report)
        let matched = match(ledger, report)
        let numbers = matched.mapValues(\.id)
        for id in ledger.order { compare(ledger.tasks[id]!, in: ledger, matched, numbers) }
        compareFaults(ledger, matched, numbers, report)
        compareCancellations(ledger, matched, report)
        compareTimes(of: report.executors, serial: { ["main", "disk", "line"].contains($0) }, within: report.duration_ns)
        expect("lost", "records", 0, report.lost)
    }

    private mutating func match(_ ledger: ChainLedger, _ report: LedgerReport) -> [Int: LedgerReport.Task] {
        var matched: [Int: LedgerReport.Task] = [:]
        for id in ledger.order {
            // The Swift task that runs an asynchronous body has the name of the chain's task.
            let found = report.tasks.filter { $0.name == "t\(id)" && $0.kind != "internal" }
            expect("task", found.count == 1, "\(ledger.tasks[id]!.operation) \(id) is in the report \(found.count) times")
            if let first = found.first { matched[id] = first }
        }
        let known = report.tasks.filter { $0.name.hasPrefix("t") && Int($0.name.dropFirst()) != nil && $0.kind != "internal" }.count
        expect("tasks", "the number of tasks", ledger.order.count, known)
        return matched
    }

    private mutating func compare(
        _ task: ChainLedger.Task, in ledger: ChainLedger, _ matched: [Int: LedgerReport.Task], _ numbers: [Int: UInt64]
    ) {
        guard let found = matched[task.id] else { return }
        let name = "\(task.operation) \(task.id)"
        expect("kind", name, ledger.kind(task).name, found.kind)
        expect("state", name, task.state, found.state)
        expect("open", name, task.state == "pending", found.open)
        if task.state == "pending" {
            let awaited = (ledger.continued(task).map { [$0] } ?? task.inputs).first { ledger.tasks[$0]?.state == "pending" }
            expect("waits", "what \(name) waits for", awaited == nil ? "source" : "task", found.waits_for?.kind ?? "nothing")
            if let awaited { expect("waits", "what \(name) awaits", numbers[awaited], found.waits_for?.task) }
        }
        if let antecedents = ledger.antecedents(task) {
            expect("antecedents", "the antecedents of \(name)", antecedents.map { numbers[$0] ?? 0 }, found.antecedents)
        }
        if ledger.kind(task) != .unstructured {
            expect("chain", "the chain of \(name)", numbers[ledger.chain(task)] ?? 0, found.chain)
        }
        if let executor = ledger.executor(task) { expect("executor", name, executor, found.executor ?? "") }
        expect("error", name, task.state == "faulted" ? ledger.errorType(task.id) : "none", found.error?.type ?? "none")
        expect("began", name, task.hasBegun, found.started_ns != nil)
        if let step = task.step {
            if ledger.kind(task) != .unstructured {
                expect("site", found.site?.hasSuffix(":\(task.id)") == true, "\(name) has the site \(found.site ?? "none")")
            }
            if task.hasBegun {
                let work = UInt64(step.work) * 970
                expect("busy", found.busy_ns >= work, "\(name) worked \(work), the report says \(found.busy_ns)")
            }
        }
        if let started = found.started_ns, let ended = found.ended_ns {
            expect("busy", found.busy_ns <= ended - started, "\(name) is busy \(found.busy_ns) within \(ended - started)")
        }
        if let queued = found.queued_ns, let started = found.started_ns {
            expect("queued", queued <= started, "\(name) was queued at \(queued) and started at \(started)")
        }
    }

    /// A cancelled task of a chain is in one cancellation, and no other task is.
    private mutating func compareCancellations(_ ledger: ChainLedger, _ matched: [Int: LedgerReport.Task], _ report: LedgerReport) {
        let reached = report.cancellations.flatMap { cancellation in cancellation.reached.map { $0.task } }
        expect("reached", "the number of reached tasks that differ", reached.count, Set(reached).count)
        for id in ledger.order {
            guard let task = ledger.tasks[id], let found = matched[id] else { continue }
            expect(
                "cancelled", "whether a cancellation reached \(task.operation) \(id)", task.state == "cancelled", reached.contains(found.id)
            )
        }
        for cancellation in report.cancellations {
            expect(
                "order", cancellation.reached == cancellation.reached.sorted { $0.at_ns < $1.at_ns }, "\(cancellation) goes back in time")
        }
    }

    private mutating func compareFaults(
        _ ledger: ChainLedger, _ matched: [Int: LedgerReport.Task], _ numbers: [Int: UInt64], _ report: LedgerReport
    ) {
        let truths = ledger.truths(numbers, ended: matched.compactMapValues(\.ended_ns))
        let definition = FaultDefinition(tasks: truths, isOver: true)
        let names = Dictionary(numbers.map { ($1, $0) }) { first, _ in first }
        func name(_ task: TaskID) -> String { "\(names[task.rawValue] ?? 0)" }
        for truth in truths {
            guard let id = names[truth.id.rawValue], let found = matched[id] else { continue }
            expect("role", "the role of \(id)", definition.role(of: truth)?.name ?? "none", found.role ?? "none")
        }
        let origins = truths.filter(definition.isOrigin)
        expect("origins", "the set of origins", Set(origins.map(\.id.rawValue)), Set(report.faults.map(\.origin)))
        for origin in origins {
            guard let fault = report.faults.first(where: { $0.origin == origin.id.rawValue }) else { continue }
            let expected = definition.fault(from: origin)
            let error = "the error of \(name(origin.id))"
            let roles = Dictionary(uniqueKeysWithValues: expected.roles.map { (name($0), $1?.name ?? "none") })
            let found = Dictionary(fault.path.map { (name(TaskID(rawValue: $0.task)), $0.role ?? "none") }) { first, _ in first }
            expect(
                "path", "the path of \(error)", roles.sorted { $0.key < $1.key }.map { "\($0): \($1)" },
                found.sorted { $0.key < $1.key }.map { "\($0): \($1)" })
            expect("verdict", error, expected.verdict.name, fault.verdict)
            var before: Set<TaskID> = []
            for step in fault.path where names[step.task] != nil {
                let task = TaskID(rawValue: step.task)
                if task != origin.id {
                    expect(
                        "path-order", definition.part(of: definition.truth(task), in: before) != nil,
                        "\(name(task)) stands too early on the path of \(error)")
                }
                before.insert(task)
            }
        }
    }
}
