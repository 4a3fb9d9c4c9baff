import TaskRuntime
import Testing

@Suite struct ShorteningTests {
    /// The part of a list that is left, and the number of candidates that were tried.
    private func shortened(_ list: [Int], while fails: ([Int]) -> Bool) -> (kept: [Int], tried: Int) {
        var shortening = Shortening(list)
        var tried = 0
        while let candidate = shortening.candidate {
            tried += 1
            shortening.note(failed: fails(candidate))
        }
        return (shortening.kept, tried)
    }

    @Test("Only the elements are left that the failure needs", arguments: [[], [0], [63], [3, 40], [0, 1, 62, 63]])
    func needed(elements: [Int]) {
        let (kept, tried) = shortened(Array(0..<64)) { Set(elements).isSubset(of: $0) }
        #expect(kept == elements)
        // Many elements are left out at once.
        #expect(tried <= 64)
    }

    @Test("Two elements of which the second takes the first back are left out together")
    func pairs() {
        let (kept, _) = shortened([1, 2, 3, 4]) { $0.contains(2) && $0.contains(1) == $0.contains(4) }
        #expect(kept == [2])
    }

    @Test("A list of which every element is needed stays as it is, and the search ends", arguments: 0...14)
    func whole(count: Int) {
        let list = Array(0..<count)
        let (kept, tried) = shortened(list) { $0 == list }
        #expect(kept == list)
        #expect(tried <= 4 * count + 66)
    }
}
