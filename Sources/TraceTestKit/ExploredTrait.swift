import Foundation
import TaskEvents
import TaskRuntime
import Testing

/// Runs a suite's tests in as many orders of their chains' jobs as `HOPSCOPE_EXPLORE_TESTS` says, if it is set (`make explore`).
///
/// What a test finds wrong makes an order fail. A test that depends on threads outside of its order, such as one that starts a process, runs
/// in three orders only, and one with many choices in fewer than the others.
package struct ExploredTrait: SuiteTrait, TestTrait, TestScoping {
    private static let orders = ProcessInfo.processInfo.environment["HOPSCOPE_EXPLORE_TESTS"].flatMap { Int($0) }

    package var isRecursive: Bool { true }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase != nil && Self.orders != nil ? self : nil
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await withoutActuallyEscaping(function) { function in
            var exploration = ChainExploration(TimeSource(), policy: .pct(depth: 3), early: .milliseconds(20)) {
                try await Self.perform(function)
            } expecting: { _ in
                true
            }
            do {
                var result = try await exploration.search(orders: 3, seed: 1)
                // Without a choice, all orders are the same one.
                if result.eventsFromOutside == 0, result.choices > 0 {
                    result = try await exploration.search(orders: Self.most(after: result), seed: 1)
                }
                print("explored: \(test.name): \(result)")
            } catch {
                Issue.record(error)
                let mayWaitForEver = (error as? FailingChainOrder)?.leavesBody == true
                precondition(!mayWaitForEver, "\(test.name) waits for ever, and its function is lent.")
            }
            // No body may use the lent function any more when this returns.
            await exploration.bodiesEnded()
        }
    }

    /// The orders for a test, after some: fewer for one with many choices, such as one in which hundreds of tasks wait.
    private static func most(after some: ExplorationResult) -> Int {
        let mostChoices = 1_000_000
        return min(orders ?? 3, max(3, mostChoices * some.orders / max(1, some.choices)))
    }

    /// Runs the test, and throws the first issue that it records.
    private static func perform(_ function: @Sendable () async throws -> Void) async throws {
        let found = Guarded<[String]>([])
        try await withKnownIssue("explored", isIntermittent: true) {
            try await function()
        } matching: { issue in
            found.withLock { $0.append("\(issue)") }
            return true
        }
        if let first = found.withLock({ $0.first }) { throw FoundIssue(description: first) }
    }

    private struct FoundIssue: Error, CustomStringConvertible {
        let description: String
    }
}

extension Trait where Self == ExploredTrait {
    /// See ``ExploredTrait``.
    package static var explored: ExploredTrait { ExploredTrait() }
}
