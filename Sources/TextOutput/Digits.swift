extension String {
    /// A number with zeros in front, so that it has at least `digits` digits: `007`.
    package init(_ number: UInt64, digits: Int, radix: Int = 10) {
        let shown = String(number, radix: radix)
        self = String(repeating: "0", count: Swift.max(digits - shown.utf8.count, 0)) + shown
    }
}
