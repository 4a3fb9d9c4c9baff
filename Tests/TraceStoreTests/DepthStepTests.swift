import TaskEvents
import Testing

@testable import TraceStore

/// The latest changes of the queues' depths.
@Suite struct DepthStepTests {
    @Test("The latest 131,072 changes and up to as many before them can be read from any number on")
    func reading() {
        var steps = DepthSteps()
        func numbers(from number: Int, limit: Int = .max) -> (first: Int, read: [UInt64]) {
            var read: [UInt64] = []
            let first = steps.read(from: number, limit: limit) { read.append($0.at) }
            return (first, read)
        }
        #expect(numbers(from: 0) == (0, []))
        for number in 0..<UInt64(DepthSteps.limit * 5 / 2) {
            steps.append(DepthStep(at: number, executor: .none, depth: 0))
        }
        let (oldest, boundary) = (DepthSteps.limit, DepthSteps.limit * 2)
        #expect(numbers(from: 0, limit: 2) == (oldest, [UInt64(oldest), UInt64(oldest) + 1]))
        #expect(numbers(from: boundary - 1, limit: 3) == (boundary - 1, (0..<3).map { UInt64(boundary - 1 + $0) }))
        #expect(numbers(from: boundary + 5, limit: 1) == (boundary + 5, [UInt64(boundary + 5)]))
        #expect(numbers(from: 0).read.count == steps.total - oldest)
        #expect(numbers(from: steps.total) == (steps.total, []))
    }
}
