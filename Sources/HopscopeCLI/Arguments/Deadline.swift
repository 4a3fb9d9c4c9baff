import ArgumentParser
import TraceAnalysis

/// The time that a program may run: `--timeout 60s`.
struct Deadline: ExpressibleByArgument {
    let nanoseconds: UInt64
    /// The duration in words, such as `1 m 00 s`.
    let text: String

    init?(argument: String) {
        // A number without a unit counts seconds.
        let text = argument.allSatisfy(\.isNumber) ? "\(argument)s" : argument
        guard let nanoseconds = DurationText.nanoseconds(text), nanoseconds > 0 else { return nil }
        (self.nanoseconds, self.text) = (nanoseconds, DurationText.text(nanoseconds, isASCII: true))
    }
}
