import TaskEvents
import TraceAnalysis
import TraceStore
import TraceTestKit

extension FaultPath {
    /// `1 thrown, 2 forwarded<1, 3 recovered<2: recovered`
    var text: String {
        let steps = steps.map { step in
            let from = step.from == .none ? "" : "<\(step.from.rawValue)"
            return "\(step.task.rawValue) \(step.role?.name ?? "-")\(from)"
        }
        return "\(steps.joined(separator: ", ")): \(verdict.name)"
    }
}

extension TraceBuilder {
    /// The faults' paths, one on a line.
    var faults: [String] {
        let store = store()
        return FaultAnalysis(store).faults().map(\.text)
    }

    /// The tasks' own roles, by id.
    var roles: [String] {
        let store = store()
        let analysis = FaultAnalysis(store, readers: ErrorReaders(store))
        return store.rows.map { analysis.role(of: store[$0])?.name ?? "-" }
    }

    /// A root task that has failed.
    mutating func failed(_ type: String = "Boom", kind: TaskKind = .root) -> TaskID {
        let task = create(kind, "origin")
        advance(nanoseconds: 1)
        fault(task, type: type)
        return task
    }

    /// A continuation that has been skipped.
    mutating func skipped(_ antecedent: TaskID) -> TaskID {
        let task = continuation("skipped", of: antecedent)
        advance(nanoseconds: 1)
        skip(task)
        return task
    }

    /// A continuation whose body runs inline and first reads the errors of `read`.
    mutating func running(_ antecedent: TaskID, reading read: TaskID...) -> TaskID {
        let task = continuation("body", of: antecedent)
        begin(task, reading: read)
        return task
    }

    /// A root whose body runs inline and first reads the errors of `read`.
    mutating func runningRoot(reading read: TaskID...) -> TaskID {
        let task = root("body")
        begin(task, reading: read)
        return task
    }

    private mutating func begin(_ task: TaskID, reading read: [TaskID]) {
        advance(nanoseconds: 1)
        start(task, .inline)
        for other in read { readError(of: other, by: task) }
        advance(nanoseconds: 1)
    }
}
