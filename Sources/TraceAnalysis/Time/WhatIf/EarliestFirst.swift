/// Elements of which the smallest comes first: a binary heap.
struct EarliestFirst<Element: Comparable> {
    private var elements: [Element] = []

    var count: Int { elements.count }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0, elements[index] < elements[(index - 1) / 2] {
            elements.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() -> Element? {
        guard let first = elements.first else { return nil }
        let last = elements.removeLast()
        guard !elements.isEmpty else { return first }
        elements[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < elements.count && elements[child] < elements[least] { least = child }
            guard least != index else { return first }
            elements.swapAt(index, least)
            index = least
        }
    }
}
