import ArgumentParser
import TraceAnalysis

/// An option's time, such as `30s` or `500ms`.
enum TimeOption {
    private static let day: UInt64 = 86_400_000_000_000

    /// Nanoseconds. Throws unless the text is a time of at most a day.
    static func nanoseconds(_ text: String, of option: String) throws(ValidationError) -> UInt64 {
        guard let value = DurationText.nanoseconds(text), value <= day else {
            throw ValidationError("\(option) \(text) is no time of at most a day, such as 10s or 500ms.")
        }
        return value
    }
}
