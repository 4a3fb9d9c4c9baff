/// The time that jobs ran in each part of a trace, from its start to its end, for a map of the whole.
///
/// The trace is divided into at most 512 parts of equal width. When it outgrows them, two parts become one, so the memory is constant.
package struct LoadMap: Sendable {
    package static let partCount = 512

    /// Nanoseconds of work per part.
    private var parts: [UInt64] = []
    /// A part's width in nanoseconds is this power of two.
    private var shift: UInt64 = 14

    init() {}

    mutating func add(from start: UInt64, until end: UInt64) {
        while end >> shift >= UInt64(Self.partCount) { halve() }
        let (first, last) = (Int(start &>> shift), Int(end &>> shift))
        if last >= parts.count { parts += repeatElement(0, count: last + 1 - parts.count) }
        guard first < last else {
            parts[first] &+= end - start
            return
        }
        for part in first...last {
            let low = max(start, UInt64(part) << shift)
            parts[part] &+= (part == last ? end : UInt64(part + 1) << shift) - low
        }
    }

    private mutating func halve() {
        shift += 1
        // Typed and in two steps, because Swift 6.2 gives up on the expression otherwise.
        parts = stride(from: 0, to: parts.count, by: 2).map { (even: Int) -> UInt64 in
            let odd = even + 1
            return parts[even] &+ (odd < parts.count ? parts[odd] : 0)
        }
    }

    /// The average number of jobs that ran at once in each of `count` parts of the time from 0 to `end`.
    package func load(until end: UInt64, in count: Int) -> [Double] {
        let width = Double(max(1, end)) / Double(max(1, count))
        let part = Double(UInt64(1) << shift)
        return (0..<count).map { column in
            let (from, until) = (Double(column) * width, Double(column + 1) * width)
            var sum = 0.0
            var index = Int(from / part)
            while index < parts.count, Double(index) * part < until {
                let shared = min(until, Double(index + 1) * part) - max(from, Double(index) * part)
                sum += Double(parts[index]) * shared / part
                index += 1
            }
            return sum / width
        }
    }
}
