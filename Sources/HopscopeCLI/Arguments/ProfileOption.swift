import ArgumentParser
import Foundation

/// Whether the threads of a program are profiled, and how often.
struct ProfileOption: ParsableArguments {
    @Option(
        name: .customLong("profile"),
        help: ArgumentHelp(
            "Sample each thread's stack this often in a second of its processor time (99 without a number), and record when it had a processor.",
            valueName: "hz"))
    var frequency: UInt32?

    @Option(
        name: .customLong("profile-switches"),
        help: ArgumentHelp(
            """
            Stop recording when threads have a processor once they switch more often than this in a second, apart from bursts: each \
            recorded switch costs the program up to 6 microseconds. 0 never stops.
            """, valueName: "count"))
    var switches: UInt32 = ProfileRates.usualSwitches

    private static let frequencies: ClosedRange<UInt32> = 1...10_000
    /// The option without a number. The next word is no part of it.
    static let word = "--profile"

    func validate() throws {
        guard let frequency, !Self.frequencies.contains(frequency) else { return }
        throw ValidationError("'--profile=HZ' takes 1 to 10000 samples a second.")
    }

    /// Nil for no profile. `HOPSCOPE_PROFILE` sets the samples a second where the option is missing.
    var rates: ProfileRates? {
        if let frequency { return ProfileRates(hertz: frequency, switches: switches) }
        let asked = ProcessInfo.processInfo.environment["HOPSCOPE_PROFILE"].flatMap { UInt32($0) }
        return asked.flatMap { Self.frequencies.contains($0) ? ProfileRates(hertz: $0, switches: switches) : nil }
    }
}

/// How often the threads of a program are profiled.
struct ProfileRates {
    /// Samples a second of processor time, if the user gives no number. It is no divisor of a round number, so that it does not run in step
    /// with a program's timers.
    static let usualHertz: UInt32 = 99
    /// A profiled switch takes 1.7 to 6 microseconds more, so that all take at most 1 %.
    static let usualSwitches: UInt32 = 1_000

    var hertz = usualHertz
    /// More switches in a second of the clock, or of the program's own time if that is longer, end their records, after bursts of three
    /// times as many. 0 for no limit.
    var switches = usualSwitches
}
