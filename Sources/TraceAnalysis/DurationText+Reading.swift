extension DurationText {
    /// The nanoseconds that a text stands for: `50ms`, `1.5 s`, `200us`. It must name its unit, because a number alone would be taken for one or
    /// the other. Exact, cut at the nanosecond; nil for anything else.
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
