import RemoteTasks
import TraceTransport

/// A Swift process as lists show it: its number of tasks, and the best way to see them.
struct ListedProcess {
    let process: SwiftProcess
    /// Nil if the tasks were not counted.
    private(set) var taskCount: Int?
    /// The way to see the tasks. Nil if there is none.
    private(set) var route: SnapshotReport.Route? = .snapshot
    /// The reason why the tasks cannot be seen from outside.
    private(set) var problem: SnapshotProblem?

    /// A process whose tasks are not counted: compilers can take long to read.
    init(uncounted process: SwiftProcess, isPublishing: Bool) {
        self.process = process
        if isPublishing { route = process.hasProbe ? .probe : .publishes }
    }

    /// Counts the tasks. Nil if the process has just ended.
    init?(_ process: SwiftProcess, isPublishing: Bool) {
        self.init(uncounted: process, isPublishing: isPublishing)
        do throws(SnapshotProblem) {
            taskCount = try SnapshotLook(ofProcess: process.pid).snapshot(within: SnapshotLook.Limit.listed).tasks.count
        } catch {
            if error.kind == .ended { return nil }
            problem = error
            if !isPublishing { route = nil }
        }
    }

    /// The way in words.
    var way: String {
        if process.isTool, taskCount == nil, problem == nil {
            return "\(SnapshotReport.Route.snapshot.rawValue); a tool, 'hopscope ps \(process.pid)' reads it"
        }
        if let route { return route.rawValue }
        let late = problem?.kind == .tookTooLong ? " 'hopscope ps \(process.pid)' tries for a minute." : ""
        return "nothing: \(problem?.description ?? "")\(late)"
    }

    /// The processes that publish now.
    static var publishers: Set<Int32> {
        Set(TraceArgument.published().filter { $0.writer == .recording }.map(\.pid))
    }
}
