/// A heap of the lanes' next events, earliest first. At equal times the lane with the smaller number comes first.
struct HeadHeap {
    struct Head: Comparable {
        var time: UInt64
        var lane: UInt16

        static func < (one: Head, other: Head) -> Bool {
            one.time != other.time ? one.time < other.time : one.lane < other.lane
        }
    }

    private var heads: [Head] = []

    var first: Head? { heads.first }

    /// The second in order.
    var second: Head? {
        switch heads.count {
        case 0, 1: nil
        case 2: heads[1]
        default: min(heads[1], heads[2])
        }
    }

    mutating func removeAll() {
        heads.removeAll(keepingCapacity: true)
    }

    mutating func insert(_ head: Head) {
        heads.append(head)
        var child = heads.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heads[child] < heads[parent] else { return }
            heads.swapAt(child, parent)
            child = parent
        }
    }

    mutating func replaceFirst(with head: Head) {
        heads[0] = head
        sink()
    }

    mutating func removeFirst() {
        heads[0] = heads[heads.count - 1]
        heads.removeLast()
        sink()
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2 where child < heads.count && heads[child] < heads[least] { least = child }
            if least == parent { return }
            heads.swapAt(parent, least)
            parent = least
        }
    }
}
