import InspectorTestKit
import Testing
import TraceTestKit

/// A search for runtimes in which the probe says something false, or harms the program. `make mutations` searches 500.
@Suite(.serialized, .timeLimit(.minutes(Stress.minutesOfMutations)))
struct RandomRuntimeTests {
    /// Three programs as one.
    private static func plan(_ seed: Int) -> NativePlan {
        // Swift 6.1 has no `Task.immediate`.
        .joined((0..<3).map { NativePlan(seed: UInt64(seed * 3 + $0)).replacing(.immediate, with: .unstructured) })
    }

    /// Changes with which the search has found something false.
    private static var found: [[RuntimeChange]] {
        guard RuntimeCopy.changesCode else { return [] }
        return [
            [.dependencyKind(2, as: 4)], [.dependencyKind(3, as: 4)],
            [.without("_swift_concurrency_debug_asyncTaskMetadata"), .dependencyKind(1, as: 2)],
            [.variable("_swift_concurrency_debug_internal_layout_version", 3)], [.noBackPointer, .dependencyKind(3, as: 6)],
        ]
    }

    @Test(
        "Other kinds of dependencies are not taken for known ones, and preferences are seen in a runtime that is not listed",
        arguments: found)
    func knownChanges(_ changes: [RuntimeChange]) throws {
        let run = try LedgerRun(LedgerTests.native(.debug), runtime: RuntimeCopy(changes))
        let comparison = try #require(try run.compareUnlessIdle(Self.plan(13)))
        #expect(comparison.differences.isEmpty)
        #expect(comparison.facts.values.reduce(0, +) > 4 * comparison.unknown)
    }

    @Test(
        "A few dependencies of another kind are enough to know that the kinds are others",
        .enabled(if: RuntimeCopy.changesCode), arguments: [(333, 4), (412, 6), (495, 2)] as [(Int, UInt8)])
    func fewOfAnotherKind(seed: Int, kind: UInt8) throws {
        let run = try LedgerRun(LedgerTests.native(.debug), runtime: RuntimeCopy([.dependencyKind(3, as: kind)]))
        let comparison = try #require(try run.compareUnlessIdle(Self.plan(seed)))
        #expect(comparison.differences.isEmpty)
    }

    @Test("In a random runtime a program runs as it does alone, and what is told of it is right or unknown")
    func rightOrUnknown() throws {
        let program = try LedgerTests.native(.debug)
        var (broken, idle, right, unknown) = (0, 0, 0, 0)
        let first = Stress.firstMutation
        for seed in first..<first + Stress.mutations(everyDay: 1) {
            let (random, plan) = (RandomRuntime(seed: seed), Self.plan(seed))
            let run = try LedgerRun(program, runtime: random.copy(), deadline: 30)
            guard try run.runsAlone(plan) else {
                broken += 1
                continue
            }
            do {
                guard let comparison = try run.compareUnlessIdle(plan) else {
                    idle += 1
                    continue
                }
                #expect(comparison.differences.isEmpty, "seed \(seed), \(random)")
                right += comparison.facts.values.reduce(0, +) - comparison.unknown - comparison.differences.count
                unknown += comparison.unknown
            } catch {
                // Some runtimes end a program now and then without the probe too.
                guard try (0..<10).allSatisfy({ _ in try run.runsAlone(plan) }) else {
                    broken += 1
                    continue
                }
                Issue.record("seed \(seed), \(random): \(error)")
            }
        }
        print("mutations: \(right) facts right, \(unknown) unknown; \(idle) runtimes without a probe, \(broken) that no program runs with")
    }
}
