import TaskEvents
import TraceAnalysis
import TraceStore
import TraceTestKit

@testable import Scenarios

/// A scenario that was played to its end without pauses, and its trace.
struct Played {
    let history: TraceHistory
    let output: [String]

    init(_ scenario: any Scenario, path: String? = nil, tasks: Int = 1000) async throws {
        (history, output) = try await EventRecording.alone {
            let bus = try EventBus()
            let lines = Lines()
            let scratch = ScratchSpace()
            defer { scratch.remove() }
            bus.start()
            await withCheckedContinuation { done in
                let stage = Stage(speed: 1e6, path: path, tasks: tasks, scratch: scratch, time: TimeSource()) { lines.add($0) }
                scenario.play(on: stage) { done.resume() }
            }
            bus.stop()
            let collector = TraceCollector(source: bus)
            try collector.start()
            collector.finish()
            let history = TraceHistory()
            for batch in collector.take() { history.apply(batch) }
            return (history, lines.all)
        }
    }

    var store: TraceStore { history.latest }

    /// The scenario's tasks in creation order, without tasks of an earlier recording whose last jobs may end in this one.
    var views: [TaskView] {
        store.rows.map { store[$0] }.filter { !$0.isSynthesised }
    }

    /// Name, state and role of every task.
    var tasks: [String] {
        let faults = FaultAnalysis(store)
        return views.map { task in
            let role = faults.role(of: task).map { " \($0)" } ?? ""
            return "\(task.label.name) \(task.isSkipped ? "skipped, " : "")\(task.state.name)\(role)"
        }
    }

    /// Each fault's path by task names, and its verdict.
    var faults: [String] {
        FaultAnalysis(store).faults().map { fault in
            let path = fault.steps.map { "\(store.task($0.task)?.label.name ?? "?") \($0.role?.name ?? "not ended")" }
            return "\(path.joined(separator: ", ")): \(fault.verdict)"
        }
    }
}

private final class Lines: Sendable {
    private let lines = Guarded<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}
