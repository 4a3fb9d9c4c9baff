/// Numbers of which each can change, and the sums of those before any of them. Both cost a few hundred steps for 65,535 numbers.
struct GroupedSums {
    private static let groupSize = 256

    private var numbers: [Int] = []
    private var groups: [Int] = []
    private(set) var total = 0

    var count: Int { numbers.count }

    subscript(place: Int) -> Int {
        get { numbers[place] }
        set {
            groups[place / Self.groupSize] += newValue - numbers[place]
            total += newValue - numbers[place]
            numbers[place] = newValue
        }
    }

    mutating func append(_ number: Int) {
        if numbers.count % Self.groupSize == 0 { groups.append(0) }
        numbers.append(0)
        self[numbers.count - 1] = number
    }

    func sum(before place: Int) -> Int {
        let group = place / Self.groupSize
        return groups[..<group].reduce(0, +) + numbers[group * Self.groupSize..<place].reduce(0, +)
    }

    /// The number that covers `offset` if all lie one after the other, and the rest of the offset. Nil beyond the end.
    func place(of offset: Int) -> (place: Int, rest: Int)? {
        guard offset >= 0, offset < total else { return nil }
        var rest = offset
        var group = 0
        while rest >= groups[group] {
            rest -= groups[group]
            group += 1
        }
        var place = group * Self.groupSize
        while rest >= numbers[place] {
            rest -= numbers[place]
            place += 1
        }
        return (place, rest)
    }
}
