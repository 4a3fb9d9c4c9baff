/// Finds out that a list in damaged memory leads back to itself, in a bounded number of steps and without a set of the visited places.
///
/// It compares each place with an earlier one, which it replaces after 1, 2, 4, 8... steps (Brent's algorithm).
struct CircleCheck {
    private var earlier: UInt64
    private var steps = 0
    private var power = 1

    init(_ first: UInt64) {
        earlier = first
    }

    /// Whether the list has been at this place, which follows the last one.
    mutating func closes(at address: UInt64) -> Bool {
        if address == earlier { return true }
        steps += 1
        if steps == power {
            (earlier, steps) = (address, 0)
            power *= 2
        }
        return false
    }
}
