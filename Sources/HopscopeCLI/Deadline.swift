import ArgumentParser
import TraceAnalysis

/// How long a program may run: `--timeout 60s`.
struct Deadline: ExpressibleByArgument {
    let nanoseconds: UInt64
    /// As it was given.
    let text: String

    init?(argument: String) {
        // A number alone is of seconds.
        let text = argument.allSatisfy(\.isNumber) ? "\(argument)s" : argument
        guard let nanoseconds = DurationText.nanoseconds(text), nanoseconds > 0 else { return nil }
        (self.nanoseconds, self.text) = (nanoseconds, DurationText.text(nanoseconds, isASCII: true))
    }
}
