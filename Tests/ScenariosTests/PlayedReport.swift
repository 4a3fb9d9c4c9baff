import Foundation
import TraceReport

@testable import Scenarios

/// The `--report json` of a scenario that was played to its end.
struct PlayedReport {
    private struct Report: Decodable {
        struct Fault: Decodable {
            struct Step: Decodable {
                let task: Int
                let role: String?
            }

            let path: [Step]
            let verdict: String
        }

        struct Hop: Decodable {
            let task: Int
            let from: String?
            let to: String
            let `class`: String
        }

        struct Warning: Decodable {
            let rule: String
        }

        let tasks: [Task]
        let executors: [Executor]
        let faults: [Fault]
        let hops: [Hop]
        let lost: Int
        let warnings: [Warning]
    }

    struct Task: Decodable {
        let id: Int
        let name: String
        let kind: String
        let state: String
        let chain: Int
        let antecedents: [Int]
        let executor: String?
        let role: String?
        let site: String?
        let created: UInt64?

        enum CodingKeys: String, CodingKey {
            case id, name, kind, state, chain, antecedents, executor, role, site
            case created = "created_ns"
        }
    }

    struct Executor: Decodable {
        let name: String
        let jobs: Int
    }

    private let report: Report
    private let names: [Int: String]
    let output: [String]

    /// Plays the scenario without its pauses.
    init(_ scenario: any Scenario, path: String? = nil, tasks: Int = 100) async throws {
        let played = try await Played(scenario, path: path, tasks: tasks)
        var text = ""
        TraceReport.Report(of: played.store, program: scenario.name).writeJSON(to: &text)
        report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
        names = Dictionary(uniqueKeysWithValues: report.tasks.map { ($0.id, $0.name) })
        output = played.output
    }

    /// Leaves out tasks of an earlier recording, whose last jobs may end in this one, and tasks that were made while this one began,
    /// whose names and places are in the earlier one.
    var tasks: [Task] { report.tasks.filter { $0.created != nil && $0.site != nil } }
    var lost: Int { report.lost }

    /// The tasks that did not succeed, with their state and role.
    var failures: [String] {
        tasks.filter { $0.state != "succeeded" }.map { "\($0.name) \($0.state)" }
    }

    func tasks(_ name: String) -> [Task] {
        tasks.filter { $0.name == name }
    }

    /// `state`, or `state role`, of the tasks with that name, in creation order.
    subscript(_ name: String) -> [String] {
        tasks(name).map { task in task.role.map { "\(task.state) \($0)" } ?? task.state }
    }

    /// The names of the antecedents of the tasks with that name.
    func antecedents(of name: String) -> [String] {
        tasks(name).flatMap { $0.antecedents.compactMap { names[$0] } }
    }

    func executor(_ name: String) -> Executor? {
        report.executors.first { $0.name == name }
    }

    /// Each fault's path by task names, and its verdict; sorted, because the order of two faults is not defined.
    var faults: [String] {
        report.faults.map { fault in
            let path = fault.path.map { "\(names[$0.task] ?? "?") \($0.role ?? "not ended")" }
            return "\(path.joined(separator: ", ")): \(fault.verdict)"
        }.sorted()
    }

    /// The rules with findings.
    var rules: Set<String> { Set(report.warnings.map(\.rule)) }

    /// The executors between which tasks with these names hopped.
    func hops(of isWanted: (String) -> Bool) -> [(name: String, from: String?, to: String, class: String)] {
        report.hops.compactMap { hop in
            guard let name = names[hop.task], isWanted(name) else { return nil }
            return (name, hop.from, hop.to, hop.class)
        }
    }
}
