import TaskEvents
import TraceStore

/// What a rule found of one kind, all made at one place in the source: one line of a screen, however many they are.
package struct WarningGroup: Sendable {
    package let rule: String
    package let severity: WarningSeverity
    /// The call site of the tasks, or the executor's name; empty where neither is known.
    package let place: String
    /// How many there are.
    package private(set) var count = 0
    /// By time, then by task; of more than the limit, those of the tasks made first.
    package private(set) var findings: [Finding] = []
    /// The greatest of what was held against the threshold, of all of them.
    package private(set) var greatest: UInt64 = 0

    init(rule: String, severity: WarningSeverity, place: String) {
        self.rule = rule
        self.severity = severity
        self.place = place
    }

    package var first: Finding { findings[0] }

    mutating func add(_ finding: Finding, limit: Int) {
        count += 1
        greatest = max(greatest, finding.measure)
        if findings.count < limit { findings.append(finding) }
    }

    mutating func sort() {
        findings.sort { ($0.at, $0.task ?? .none, $0.executor ?? .none) < ($1.at, $1.task ?? .none, $1.executor ?? .none) }
    }
}

/// All that the rules found in a trace: the worst kinds first, then by rule, time and task; the same for the same trace.
package struct WarningList: Sendable {
    package let groups: [WarningGroup]
    /// Findings that a setting keeps from being listed.
    package let suppressedCount: Int
    /// Events that the store had forgotten before they were looked at: the rules that need them know nothing of that time.
    package let missedEvents: Int
    private let rules: [String: any WarningRule]

    init(groups: [WarningGroup], rules: [any WarningRule], suppressedCount: Int, missedEvents: Int) {
        self.groups = groups
        self.rules = Dictionary(rules.map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
        self.suppressedCount = suppressedCount
        self.missedEvents = missedEvents
    }

    package var isEmpty: Bool { groups.isEmpty }

    /// How many there are, those past the limit included.
    package var count: Int { groups.reduce(0) { $0 + $1.count } }

    package func count(of severity: WarningSeverity) -> Int {
        groups.lazy.filter { $0.severity == severity }.reduce(0) { $0 + $1.count }
    }

    /// The findings that are kept, in the list's order.
    package var findings: some Sequence<Finding> { groups.lazy.flatMap(\.findings) }

    /// The finding as a whole sentence, made here: of a million findings, only those that are shown cost one.
    package func message(of finding: Finding, in store: TraceStore, isASCII: Bool = false) -> String {
        guard let rule = rules[finding.rule] else { return finding.rule }
        return rule.message(of: finding, WarningWords(store, isASCII: isASCII))
    }

    /// The group in a line: its first finding, and how many more there are.
    package func message(of group: WarningGroup, in store: TraceStore, isASCII: Bool = false) -> String {
        let first = message(of: group.first, in: store, isASCII: isASCII)
        guard group.count > 1 else { return first }
        let place = group.place.isEmpty ? "" : " at \(group.place)"
        return "\(first) And \(CountText.text(group.count - 1)) more like it\(place)."
    }
}
