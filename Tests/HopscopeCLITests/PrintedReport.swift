import Foundation

/// The parts of `--report json` that the end-to-end tests read, with the JSON's own key names.
struct PrintedReport: Decodable {
    struct Task: Decodable {
        let id: Int
        let name: String
        let kind: String
        let state: String
        let antecedents: [Int]
        let executor: String?
        let queuedTime: Int?
        let startedTime: Int?
        let error: Failure?
        let role: String?

        enum CodingKeys: String, CodingKey {
            case id, name, kind, state, antecedents, executor, error, role
            case queuedTime = "queued_ns"
            case startedTime = "started_ns"
        }
    }

    struct Failure: Decodable {
        let type: String
        let message: String
    }

    struct Fault: Decodable {
        struct Step: Decodable {
            let task: Int
            /// Nil for a task that the end of the program kept from the error.
            let role: String?
        }

        let origin: Int
        let path: [Step]
        let verdict: String
    }

    struct Warning: Decodable {
        let rule: String
        let task: Int?
        let message: String
    }

    let format: Int
    let lost: Int
    let tasks: [Task]
    let faults: [Fault]
    let warnings: [Warning]

    init(of process: FinishedProcess) throws {
        self = try JSONDecoder().decode(PrintedReport.self, from: Data(process.output.utf8))
    }

    func tasks(named name: String) -> [Task] { tasks.filter { $0.name == name } }

    /// A fault's path as text: `saveRecord thrown`.
    func path(of fault: Fault) -> [String] {
        fault.path.map { step in
            "\(tasks.first { $0.id == step.task }?.name ?? "task \(step.task)") \(step.role ?? "open")"
        }
    }
}
