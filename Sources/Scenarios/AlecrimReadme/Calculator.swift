import AlecrimTasks
import Foundation

/// Stands in for the README's calculation: hashes `count` numbers.
struct Calculator: Sendable {
    struct TooLarge: Error {
        let count: Int
    }

    private let stage: Stage

    init(_ stage: Stage) {
        self.stage = stage
    }

    func asyncCalculate(_ count: Int, name: String = "asyncCalculate") -> Task<UInt64> {
        async(name: name) {
            if count > 1_000_000 { throw TooLarge(count: count) }
            return calculate(count)
        }
    }

    func asyncCalculateSurely(_ count: Int) -> NonFailableTask<UInt64> {
        async(name: "asyncCalculateSurely") { calculate(count) }
    }

    /// Another thread finishes the task.
    func asyncCalculateElsewhere(_ count: Int) -> Task<UInt64> {
        asyncEx(name: "asyncCalculateElsewhere") { task in
            Thread.detachNewThread { task.finishWithValue(calculate(count), error: nil) }
        }
    }

    func calculate(_ count: Int) -> UInt64 {
        stage.hash(count, in: .milliseconds(500))
    }
}
