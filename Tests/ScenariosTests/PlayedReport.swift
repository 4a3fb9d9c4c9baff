import Foundation
import InspectorTestKit
import TraceReport

@testable import Scenarios

/// What `--report json` says of a scenario that was played to its end, as a program that reads it would find it.
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

    /// Plays the scenario with its pauses left out.
    init(_ scenario: any Scenario, path: String? = nil, tasks: Int = 100) async throws {
        let played = try await Played(scenario, path: path, tasks: tasks)
        var text = ""
        TraceReport.Report(of: played.store, program: scenario.name).writeJSON(to: &text)
        report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
        names = Dictionary(uniqueKeysWithValues: report.tasks.map { ($0.id, $0.name) })
        output = played.output
    }

    /// Without those of an earlier recording, whose last jobs may come to their end in this one, or who were being made when this one began and
    /// have left their names and places in that one.
    var tasks: [Task] { report.tasks.filter { $0.created != nil && $0.site != nil } }
    var lost: Int { report.lost }

    /// Those that did not succeed, and what became of them.
    var failures: [String] {
        tasks.filter { $0.state != "succeeded" }.map { "\($0.name) \($0.state)" }
    }

    func tasks(_ name: String) -> [Task] {
        tasks.filter { $0.name == name }
    }

    /// `state`, or `state role`, of the tasks of that name, in the order in which they were made.
    subscript(_ name: String) -> [String] {
        tasks(name).map { task in task.role.map { "\(task.state) \($0)" } ?? task.state }
    }

    /// The names of what the tasks of that name continue, join or follow.
    func antecedents(of name: String) -> [String] {
        tasks(name).flatMap { $0.antecedents.compactMap { names[$0] } }
    }

    func executor(_ name: String) -> Executor? {
        report.executors.first { $0.name == name }
    }

    /// Each fault's path, by the tasks' names, and its verdict; sorted, because which of two comes first is nobody's promise.
    var faults: [String] {
        report.faults.map { fault in
            let path = fault.path.map { "\(names[$0.task] ?? "?") \($0.role ?? "not ended")" }
            return "\(path.joined(separator: ", ")): \(fault.verdict)"
        }.sorted()
    }

    /// The rules that found something.
    var rules: Set<String> { Set(report.warnings.map(\.rule)) }

    /// From where to where tasks of these names went through a queue.
    func hops(of isWanted: (String) -> Bool) -> [(name: String, from: String?, to: String, class: String)] {
        report.hops.compactMap { hop in
            guard let name = names[hop.task], isWanted(name) else { return nil }
            return (name, hop.from, hop.to, hop.class)
        }
    }
}
