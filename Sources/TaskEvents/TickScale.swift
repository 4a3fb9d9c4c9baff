/// Turns ticks into nanoseconds by a multiplication.
package struct TickScale {
    /// Nanoseconds a tick, times 2^32.
    let factor: UInt64

    /// - Parameter ticksPerSecond: greater than 0.
    package init(ticksPerSecond: UInt64) {
        factor = ticksPerSecond.dividingFullWidth(UInt64(1_000_000_000).multipliedFullWidth(by: 1 << 32)).quotient
    }

    package func nanoseconds(ticks: UInt64) -> UInt64 {
        let product = ticks.multipliedFullWidth(by: factor)
        return product.high << 32 | product.low >> 32
    }
}
