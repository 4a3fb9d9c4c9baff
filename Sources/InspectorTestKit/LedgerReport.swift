import Foundation

/// The parts of `hopscope report --format json` that the comparison reads.
struct LedgerReport: Decodable {
    struct Task: Decodable {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let waits_for: Wait?
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let busy_ns: UInt64, queued_ns: UInt64?, started_ns: UInt64?, ended_ns: UInt64?
        let id, chain: UInt64
        let name, kind, state: String
        let antecedents: [UInt64]
        let executor, role, site: String?
        let open: Bool
        let error: Failure?
    }

    struct Wait: Decodable {
        let kind: String
        let task: UInt64?
        let position: Int?
    }

    struct Failure: Decodable {
        let type: String
    }

    struct Fault: Decodable {
        struct Step: Decodable {
            let task: UInt64
            let role, `where`: String?
        }

        let origin: UInt64
        let error: Failure
        let path: [Step]
        let verdict: String
    }

    struct Cancellation: Decodable {
        struct Asker: Decodable {
            let task: UInt64?
            let `where`: String?
        }

        struct Reached: Decodable, Equatable {
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let at_ns: UInt64, looked_ns: UInt64?
            let task: UInt64
        }

        let by: Asker
        let reached: [Reached]
    }

    struct Executor: Decodable {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let busy_ns: UInt64, longest_job_ns: UInt64?
        let name: String
        let jobs: UInt64
    }

    struct Warning: Decodable {
        let rule: String
    }

    struct Blocks: Decodable {
        struct Place: Decodable {
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let busy_ns: UInt64
            let `where`, executor: String?
            let count: Int
        }

        let count: Int
        let places: [Place]
    }

    let blocks: Blocks?
    let warnings: [Warning]
    // swift-format-ignore: AlwaysUseLowerCamelCase
    let duration_ns: UInt64
    let lost: Int
    let tasks: [Task]
    let faults: [Fault]
    let cancellations: [Cancellation]
    let executors: [Executor]
}

/// The parts of an event in `hopscope export --to jsonl` that the comparison reads.
struct LedgerEvent: Decodable {
    let event: String
    let task, antecedent, awaits: UInt64?
    let detail: String?

    /// By task, the tasks whose values it took.
    static func awaits(in events: Data) throws -> [UInt64: Set<UInt64>] {
        var awaits: [UInt64: Set<UInt64>] = [:]
        for line in events.split(separator: UInt8(ascii: "\n")) {
            let event = try JSONDecoder().decode(LedgerEvent.self, from: Data(line))
            let isAwaited = event.event == "antecedent" && event.detail == "awaited"
            guard let task = event.task, let other = isAwaited ? event.antecedent : event.awaits else { continue }
            awaits[task, default: []].insert(other)
        }
        return awaits
    }
}
