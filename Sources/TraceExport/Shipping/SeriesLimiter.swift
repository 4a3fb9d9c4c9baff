/// Bounds the number of values that an attribute takes. The first values keep their names, and further ones become nil.
struct SeriesLimiter {
    private var known: [ShippedAttribute: Set<String>] = [:]
    /// The least number of different values that were cut off. Each value is counted when it first comes, up to a bound of memory.
    private(set) var cutValues = 0
    private var cut: Set<String> = []
    private static let cutLimit = 10_000

    mutating func value(_ value: String, of attribute: ShippedAttribute) -> String? {
        if known[attribute]?.contains(value) == true { return value }
        guard known[attribute, default: []].count < attribute.limit else {
            if cut.count < Self.cutLimit, cut.insert("\(attribute.rawValue)=\(value)").inserted { cutValues += 1 }
            return nil
        }
        known[attribute, default: []].insert(value)
        return value
    }
}
