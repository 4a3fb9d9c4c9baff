import RemoteTasks
import TaskEvents
import TextOutput
import TraceAnalysis
import TraceReport

/// A task's row of a report as an answer has it.
enum TaskFacts {
    /// The facts by which an agent picks a task from a list. Times are left to the task's own answer.
    private static let brief: Set = ["id", "name", "state", "kind", "executor", "error", "role", "waits_for", "where", "open"]
    /// Facts that stand elsewhere in the row, or follow from others.
    private static let repeated: Set = ["site", "chain", "adopted", "antecedents"]

    static func brief(_ row: ReportedTask) -> JSONValue {
        kept(row) { brief.contains($0.key) }
    }

    /// All facts, and of the stack the calls that have a place in the source: an answer has no room for the library's.
    static func whole(_ row: ReportedTask) -> JSONValue {
        guard case .object(let fields) = kept(row, { !repeated.contains($0.key) }) else { return .null }
        return .object(
            fields.map { field in
                guard field.key == "stack", case .array(let calls) = field.value else { return field }
                let placed = calls.filter { ($0["where"] ?? .null) != .null }
                return JSONValue.Field(key: field.key, value: .array(placed.isEmpty ? calls : placed))
            })
    }

    private static func kept(_ row: ReportedTask, _ isKept: (JSONValue.Field) -> Bool) -> JSONValue {
        guard case .object(let fields) = JSONValue(row: row.write) else { return .null }
        // A flag that is not set says nothing new.
        return .object(fields.filter { isKept($0) && $0.value != .bool(false) && $0.value != .array([]) && $0.value != .object([]) })
    }
}
