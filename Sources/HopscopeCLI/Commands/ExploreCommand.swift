import ArgumentParser
import CExploreRecord
import Foundation
import TaskEvents
import TraceAnalysis
import TraceReport

/// The result of the search in one process.
struct Explored {
    var result: ExploreResult
    /// The settings of the order that failed.
    let settings: OrderSettings
    var launch: ProcessLaunch?
}

/// `hopscope explore`: runs a program in many orders of its tasks, and tells one in which it fails.
struct ExploreCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Runs a program in many orders of its tasks, and finds one in which it fails.",
        usage: """
            hopscope explore [--orders <n>] [--time <time>] [--policy <policy>] [--seed <n>] [--fail-on <rule> ...] [--replay <file>] \
            [--record <file>] [--] <program> [<arguments> ...]
            """,
        discussion: """
            One task, block or thread runs at a time, in an order that the seed determines. A failure is an exit status other than 0, a \
            crash, a deadlock, or what the rules of '--fail-on' find. A failing order is replayed, made short, and saved. The exit status is 0 if no order failed, 1 if one \
            did, the program's own if it fails first come, first served, and 69 if the program cannot be explored.

            On a terminal, the search shows its progress, Ctrl-C ends it, and the inspector shows the failing order: the tape of its \
            choices, and with 'o' another order beside it. '--format text' only prints the result.
            """)

    @Option(help: "The most orders to try.") var orders = 1000
    @Option(help: ArgumentHelp("The longest time to try orders for, such as 5m (default: 60s).", valueName: "time")) var time: Deadline?
    @Option(help: "How orders are chosen: pct, random or fifo.") var policy = OrderPolicy.pct
    @Option(help: "For pct: the number of ordered steps that a failure may need.") var depth: UInt32 = 3
    @Option(help: "The number that determines the first order.") var seed: UInt64 = 1
    @Option(help: ArgumentHelp("How early a timer may fire, as if other work took longer.", valueName: "time")) var early = "20ms"
    @Flag(name: .customLong("real-time"), help: "Let time be real, as servers need; timers then do not fire early.") var isRealTime = false
    @Option(
        name: .customLong("fail-on"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "Rules whose findings are failures too, or 'all' that measure no time; each order that ends well is then recorded.",
            valueName: "rule"))
    var failOn: [String] = []
    @Option(help: ArgumentHelp("Replay a saved order instead.", valueName: "file")) var replay: String?
    @Option(help: ArgumentHelp("A file to record the failing order into.", valueName: "file")) var record: String?
    @Option(help: "text, json or junit; text without a terminal.") var format: ExploreResult.Format?
    @Option(name: .shortAndLong, help: ArgumentHelp("A file to write to, instead of standard output.", valueName: "file"))
    var output: String?
    @OptionGroup var named: ProgramArgument

    func validate() throws {
        try named.checkName()
        guard orders > 0 else { throw ValidationError("--orders \(orders) tries none; 1 is first come, first served.") }
        guard (1...UInt32(EXPLORE_DEPTH)).contains(depth) else { throw ValidationError("--depth \(depth) is not from 1 to 16.") }
        _ = try TimeOption.nanoseconds(early, of: "--early")
        _ = try failing()
    }

    /// The rules whose findings are failures. `all` leaves out those that measure a time, since an order takes longer than the program.
    private func failing() throws -> FailOn {
        do {
            let asked = try FailOn(failOn.flatMap { $0.split(separator: ",").map(String.init) }, known: WarningRules.all.map(\.id))
            guard asked == .all else { return asked }
            return .rules(Set(WarningRules.all.filter { $0.threshold?.unit != .nanoseconds }.map(\.id)))
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// Whether a terminal shows the progress and the order that is found.
    var isInteractive: Bool {
        format == nil && output == nil && [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].allSatisfy { isatty($0) == 1 }
    }

    private var isSwift: Bool { URL(fileURLWithPath: named.command[0]).lastPathComponent == "swift" }

    /// A recorder of the orders of the process that comes after that many others.
    func recorder(like launch: ProcessLaunch?) throws(UserError) -> OrderRecording {
        guard let launch else {
            throw UserError("The system does not tell how the explored process was started, so no order can be recorded.", .cannotStart)
        }
        return OrderRecording(launch: launch, hasOwnGroup: isInteractive, time: clock)
    }

    func perform() throws {
        if let record { try RegionRecording.check(record) }
        var settings = OrderSettings(policy: policy, depth: depth, isRealTime: isRealTime)
        settings.earlyLimit = Int64(try TimeOption.nanoseconds(early, of: "--early"))
        let saved = try replay.map { path throws(UserError) in try OrderFile(path: path) }
        if let saved { (settings.earlyLimit, settings.isRealTime, settings.isFine) = (saved.earlyLimit, saved.isRealTime, saved.isFine) }
        var output = try ResultOutput(output)
        let limit = min(time?.nanoseconds ?? 60_000_000_000, 86_400_000_000_000)
        let progress = SearchProgress(isShown: isInteractive, settings, most: (orders, limit / 1_000_000_000), clock)
        defer { progress.end() }
        var shown: [Explored] = []
        func write(_ explored: Explored) throws {
            var explored = explored
            if let failed = explored.result.failed { try record(failed, &explored) }
            explored.result.write(format ?? .text, to: &output)
            if let refusal = explored.result.search.refusal { StandardError.say(refusal.sentence) }
        }
        let status = try explore(settings, saved, progress, limit) { explored in
            if isInteractive { shown.append(explored) } else { try write(explored) }
        }
        progress.end()
        for explored in shown { try write(explored) }
        try output.finish()
        if let signal = progress.signal { die(by: signal) }
        if status != 0 { throw ExitCode(status) }
    }

    /// Starts the program, and searches in each of its processes that stops in front of `main`. Returns the exit status.
    private func explore(
        _ settings: OrderSettings, _ saved: OrderFile?, _ progress: SearchProgress, _ limit: UInt64, _ take: (Explored) throws -> Void
    ) throws -> Int32 {
        try refuseStaticProgram()
        let meeting = try ExploreMeeting()
        var none = sigset_t()
        sigemptyset(&none)
        let child = try ChildProcess(
            named.command, environment: environment().merging([EXPLORE_FOLDER: meeting.folder]) { _, new in new }, mask: none,
            hasOwnGroup: isInteractive)
        let end = clock.now + limit
        var (status, explored, ending): (Int32, Int, ChildProcess.Ending?) = (0, 0, nil)
        var (hasResult, isUnknown) = (false, false)
        while true {
            if let process = meeting.next(milliseconds: 20) {
                explored += 1
                var found: Int32 = 0
                do {
                    if status == 0, !progress.isStopped {
                        var result: Explored?
                        (found, result) = try explore(process, settings, saved, progress, until: end)
                        if var result {
                            hasResult = true
                            isUnknown = isUnknown || result.result.isUnknown
                            result.launch = process.launch
                            try take(result)
                        }
                    }
                } catch {
                    process.end(ExitStatus.cannotStart.rawValue)
                    throw error
                }
                if status == 0 { status = found }
                process.end(found)
            } else if let ending {
                guard !hasResult, status == 0, !progress.isStopped else {
                    return status == 0 && isUnknown ? ExitStatus.cannotStart.rawValue : status
                }
                throw nothingExplored(ending, explored)
            } else {
                if progress.isStopped, explored == 0 { kill(-child.pid, SIGINT) }
                ending = child.ending()
            }
        }
    }

    private func explore(
        _ process: ExploredProcess, _ settings: OrderSettings, _ saved: OrderFile?, _ progress: SearchProgress,
        until end: UInt64
    ) throws -> (status: Int32, result: Explored?) {
        let program = process.name
        if let saved {
            guard let ending = OrderEnding(word: saved.ending) else {
                throw UserError("The order names no failure that Hopscope knows: '\(saved.ending)'.", .unreadable)
            }
            let rule: String? = if case .finding(let rule) = ending { rule } else { nil }
            let rules = try rule.map { OrderRules(recording: try recorder(like: process.launch), failOn: .rules([$0])) }
            var search = OrderSearch(process, settings, rules: rules, isOfTests: isSwift, progress: progress, time: clock)
            let failed = try search.replay(saved.plan, ending, seed: saved.seed)
            let result = ExploreResult(program: program, search: search, failed: failed, file: replay, isReplay: true)
            return (failed == nil ? 0 : 1, Explored(result: result, settings: search.settings))
        }
        let rules = try failOn.isEmpty ? nil : OrderRules(recording: recorder(like: process.launch), failOn: failing())
        var search = OrderSearch(process, settings, rules: rules, isOfTests: isSwift, progress: progress, time: clock)
        switch try search.search(seed: seed, orders: orders, until: end) {
        case .noTest: return (0, nil)
        case .usualFails(let ending, let printed, let isCertain):
            progress.end()
            StandardError.write(printed.isEmpty ? "" : "\(printed)\n")
            let reason = "In real time it does not end within an order's limit, so virtual time may be the cause: try '--real-time'."
            let doubt = isCertain ? "" : " \(reason)"
            StandardError.say("'\(program)' fails first come, first served: \(ending.sentence).\(doubt)")
            guard case .exited(let status) = ending else { return (1, nil) }
            return (status, nil)
        case .none:
            let result = ExploreResult(program: program, search: search, failed: nil, file: nil, isStopped: progress.isStopped)
            let status = search.refusal?.status.rawValue ?? 0
            return (status, Explored(result: result, settings: search.settings))
        case .found(let failed):
            let path = try OrderFile(failed, search.settings).save(for: program, failed.steps)
            let result = ExploreResult(program: program, search: search, failed: failed, file: path, isStopped: progress.isStopped)
            return (1, Explored(result: result, settings: search.settings))
        }
    }

    /// Records the failing order, if a recording is asked for or a terminal shows it.
    private func record(_ failed: FailingOrder, _ found: inout Explored) throws {
        if isInteractive {
            try show(failed, &found)
        } else if let record {
            try recorder(like: found.launch).write(failed.plan, found.settings, to: record)
            found.result.recording = record
        }
    }

    /// The environment of explored processes, but for the meeting.
    private func environment() throws(UserError) -> [String: String] {
        var environment = try PreloadedLibrary.explore.environment()
        // Without these, hashes differ from run to run, and a crash takes long.
        environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
        environment["SWIFT_BACKTRACE"] = "enable=no"
        if isSwift { environment[EXPLORE_ONLY] = ".xctest" }
        return environment
    }

    /// Throws for a program into which nothing can be preloaded. It would run as usual, perhaps for ever, and no process would connect.
    private func refuseStaticProgram() throws(UserError) {
        switch ProgramFile(named.command[0])?.sort {
        case .swiftWithRuntime, .swiftWithEverything:
            throw UserError(
                "'\(named.command[0])' cannot be explored: it has the Swift runtime in itself. Build it without a static runtime.",
                .cannotStart)
        case .swift, .statical, .other, .script, nil: break
        }
    }

    private func nothingExplored(_ ending: ChildProcess.Ending, _ explored: Int) -> UserError {
        ending.say(of: named.command[0])
        guard explored == 0 else { return UserError("'\(named.command[0])' has run no test, so nothing was explored.", .cannotStart) }
        return UserError(
            "'\(named.command[0])' cannot be explored: no process of it loads the Swift runtime as a library.", .cannotStart)
    }
}
