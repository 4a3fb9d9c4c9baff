/// A limit with its unit. A rule reports values that exceed its threshold, but not values that equal it.
package struct WarningThreshold: Hashable, Sendable {
    package enum Unit: Sendable {
        case nanoseconds
        case count
    }

    package var value: UInt64
    package var unit: Unit

    package init(value: UInt64, unit: Unit) {
        self.value = value
        self.unit = unit
    }

    package static func milliseconds(_ value: UInt64) -> WarningThreshold {
        WarningThreshold(value: value * 1_000_000, unit: .nanoseconds)
    }

    package static func count(_ value: UInt64) -> WarningThreshold {
        WarningThreshold(value: value, unit: .count)
    }

    /// `100.0 ms`, `10,000`.
    package func text(isASCII: Bool = false) -> String {
        switch unit {
        case .nanoseconds: DurationText.text(value, isASCII: isASCII)
        case .count: CountText.text(value)
        }
    }
}
