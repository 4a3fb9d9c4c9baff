extension RandomAccessCollection where Index == Int {
    /// The first index whose element is behind a border, by binary search; `endIndex` if there is none. The elements before the border must
    /// come first.
    @inlinable
    package func partitioningIndex(isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
