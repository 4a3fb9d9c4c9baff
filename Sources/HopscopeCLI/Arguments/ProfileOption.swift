import ArgumentParser
import Foundation

/// Whether the threads of a program are profiled, and how often.
struct ProfileOption: ParsableArguments {
    @Option(
        name: .customLong("profile"),
        help: ArgumentHelp(
            "Sample the threads' stacks so many times a second of processor time, 99 without a number, and record when each had a processor.",
            valueName: "hz"))
    var frequency: UInt32?

    private static let frequencies: ClosedRange<UInt32> = 1...10_000
    /// The option without a number. The next word is no part of it.
    static let word = "--profile"

    func validate() throws {
        guard let frequency, !Self.frequencies.contains(frequency) else { return }
        throw ValidationError("'--profile=HZ' takes 1 to 10000 samples a second.")
    }

    /// Samples a second; nil for no profile. `HOPSCOPE_PROFILE` sets them where the option is missing.
    var hertz: UInt32? {
        if let frequency { return frequency }
        let asked = ProcessInfo.processInfo.environment["HOPSCOPE_PROFILE"].flatMap { UInt32($0) }
        return asked.flatMap { Self.frequencies.contains($0) ? $0 : nil }
    }
}
