import CExploreRecord
import Foundation
import TaskEvents
import TraceReport
import TraceTransport

/// An order that has been run under the probe.
struct RecordedOrder {
    let ending: OrderEnding
    let choices: [explore_choice]
}

/// Runs an order once more, in a process of its own under the probe, and records it. The processes of a search cannot be recorded,
/// because they are forked.
struct OrderRecording {
    /// The process whose orders are explored.
    let launch: ProcessLaunch
    /// Whether Ctrl-C is for the search alone, which then still tells its result.
    let hasOwnGroup: Bool
    let time: TimeSource

    /// Writes the recording of an order to `path`. Throws if the process records nothing.
    @discardableResult
    func write(_ plan: [OrderDeviation], _ settings: OrderSettings, to path: String) throws -> RecordedOrder {
        try record(plan, settings) { try RegionRecording(of: $0, to: path).stop() }
    }

    /// The findings in an order's trace, of the rules in `failOn` only.
    func findings(_ plan: [OrderDeviation], _ settings: OrderSettings, _ failOn: FailOn) throws -> [ReportedFinding] {
        var findings: [ReportedFinding] = []
        try record(plan, settings) { region in
            let reading = OpenedTrace.lanes(region).read(time: time)
            findings = ReportedFinding.all(of: reading.warnings, in: reading.store).filter { failOn.includes($0.rule) }
        }
        return findings
    }

    /// Runs an order and passes its trace to `use`.
    @discardableResult
    func record(_ plan: [OrderDeviation], _ settings: OrderSettings, _ use: (RegionFile) throws -> Void) throws -> RecordedOrder {
        let meeting = try ExploreMeeting()
        var variables = launch.environment
        variables[EXPLORE_FOLDER] = meeting.folder
        variables["HOPSCOPE"] = meeting.folder
        var none = sigset_t()
        sigemptyset(&none)
        let child = try ChildProcess(launch.command, environment: variables, mask: none, hasOwnGroup: hasOwnGroup, folder: launch.folder)
        var (explored, ending): (ExploredProcess?, ChildProcess.Ending?)
        var isLate = false
        let end = time.now + 2_000_000 * UInt64(OrderSettings.limit)
        while ending == nil {
            if let process = meeting.next(milliseconds: 10) {
                if explored == nil {
                    process.runHere(settings, plan: plan)
                    explored = process
                } else {
                    process.end(0)
                }
            }
            ending = child.ending()
            if ending == nil, time.now > end {
                isLate = true
                kill(child.pid, SIGKILL)
            }
        }
        if let refusal = explored?.refusal { throw refusal }
        guard let process = explored?.pid, let trace = try TraceDirectory(path: meeting.folder).traces().first(where: { $0.pid == process })
        else {
            throw UserError("The order published nothing under the probe, so nothing was recorded.", .cannotStart)
        }
        try use(RegionFile(path: trace.path))
        let choices = explored.map { Array($0.choices()) } ?? []
        return RecordedOrder(ending: isLate ? .hang : self.ending(of: ending, explored), choices: choices)
    }

    private func ending(of program: ChildProcess.Ending?, _ process: ExploredProcess?) -> OrderEnding {
        switch (process.map { OrderEnding($0.header) }, program) {
        case (.deadlock?, _): .deadlock
        case (.cutShort?, _): .cutShort
        case (_, .killed(let signal)?): .killed(signal)
        case (_, .exited(let status)?): .exited(status)
        case (_, nil): .hang
        }
    }
}
