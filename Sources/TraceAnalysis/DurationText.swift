/// Durations in words: `412 ns`, `12.3 µs`, `12.1 ms`, `1.204 s`, `2 m 05 s`, `1 h 02 m`, and `–` for one that did not happen.
///
/// One style everywhere, with a point for the decimals in every locale. Microseconds end at a tenth of a millisecond, because a column
/// of milliseconds is read at a glance and a mixed one is not.
package enum DurationText {
    /// `isASCII` spells `us` and `-`, for terminals that know no more.
    package static func text(_ nanoseconds: UInt64?, isASCII: Bool = false) -> String {
        guard let nanoseconds else { return isASCII ? "-" : "–" }
        // Each limit is where rounding would carry into the next unit.
        return switch nanoseconds {
        case ..<1_000: "\(nanoseconds) ns"
        case ..<99_950: decimal(nanoseconds, unit: 1_000, digits: 1) + (isASCII ? " us" : " µs")
        case ..<999_950_000: decimal(nanoseconds, unit: 1_000_000, digits: 1) + " ms"
        case ..<59_999_500_000: decimal(nanoseconds, unit: 1_000_000_000, digits: 3) + " s"
        case ..<3_599_500_000_000: pair(rounded(nanoseconds, to: 1_000_000_000), "m", "s")
        default: pair(rounded(nanoseconds, to: 60_000_000_000), "h", "m")
        }
    }

    /// `nanoseconds` in `unit`s, rounded half up to so many decimals.
    private static func decimal(_ nanoseconds: UInt64, unit: UInt64, digits: Int) -> String {
        var scale: UInt64 = 1
        for _ in 0..<digits { scale *= 10 }
        let value = rounded(nanoseconds, to: unit / scale)
        let fraction = String(value % scale)
        return "\(value / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    private static func rounded(_ nanoseconds: UInt64, to unit: UInt64) -> UInt64 {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: unit)
        return remainder >= unit - unit / 2 ? quotient + 1 : quotient
    }

    private static func pair(_ value: UInt64, _ large: String, _ small: String) -> String {
        let rest = value % 60
        return "\(value / 60) \(large) \(rest < 10 ? "0" : "")\(rest) \(small)"
    }
}
