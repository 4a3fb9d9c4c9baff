import Glibc
import Hopscope
import ProbeInjection
import RemoteTasks
import TraceAnalysis

/// `hopscope attach PID --inject`: loads the probe into a process that was started without it, and shows the inspector on it.
extension AttachCommand {
    func attachByInjection(_ named: TraceArgument, _ settings: WarningSettings) throws {
        let pid = try Self.process(of: named)
        guard let library = PreloadedLibrary.probe.path else { throw PreloadedLibrary.probe.missing }
        guard yes || PickerCommand.hasTerminal else {
            throw UserError(
                "'hopscope attach --inject' asks before it loads the probe, and has no terminal to ask on. --yes answers the question.",
                .wrongUsage)
        }
        guard try yes || Self.isAllowed(pid) else { return }
        let signals = PickerCommand.hasTerminal ? nil : SignalWait(SignalWait.ending)
        let injection: Injection
        do throws(InjectionProblem) {
            injection = try Injection(into: pid, library: library, time: clock)
        } catch {
            throw UserError(error.description, .cannotStart)
        }
        let adopted = injection.adopt(clock)
        let trace = try OpenedTrace(path: injection.region)
        injection.serve()
        if let signals {
            record(pid, injection, adopted, trace, signals)
        } else {
            let without = "'hopscope ps \(pid)' prints what there is"
            let inspector = try TerminalNeed(command: "attach", without: without, time: clock).open(settings)
            try trace.show(on: inspector)
        }
    }

    /// The process that the argument names. Throws if it records already.
    private static func process(of named: TraceArgument) throws -> Int32 {
        guard let name = named.trace else {
            throw UserError("'hopscope attach --inject' needs a process: name one by its number. 'hopscope ps' lists them.", .wrongUsage)
        }
        guard let pid = Int32(name), pid > 0 else {
            throw UserError("'\(name)' is no process, so nothing can be loaded into it. 'hopscope ps' lists the processes.", .wrongUsage)
        }
        guard kill(pid, 0) == 0 || errno == EPERM else {
            throw UserError("There is no process \(pid). 'hopscope ps' lists the Swift processes that run.", .cannotStart)
        }
        guard named.unpublishedProcess != nil else {
            throw UserError(
                "Process \(pid) records already, so it needs no probe: 'hopscope attach \(pid)' shows it.", .cannotStart)
        }
        return pid
    }

    private static func isAllowed(_ pid: Int32) throws -> Bool {
        StandardError.write(
            """
            Load Hopscope's probe into \(pid) (\(SwiftProcess.program(of: pid)))?
            One of its threads, which sleeps, is stopped for less than a millisecond and makes a thread that loads
            the library. The process then records its tasks until you leave the inspector. The library stays in its
            memory and does nothing more.
            Load it? [y/N]\u{20}
            """)
        let answer = readLine()?.lowercased() ?? ""
        guard answer == "y" || answer == "yes" else {
            StandardError.write("Nothing was loaded.\n")
            return false
        }
        return true
    }

    /// Lets the process record until a signal comes or the process ends.
    private func record(_ pid: Int32, _ injection: Injection, _ adopted: String, _ trace: OpenedTrace, _ signals: SignalWait) {
        StandardError.say(
            "Process \(pid) records into \(injection.region); a thread of it was stopped for \(injection.stop / 1000) µs. "
                + adopted + " "
                + "The recording ends with this command.")
        while !trace.isOver {
            if let arrival = signals.next(milliseconds: 200) { die(by: arrival.number) }
        }
    }
}
