import TaskEvents
import TraceAnalysis

/// The classes of hops that have a warning sign.
///
/// A bounce or a redundant hop can be intended. It is marked only where its rule found many in a row, so that this screen and Warnings say
/// the same.
struct HopWarnings {
    /// The rules that look for a class of hops.
    private static let rules: [String: HopClass] = ["hop-bounce": .bounce, "redundant-hop": .redundant]

    /// For each class, the executors of each finding's hops.
    private var found: [HopClass: Set<Set<ExecutorID>>] = [:]

    init(_ list: WarningList?) {
        guard let list else { return }
        for finding in list.findings {
            guard let hopClass = Self.rules[finding.rule] else { continue }
            found[hopClass, default: []].insert(Set(finding.evidence.map(\.executor)))
        }
    }

    func isWarned(_ hopClass: HopClass, _ ends: HopEnds) -> Bool {
        switch hopClass {
        case .depthGuard: true
        case .bounce, .redundant: found[hopClass]?.contains { $0.isSuperset(of: [ends.from, ends.to]) } ?? false
        case .inline, .dispatched: false
        }
    }

    func isWarned(_ cell: HopCell, _ ends: HopEnds) -> Bool {
        HopClass.allCases.contains { cell.count(of: $0) > 0 && isWarned($0, ends) }
    }
}
