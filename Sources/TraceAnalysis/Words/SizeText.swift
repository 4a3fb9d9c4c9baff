/// Sizes of memory in words: `912 B`, `1.5 kB`, `24 MB`.
package enum SizeText {
    /// With one decimal below ten. A kilobyte has 1,000 bytes.
    package static func text(_ bytes: UInt64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        let units = ["kB", "MB", "GB", "TB"]
        var (tenths, unit) = (bytes / 100, 0)
        // A size that rounds up to a thousand belongs to the next unit.
        while tenths >= 9995, unit < units.count - 1 {
            tenths = (tenths + 500) / 1000
            unit += 1
        }
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) \(units[unit])" : "\((tenths + 5) / 10) \(units[unit])"
    }
}
