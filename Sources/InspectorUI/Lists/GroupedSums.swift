/// Numbers of which each can change, and the sums of those before any of them. Both cost a few hundred steps for 65,535 numbers.
struct GroupedSums {
    private static let groupSize = 256

    private var numbers: [Int] = []
    private var groups: [Int] = []
    private(set) var total = 0

    subscript(index: Int) -> Int {
        get { numbers[index] }
        set {
            groups[index / Self.groupSize] += newValue - numbers[index]
            total += newValue - numbers[index]
            numbers[index] = newValue
        }
    }

    mutating func append(_ number: Int) {
        if numbers.count % Self.groupSize == 0 { groups.append(0) }
        numbers.append(0)
        self[numbers.count - 1] = number
    }

    func sum(before index: Int) -> Int {
        let group = index / Self.groupSize
        return groups[..<group].reduce(0, +) + numbers[group * Self.groupSize..<index].reduce(0, +)
    }

    /// The number that covers `offset` if all lie one after the other, and the rest of the offset. Nil beyond the end.
    func index(of offset: Int) -> (index: Int, rest: Int)? {
        guard offset >= 0, offset < total else { return nil }
        var rest = offset
        var group = 0
        while rest >= groups[group] {
            rest -= groups[group]
            group += 1
        }
        var index = group * Self.groupSize
        while rest >= numbers[index] {
            rest -= numbers[index]
            index += 1
        }
        return (index, rest)
    }
}
