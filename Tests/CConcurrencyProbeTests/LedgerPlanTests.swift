import InspectorTestKit
import Testing

/// The random programs of ``LedgerTests``: they can be joined, and they shrink to the steps that matter.
struct LedgerPlanTests {
    private struct Endless: Error {}

    /// Shrinks the plan as long as `isKept` is true of it.
    private func shrunk<Plan: LedgerPlan>(_ plan: Plan, while isKept: (Plan) -> Bool) async throws -> Plan {
        var tries = 0
        return try await plan.shrunk { candidate in
            tries += 1
            if tries > 100_000 { throw Endless() }
            return isKept(candidate)
        }
    }

    @Test("A plan of chains shrinks to the only step that matters, and to those that it needs", arguments: UInt64(1)...50)
    func chains(seed: UInt64) async throws {
        let sources: Set<ChainPlan.Operation> = [.source, .awsSource, .fbSource]
        let plan = ChainPlan(seed: seed)
        let count = plan.steps.count { sources.contains($0.operation) }
        guard count > 1 else { return }
        let shrunk = try await shrunk(plan) { $0.steps.count { sources.contains($0.operation) } == count }
        // The program waits for the end of each task, so each source keeps the step that ends it.
        #expect(shrunk.steps.count == 2 * count)
        #expect(shrunk.leftOpen.isEmpty)
    }

    @Test("A plan of Swift tasks shrinks to the only step that matters", arguments: UInt64(1)...50)
    func native(seed: UInt64) async throws {
        let plan = NativePlan.joined([NativePlan(seed: seed), NativePlan(seed: seed + 1)])
        let shrunk = try await shrunk(plan) { $0.steps.contains { !$0.steps.isEmpty } }
        #expect(shrunk.steps.count == 1)
        // A group keeps one child.
        #expect(shrunk.weight == (shrunk.steps[0].steps.allSatisfy(\.steps.isEmpty) ? 2 : 3))
    }

    @Test("Neighbouring seeds make different programs", arguments: UInt64(1)...100)
    func neighbours(seed: UInt64) {
        let (one, other) = (ChainPlan(seed: seed).steps.map(\.operation), ChainPlan(seed: seed + 1).steps.map(\.operation))
        func runs(_ operations: [ChainPlan.Operation]) -> Set<[ChainPlan.Operation]> {
            Set((0..<max(0, operations.count - 7)).map { Array(operations[$0..<$0 + 8]) })
        }
        #expect(runs(one).isDisjoint(with: runs(other)))
    }

    @Test("Joined plans share no number")
    func joined() {
        let plans = (1...20).map { ChainPlan(seed: $0) }
        let joined = ChainPlan.joined(plans)
        let numbers = (joined.steps + joined.leftOpen).map(\.id).filter { $0 != 0 }
        #expect(numbers.count == plans.flatMap { $0.steps + $0.leftOpen }.count { $0.id != 0 })
        #expect(Set(numbers).count == numbers.count)
        let made = Set(numbers)
        for step in joined.steps where step.operation != .cancelToken { #expect(step.targets.allSatisfy(made.contains)) }
    }
}
