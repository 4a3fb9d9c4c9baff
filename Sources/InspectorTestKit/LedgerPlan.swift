import Foundation
import TaskEvents

/// A random program that keeps a ledger of its actions: ``NativePlan``, ``ChainPlan`` and ``BlockPlan``.
package protocol LedgerPlan: Codable, Sendable, CustomStringConvertible {
    init(seed: UInt64)

    /// A program that carries out the plans one after another.
    static func joined(_ plans: [Self]) -> Self

    /// A size that every smaller plan reduces.
    var weight: Int { get }

    /// The plans that are a little simpler than this one.
    var smaller: [Self] { get }

    /// Compares the ledger that a run of the plan wrote with the report of that run, and with its events as JSON lines. Facts of a trace that
    /// lacks routes may be unknown.
    func compare(ledger: String, report: Data, events: Data, lacking: TraceRoutes) throws -> LedgerComparison
}

extension LedgerPlan {
    /// Reduces the plan as long as it still fails.
    package func shrunk(while fails: (Self) async throws -> Bool) async rethrows -> Self {
        var plan = self
        search: while true {
            // A candidate that is not smaller would be tried for ever.
            for candidate in plan.smaller where candidate.weight < plan.weight {
                guard try await fails(candidate) else { continue }
                plan = candidate
                continue search
            }
            return plan
        }
    }
}

extension NativePlan: LedgerPlan {
    package func compare(ledger: String, report: Data, events: Data, lacking: TraceRoutes) throws -> LedgerComparison {
        try LedgerComparison(NativeLedger(ledger, plan: self), report: report, events: events, lacking: lacking)
    }
}

extension ChainPlan: LedgerPlan {
    package func compare(ledger: String, report: Data, events: Data, lacking: TraceRoutes) throws -> LedgerComparison {
        try LedgerComparison(ChainLedger(ledger, plan: self), report: report)
    }
}

extension BlockPlan: LedgerPlan {
    package func compare(ledger: String, report: Data, events: Data, lacking: TraceRoutes) throws -> LedgerComparison {
        try LedgerComparison(BlockLedger(ledger), report: report, events: events)
    }
}
