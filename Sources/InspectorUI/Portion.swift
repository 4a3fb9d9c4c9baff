/// What a frame may do of a work of many steps, in nanoseconds or so: a million tasks hold no key up.
///
/// Steps are counted and weighed, not timed, so that a frame does as much whatever else the machine does.
struct Portion {
    private var left: Int

    init(nanoseconds: Int) {
        left = nanoseconds
    }

    /// How many of some steps there is room for; they are taken off.
    mutating func take(_ count: Int, each cost: Int) -> Int {
        let taken = min(count, left / cost)
        left -= taken * cost
        return taken
    }

    /// As many of some steps as there is room for, from the first on.
    mutating func take(_ steps: Range<Int>, each cost: Int) -> Range<Int> {
        steps.lowerBound..<steps.lowerBound + take(steps.count, each: cost)
    }
}

extension Array {
    /// Adds elements until there are so many, a portion at a time; true if there are. Memory that has never been written to is dear.
    mutating func grow(to count: Int, with element: Element, _ portion: inout Portion) -> Bool {
        guard self.count < count else { return true }
        makeRoom(for: count)
        let missing = portion.take(count - self.count, each: MemoryLayout<Element>.stride)
        append(contentsOf: repeatElement(element, count: missing))
        return self.count == count
    }

    /// Sees to room for so many elements, and some that come later.
    mutating func makeRoom(for count: Int) {
        if capacity < count { reserveCapacity(count + count / 4) }
    }
}
