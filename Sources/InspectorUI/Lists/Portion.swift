/// The budget of a long computation per frame, in estimated nanoseconds. It keeps a million tasks from delaying a key.
///
/// Steps are counted and weighed, not timed, so that a frame does the same work on a busy machine.
struct Portion {
    private var left: Int

    init(nanoseconds: Int) {
        left = nanoseconds
    }

    /// Takes up to `count` steps from the budget. Returns the number of steps that fit.
    mutating func take(_ count: Int, each cost: Int) -> Int {
        let taken = min(count, left / cost)
        left -= taken * cost
        return taken
    }

    /// Takes the first of these steps, as many as fit in the budget.
    mutating func take(_ steps: Range<Int>, each cost: Int) -> Range<Int> {
        steps.lowerBound..<steps.lowerBound + take(steps.count, each: cost)
    }
}

extension Array {
    /// Adds elements until there are `count`, one portion per call. True when done. The first write to fresh memory is expensive.
    mutating func grow(to count: Int, with element: Element, _ portion: inout Portion) -> Bool {
        guard self.count < count else { return true }
        makeRoom(for: count)
        let missing = portion.take(count - self.count, each: MemoryLayout<Element>.stride)
        append(contentsOf: repeatElement(element, count: missing))
        return self.count == count
    }

    /// Reserves capacity for `count` elements and a quarter more.
    mutating func makeRoom(for count: Int) {
        if capacity < count { reserveCapacity(count + count / 4) }
    }
}
