/// The number of faults in a trace, by verdict. A fault is counted once, at its origin: an error that ends ten tasks is one fault.
///
/// The number of tasks that ended with an error is `TraceStore.count(of: .faulted)`, called *faulted tasks*.
package struct FaultCounts: Hashable, Sendable {
    private var counts: [Verdict: Int] = [:]

    package init() {}

    /// Finds the path of each of the store's faults.
    package init(_ faults: FaultAnalysis) {
        for fault in faults.faults() { add(fault.verdict) }
    }

    package mutating func add(_ verdict: Verdict) {
        counts[verdict, default: 0] += 1
    }

    package func count(of verdict: Verdict) -> Int { counts[verdict] ?? 0 }

    package var total: Int { counts.values.reduce(0, +) }

    /// Faults that ended without being read.
    package var unread: Int { counts.reduce(0) { $0 + ($1.key.isUnread ? $1.value : 0) } }

    /// `3 faults, 1 unread`; `1 fault`; `no faults`.
    package var text: String {
        guard total > 0 else { return "no faults" }
        return CountText.text(total, "fault") + (unread > 0 ? ", \(CountText.text(unread)) unread" : "")
    }

    /// The verdicts with at least one fault, the worst first: `1 unobserved, 2 recovered`.
    package var verdicts: String {
        Verdict.allCases.reversed().filter { count(of: $0) > 0 }.map { "\(CountText.text(count(of: $0))) \($0.name)" }
            .joined(separator: ", ")
    }
}
