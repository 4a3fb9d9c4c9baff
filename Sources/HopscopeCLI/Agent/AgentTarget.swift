import Foundation
import RemoteTasks
import TaskEvents
import TraceAnalysis
import TraceReport
import TraceStore
import TraceTransport

/// The thing that a tool examines: a trace, or the memory of a process or of a core file.
enum AgentTarget {
    case trace(ObservedTrace)
    case snapshot(HangReport)

    /// How much a tool looks at a process.
    enum Look {
        /// Once; of a process that publishes, only at its trace.
        case brief
        /// Also at the memory of a process that publishes, for holders of continuations and sockets.
        case outside
        /// The same, and several times at a process without the probe, to tell the tasks that go on.
        case repeated
    }

    /// The facts with which an answer about it begins.
    var facts: [JSONValue.Field] {
        switch self {
        case .trace(let trace): trace.facts
        case .snapshot(let hang):
            [
                .init(key: "program", value: .string(hang.report.program)),
                .init(key: "pid", value: .integer(Int(hang.report.snapshot.pid))),
                .init(key: "how", value: .string(hang.report.route.rawValue)),
                .init(key: "tasks_in_all", value: .integer(hang.taskCount)),
            ]
        }
    }

    /// The trace. Throws for a look from outside, which has no events.
    func trace(for what: String) throws(UserError) -> ObservedTrace {
        switch self {
        case .trace(let trace): return trace
        case .snapshot(let hang):
            let way =
                hang.report.snapshot.isCore
                ? "A core file has none." : "Start the program by 'hopscope run' or 'hopscope record', or ask its user for a recording."
            throw UserError("A look from outside shows tasks and waits, and no \(what). \(way)", .cannotStart)
        }
    }
}

/// A trace that was read, with what a look at its process adds.
struct ObservedTrace {
    let reading: TraceReading
    let program: String
    /// The process that publishes the trace. Nil for a recording, and for an ended process.
    let pid: Int32?
    /// The look from outside, if the process runs and a tool asked for it.
    let outside: SnapshotReport?
    /// The reason why there is no look although a tool asked for one.
    let obstacle: String?

    var store: TraceStore { reading.store }

    fileprivate var facts: [JSONValue.Field] {
        [
            .init(key: "program", value: .string(program)), .init(key: "pid", value: JSONValue(pid.map { UInt64($0) })),
            .init(key: "how", value: .string(pid == nil ? "recording" : "publishes")),
            .init(key: "tasks_in_all", value: .integer(store.taskCount)), .init(key: "until_ns", value: JSONValue(store.now)),
            .init(key: "ended", value: .bool(store.isOver)),
            .init(key: "lost_records", value: store.lostCount == 0 ? .null : JSONValue(UInt64(store.lostCount))),
        ]
    }

    /// The reason why an answer about waits has no holders and sockets. Empty if it has them.
    var remarks: [JSONValue.Field] {
        guard outside == nil else { return [] }
        let reason = obstacle ?? "only a look at the memory of a process shows them."
        return [.init(key: "not_checked", value: .string("The holders of continuations, and sockets: \(reason)"))]
    }

    /// The waits of which a look knows more than a trace: the holder, or the socket.
    private static let seenOutside: Set<WaitsFor.Kind> = [.continuation, .thread]

    /// These waits as the look found them, by the trace's numbers of the tasks. Only those of tasks that wait for the same in the trace.
    var outsideWaits: [TaskID: ReportedWait] {
        guard let outside else { return [:] }
        var waits: [TaskID: ReportedWait] = [:]
        for task in outside.snapshot.tasks {
            let id = TaskID(rawValue: task.tracedNumber)
            guard let wait = SnapshotWait(of: task, in: outside.snapshot, outside.symbols), Self.seenOutside.contains(wait.kind),
                let view = store.task(id), WaitsFor(view, in: store)?.kind == wait.kind
            else { continue }
            waits[id] = outside.row(of: task).wait
        }
        return waits
    }
}

/// Finds and reads what the tools look at. It keeps the last recording that it has read, because an agent asks several questions about one.
/// One thread uses it.
final class AgentTargets {
    private let settings: WarningSettings
    let time: TimeSource
    private var kept: (version: FileVersion, trace: ObservedTrace)?

    /// The nanoseconds that a look may take: an agent waits a minute for an answer.
    static let lookLimit: UInt64 = 10_000_000_000

    private struct FileVersion: Equatable {
        let path: String
        let size: Int
        let seconds: Int
        let nanoseconds: Int
        let number: UInt64

        /// Nil for something else than a file.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (self.path, size, number) = (path, Int(status.st_size), UInt64(status.st_ino))
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    init(_ settings: WarningSettings, time: TimeSource) {
        (self.settings, self.time) = (settings, time)
    }

    static let parameters = [
        ToolParameter(
            name: "target", kind: .text,
            meaning: "A process's number or program name, or the path of a recording (.hop), of lanes, or of a core file.", isRequired: true
        ),
        ToolParameter(name: "exe", kind: .text, meaning: "Only for a core file: the path of the executable that left it."),
    ]

    func target(of arguments: ToolArguments, _ look: AgentTarget.Look = .brief) throws -> AgentTarget {
        guard let name = arguments.text("target") else { throw UserError("The argument 'target' is empty.", .wrongUsage) }
        if let exe = arguments.text("exe") { return .snapshot(try core(name, exe)) }
        let isNumber = Int32(name).map { $0 > 0 } ?? false
        let pid = try isNumber ? Int32(name) : access(name, F_OK) == 0 ? nil : ProcessName.pid(of: name)
        guard let pid else { return .trace(try recording(name)) }
        var trace = TraceArgument()
        trace.trace = String(pid)
        if trace.unpublishedProcess != nil { return .snapshot(try unprepared(pid, look)) }
        return .trace(try published(trace, pid, look))
    }

    private func unprepared(_ pid: Int32, _ look: AgentTarget.Look) throws(SnapshotProblem) -> HangReport {
        if look == .repeated, let process = SwiftProcess(pid: pid) {
            return try StuckLook(process: process, deadline: nil, time: time, limit: Self.lookLimit).report()
        }
        return HangReport(try self.look(at: pid), deadline: nil)
    }

    private func look(at pid: Int32) throws(SnapshotProblem) -> SnapshotReport {
        let snapshot = try SnapshotLook(ofProcess: pid).snapshot(within: Self.lookLimit, findsHolders: true)
        return SnapshotReport(snapshot, program: SwiftProcess.program(of: pid), route: .snapshot)
    }

    private func core(_ path: String, _ exe: String) throws -> HangReport {
        for file in [path, exe] where access(file, R_OK) != 0 {
            throw UserError("There is no file '\(file)' that you may read.", .noSuchFile)
        }
        let process = try RemoteProcess(core: path, program: exe)
        let program = URL(fileURLWithPath: exe).lastPathComponent
        let snapshot = try Snapshot(of: process, findsHolders: true)
        return HangReport(SnapshotReport(snapshot, program: program, route: .core), deadline: nil)
    }

    private func published(_ trace: TraceArgument, _ pid: Int32, _ look: AgentTarget.Look) throws -> ObservedTrace {
        let opened = try trace.open()
        guard case .lanes(let region) = opened, look != .brief, region.writer == .recording else {
            return observed(opened, pid: opened.isOver ? nil : pid)
        }
        let began = region.now
        do throws(SnapshotProblem) {
            let outside = try self.look(at: pid)
            let observed = observed(opened, pid: pid, outside: outside)
            observed.store.outside = OutsideView(of: outside.snapshot, outside.symbols, began: began)
            return observed
        } catch {
            return observed(opened, pid: pid, obstacle: error.description)
        }
    }

    private func recording(_ path: String) throws -> ObservedTrace {
        let version = FileVersion(path)
        if let kept, kept.version == version { return kept.trace }
        kept = nil
        var argument = TraceArgument()
        argument.trace = path
        let opened = try argument.open()
        let trace = observed(opened, pid: nil)
        if opened.isOver, let version { kept = (version, trace) }
        return trace
    }

    private func observed(
        _ trace: OpenedTrace, pid: Int32?, outside: SnapshotReport? = nil, obstacle: String? = nil
    ) -> ObservedTrace {
        ObservedTrace(reading: trace.read(settings, time: time), program: trace.program, pid: pid, outside: outside, obstacle: obstacle)
    }
}
