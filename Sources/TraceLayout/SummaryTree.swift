/// A summary of consecutive elements of a ``SummaryTree``.
protocol ElementSummary {
    associatedtype Element

    /// The summary of one element. `number` is its number in the tree.
    init(_ element: Element, number: Int)

    /// Adds the summary of the elements that follow.
    mutating func add(_ later: Self)
}

/// A queue of elements with summaries of eight, 64, 512 … consecutive ones, so that a reader need not visit each element.
///
/// Elements are numbered from 0. Adding one and removing the first one take constant time on average. Source of the idea: Tristan Hume,
/// "Implicit in-order forests", which Perfetto uses for the same purpose.
struct SummaryTree<Summary: ElementSummary> {
    typealias Element = Summary.Element

    /// The number of elements or groups in a group, as a power of two.
    private static var shift: Int { 3 }

    private struct Level {
        /// The number of the first group. Group `n` begins at element `n << shift × (level + 1)`.
        var base: Int
        var groups: ContiguousArray<Summary>
    }

    private var elements: ContiguousArray<Element> = []
    /// The number of `elements[0]`. Removed elements stay for a while.
    private var base = 0
    /// The number of the first element that is not removed.
    private(set) var first = 0
    private var levels: [Level] = []

    /// One more than the number of the last element.
    var end: Int { base + elements.count }
    var isEmpty: Bool { first == end }
    var last: Element? { isEmpty ? nil : elements.last }

    subscript(number: Int) -> Element { elements[number - base] }

    mutating func append(_ element: Element) {
        let number = end
        elements.append(element)
        for level in levels.indices {
            let group = number >> (Self.shift * (level + 1))
            let index = group - levels[level].base
            if index == levels[level].groups.count {
                levels[level].groups.append(Summary(element, number: number))
            } else {
                levels[level].groups[index].add(Summary(element, number: number))
            }
        }
        if levels.last.map({ $0.groups.count > 1 << Self.shift }) ?? (elements.count > 1 << Self.shift) { addLevel() }
    }

    private mutating func addLevel() {
        var level = Level(base: 0, groups: [])
        func add(_ summary: Summary, of group: Int) {
            if level.groups.isEmpty { level.base = group }
            if group - level.base == level.groups.count {
                level.groups.append(summary)
            } else {
                level.groups[group - level.base].add(summary)
            }
        }
        if let below = levels.last {
            for (index, group) in below.groups.enumerated() { add(group, of: (below.base + index) >> Self.shift) }
        } else {
            for number in base..<end { add(Summary(self[number], number: number), of: number >> Self.shift) }
        }
        levels.append(level)
    }

    mutating func removeFirst() {
        precondition(!isEmpty, "element \(first) of \(end)")
        first += 1
        guard first - base > max(64, elements.count / 2) else { return }
        elements.removeFirst(first - base)
        base = first
        for level in levels.indices {
            let group = first >> (Self.shift * (level + 1))
            levels[level].groups.removeFirst(group - levels[level].base)
            levels[level].base = group
        }
    }

    /// Visits the elements in order, by groups where that suffices. `isEnough` is given each group's summary, and whether all its elements
    /// are kept, and returns whether its elements may be left out.
    func visit(_ isEnough: (Summary, _ isWhole: Bool) -> Bool, _ body: (Element) -> Void) {
        guard let top = levels.last else {
            for number in first..<end { body(self[number]) }
            return
        }
        for group in top.base..<top.base + top.groups.count { visit(group, levels.count - 1, isEnough, body) }
    }

    private func visit(_ group: Int, _ level: Int, _ isEnough: (Summary, Bool) -> Bool, _ body: (Element) -> Void) {
        let start = group << (Self.shift * (level + 1))
        guard (group + 1) << (Self.shift * (level + 1)) > first else { return }
        if isEnough(levels[level].groups[group - levels[level].base], start >= first) { return }
        if level == 0 {
            for number in max(first, start)..<min(end, start + (1 << Self.shift)) { body(self[number]) }
        } else {
            let below = levels[level - 1]
            let children = max(below.base, group << Self.shift)..<min(below.base + below.groups.count, (group + 1) << Self.shift)
            for child in children { visit(child, level - 1, isEnough, body) }
        }
    }
}
