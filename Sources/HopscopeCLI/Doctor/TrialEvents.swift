import Foundation
import TaskEvents

/// The events and tasks of a trace of ``TrialProgram``, from `export --to jsonl` and `report --format json`.
struct TrialEvents {
    private struct Event: Decodable {
        let event: String
        let task, antecedent, awaits, by: UInt64?
        let name, detail, executor, to: String?
    }

    private struct Report: Decodable {
        struct Fault: Decodable {
            struct Step: Decodable {
                let `where`: String?
            }

            let path: [Step]
        }

        let faults: [Fault]
    }

    private let events: [Event]
    private let report: Report?
    /// The tasks by their names.
    private let tasks: [String: UInt64]
    private let main: UInt64?

    init(lines: String, report: String) {
        events = lines.split(separator: "\n").compactMap { try? JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
        self.report = try? JSONDecoder().decode(Report.self, from: Data(report.utf8))
        let created = events.filter { $0.event == "created" }
        tasks = Dictionary(
            created.compactMap { event in event.name.flatMap { name in event.task.map { (name, $0) } } },
            uniquingKeysWith: { first, _ in first })
        main = created.first { $0.detail == "root" }?.task
    }

    /// The routes that a trial tries. The others do not depend on Swift's runtime.
    static let tried = TraceRoutes.all.subtracting([.blocking, .blocks])

    /// The routes whose events are those of the program.
    var proven: TraceRoutes {
        TraceRoutes(Self.tried.names.compactMap { name in TraceRoutes.named.first { $0.name == name }?.route }.filter(shows))
    }

    private func shows(_ route: TraceRoutes) -> Bool {
        switch route {
        case .created:
            main != nil && events.count { $0.event == "created" && $0.detail == "group-child" && $0.antecedent == main } == 3
        case .names: ["named", "late", "unread", "cancelled", "member", "dropped"].allSatisfy { tasks[$0] != nil }
        case .queues: has("enqueued", of: "named") { $0.executor == "global" }
        case .slices: has("started", of: "named") && has("suspended", of: "named")
        case .waits:
            has("suspended", of: "late") { $0.detail == "continuation" } && isTask("named", awaitedBy: main)
                && events.contains { $0.event == "suspended" && $0.task == main && $0.detail == "group" }
        case .hops: has("hopped", of: "named") { $0.to == "Counter" }
        case .ends: has("completed", of: "named") && has("faulted", of: "late") { $0.detail == "thrown" }
        case .thrown: showsThrows
        case .read: has("errorRead", of: "late") { $0.by == main } && !has("errorRead", of: "unread")
        case .released: has("released", of: "unread")
        case .cancellation: has("cancellationAsked", of: "cancelled") { $0.by == main } && !has("cancellationAsked", of: "named")
        case .continuations: has("released", of: "dropped")
        case .looks: has("cancellationSeen", of: "cancelled")
        case .children: has("released", of: "member") { $0.detail == "taken" }
        case _: false
        }
    }

    private func has(_ event: String, of name: String, where isWanted: (Event) -> Bool = { _ in true }) -> Bool {
        guard let task = tasks[name] else { return false }
        return events.contains { $0.event == event && $0.task == task && isWanted($0) }
    }

    private func isTask(_ name: String, awaitedBy task: UInt64?) -> Bool {
        events.contains { $0.event == "suspended" && $0.task == task && $0.detail == "task" && $0.awaits == tasks[name] }
    }

    private var showsThrows: Bool {
        let lines = TrialProgram.source.split(separator: "\n", omittingEmptySubsequences: false)
        guard let line = lines.firstIndex(where: { $0.contains(TrialProgram.throwing) }), let faults = report?.faults else { return false }
        return faults.count == 2 && faults.allSatisfy { $0.path.first?.where == "\(TrialProgram.fileName):\(line + 1)" }
    }
}
