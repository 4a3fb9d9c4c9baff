import TextOutput

/// Durations as text: `412 ns`, `12.3 µs`, `12.1 ms`, `1.204 s`, `2 m 05 s`, `1 h 02 m`, and `–` for no duration.
///
/// The decimal sign is a point in every locale. From a tenth of a millisecond on, the unit is milliseconds, because a column with one unit
/// is easier to read.
package enum DurationText {
    /// - Parameter isASCII: spells `us` and `-`.
    package static func text(_ nanoseconds: UInt64?, isASCII: Bool = false) -> String {
        guard let nanoseconds else { return isASCII ? "-" : "–" }
        // At each limit, rounding would reach the next unit.
        return switch nanoseconds {
        case ..<1_000: "\(nanoseconds) ns"
        case ..<99_950: decimal(nanoseconds, unit: 1_000, digits: 1) + (isASCII ? " us" : " µs")
        case ..<999_950_000: decimal(nanoseconds, unit: 1_000_000, digits: 1) + " ms"
        case ..<59_999_500_000: decimal(nanoseconds, unit: 1_000_000_000, digits: 3) + " s"
        case ..<3_599_500_000_000: pair(rounded(nanoseconds, to: 1_000_000_000), "m", "s")
        default: pair(rounded(nanoseconds, to: 60_000_000_000), "h", "m")
        }
    }

    /// `nanoseconds` in `unit`s, rounded half up to `digits` decimals.
    private static func decimal(_ nanoseconds: UInt64, unit: UInt64, digits: Int) -> String {
        var scale: UInt64 = 1
        for _ in 0..<digits { scale *= 10 }
        let value = rounded(nanoseconds, to: unit / scale)
        return "\(value / scale)." + String(value % scale, digits: digits)
    }

    private static func rounded(_ nanoseconds: UInt64, to unit: UInt64) -> UInt64 {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: unit)
        return remainder >= unit - unit / 2 ? quotient + 1 : quotient
    }

    private static func pair(_ value: UInt64, _ large: String, _ small: String) -> String {
        let rest = value % 60
        return "\(value / 60) \(large) \(rest < 10 ? "0" : "")\(rest) \(small)"
    }

    /// The nanoseconds in a text such as `50ms`, `1.5 s` or `200us`. Cuts fractions of a nanosecond. Nil for any other text, including a
    /// number without a unit.
    package static func nanoseconds(_ text: String) -> UInt64? {
        let number = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unit = text.dropFirst(number.count).drop { $0 == " " }
        let scales: [Substring: UInt64] = [
            "ns": 1, "us": 1000, "µs": 1000, "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000, "h": 3_600_000_000_000,
        ]
        guard let scale = scales[unit] else { return nil }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = UInt64(parts[0]) else { return nil }
        let (value, isTooMuch) = whole.multipliedReportingOverflow(by: scale)
        guard !isTooMuch else { return nil }
        guard parts.count == 2 else { return value }
        guard !parts[1].isEmpty else { return nil }
        var (fraction, digitScale) = (0 as UInt64, scale)
        for digit in parts[1].compactMap(\.wholeNumberValue) {
            digitScale /= 10
            fraction += UInt64(digit) * digitScale
        }
        let sum = value.addingReportingOverflow(fraction)
        return sum.overflow ? nil : sum.partialValue
    }
}
