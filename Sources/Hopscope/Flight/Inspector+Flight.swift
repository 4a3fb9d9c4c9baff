import CTraceLanes
import Foundation
import TaskEvents
import TraceAnalysis
import TraceTransport

extension Inspector {
    /// Keeps the last seconds of the program's events in memory, and writes a recording when something happens, from now until
    /// ``FlightRecorder/stop()`` or the program's end.
    ///
    /// ```swift
    /// try Inspector.startFlightRecorder(slowChain: .seconds(2), query: "name:checkout state:faulted")
    /// ```
    ///
    /// A thread of its own follows the events; the program never waits for it. It keeps the last 131,072 events. A recording's name is
    /// `PROGRAM-PID-TIME-TRIGGER.hop`, and a mark in it states the cause. `HOPSCOPE=flight` in the environment of a program that imports
    /// this module begins a recorder with the defaults.
    ///
    /// - Parameters:
    ///   - last: the time before the trigger that a recording has.
    ///   - slowTask: a task that takes longer is a trigger, also before it ends.
    ///   - slowChain: a chain that takes longer is a trigger.
    ///   - rules: the rules of `hopscope check` whose findings are triggers.
    ///   - query: a task that matches is a trigger; the language is that of the inspector's filter.
    ///   - signal: a signal that is a trigger, such as `SIGUSR2`. It loses its default effect.
    ///   - mostPerHour: the most recordings in an hour. The same trigger writes at most once a minute.
    ///   - folder: where recordings are written; if nil, `HOPSCOPE_FLIGHT_DIR`, or else `hopscope` in `$XDG_STATE_HOME`, or else in
    ///     `~/.local/state`.
    /// - Throws: the reason why the program cannot record, or the rule or query that is not understood.
    @discardableResult
    public static func startFlightRecorder(
        last: Duration = .seconds(30), slowTask: Duration? = nil, slowChain: Duration? = nil,
        rules: [String] = FlightRecorder.defaultRules, query: String = "", signal: Int32? = nil, mostPerHour: Int = 12,
        folder: String? = nil
    ) throws(HopscopeError) -> FlightRecorder {
        var plan = FlightPlan()
        plan.last = nanoseconds(last)
        plan.slowTask = slowTask.map(nanoseconds)
        plan.slowChain = slowChain.map(nanoseconds)
        if let unknown = rules.first(where: { WarningRules.named($0) == nil }) {
            throw HopscopeError(.invalid, "There is no rule '\(unknown)' for a flight recorder.")
        }
        plan.rules = Set(rules)
        plan.query = try HopscopeError.wrap { try TaskQuery(query) }
        plan.mostPerHour = mostPerHour
        let bus = try HopscopeError.wrap { try ProcessTrace.shared.join() }
        do {
            let recorder = try FlightRecorder(bus, plan, into: folder, time: TimeSource(), tell: tellProblem, leave: { leave(bus) })
            bus.note(flightRecorder: true)
            if let signal { recorder.obey(signal) }
            return recorder
        } catch {
            ProcessTrace.shared.leave()
            throw HopscopeError(error)
        }
    }

    /// The earlier name of ``startFlightRecorder(last:slowTask:slowChain:rules:query:signal:mostPerHour:folder:)``.
    @available(*, deprecated, renamed: "startFlightRecorder(last:slowTask:slowChain:rules:query:signal:mostPerHour:folder:)")
    @discardableResult
    public static func flightRecorder(
        last: Duration = .seconds(30), slowTask: Duration? = nil, slowChain: Duration? = nil,
        rules: [String] = FlightRecorder.defaultRules, query: String = "", signal: Int32? = nil, mostPerHour: Int = 12,
        folder: String? = nil
    ) throws(HopscopeError) -> FlightRecorder {
        try startFlightRecorder(
            last: last, slowTask: slowTask, slowChain: slowChain, rules: rules, query: query, signal: signal, mostPerHour: mostPerHour,
            folder: folder)
    }

    /// Reports a recording that a trigger asked for and that could not be written; no caller waits for its result.
    private static func tellProblem(_ outcome: FlightOutcome) {
        guard case .failure(let error) = outcome.result else { return }
        FileHandle.standardError.write(Data("hopscope: \(outcome.causes[0].sentence) \(error)\n".utf8))
    }

    private static func leave(_ bus: EventBus) {
        bus.note(flightRecorder: false)
        ProcessTrace.shared.leave()
    }

    /// Negative durations count as 0, and longer ones than a week as a week.
    private static func nanoseconds(_ duration: Duration) -> UInt64 {
        let seconds = min(max(duration, .zero), .seconds(604_800)).components
        return UInt64(seconds.seconds) * 1_000_000_000 + UInt64(seconds.attoseconds / 1_000_000_000)
    }
}

/// Registers this module with the lanes while the program is loaded (`TRACE_REGISTRATION_PRIORITY`).
#if compiler(>=6.3)
    @used
    @section(".init_array.01000")
#else
    @_used
    @_section(".init_array.01000")
#endif
private let flightRegistration: @convention(c) () -> Void = registerFlight

private func registerFlight() {
    var part = trace_parts()
    part.flight_asked = flightWasAsked
    trace_register(&part)
}

/// Called once by the lanes when `HOPSCOPE=flight` has made this process publish, on the thread that emitted first, which must not wait.
private func flightWasAsked() {
    try? WorkerThread(name: "hopscope begin") {
        do {
            try Inspector.startFlightRecorder()
        } catch {
            FileHandle.standardError.write(Data("hopscope: \(error)\n".utf8))
        }
    }.detach()
}
