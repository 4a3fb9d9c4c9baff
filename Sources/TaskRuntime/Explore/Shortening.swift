/// The search for a short part of a list that still fails. It leaves out first many elements, then single ones, then pairs.
///
/// The caller tries each ``candidate``, and tells ``note(failed:)`` what came of it.
package struct Shortening<Element> {
    /// The shortest part so far that fails.
    package private(set) var kept: [Element]
    /// The number of parts of which one is left out at a time.
    private var parts = 2
    /// The first element of the part that is left out.
    private var start = 0
    /// The two elements that are left out, once no single one can be.
    private var pair: (first: Int, second: Int)?
    private var isOver: Bool

    /// Longer lists have too many pairs.
    private static var mostForPairs: Int { 12 }

    package init(_ failing: [Element]) {
        kept = failing
        isOver = failing.isEmpty
    }

    private var size: Int { (kept.count + parts - 1) / parts }

    /// The part to try next. Nil if none is left.
    package var candidate: [Element]? {
        guard !isOver else { return nil }
        var rest = kept
        if let pair {
            rest.remove(at: pair.second)
            rest.remove(at: pair.first)
        } else {
            rest.removeSubrange(start..<min(start + size, kept.count))
        }
        return rest
    }

    /// - Parameter failed: whether the candidate failed as the whole list does.
    package mutating func note(failed: Bool) {
        if failed, let candidate {
            if pair == nil { parts = max(2, parts - 1) }
            (kept, start, pair) = (candidate, 0, nil)
            isOver = kept.isEmpty
        } else if let last = pair {
            let next = last.second + 1
            pair = next < kept.count ? (last.first, next) : (last.first + 1, last.first + 2)
            isOver = pair.map { $0.second >= kept.count } ?? true
        } else if start + size < kept.count {
            start += size
        } else if size > 1 {
            (parts, start) = (min(parts * 2, kept.count), 0)
        } else {
            pair = (0, 1)
            isOver = kept.count < 2 || kept.count > Self.mostForPairs
        }
    }
}
