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
    /// By time, then by task; of a great many, the first.
    package private(set) var findings: [Finding] = []
    /// The greatest of what was held against the threshold, of all of them.
    package private(set) var greatest: UInt64 = 0
    package private(set) var newest: Finding

    init(place: String, _ entry: WarningBook.Entry) {
        rule = entry.newest.rule
        severity = entry.newest.severity
        self.place = place
        newest = entry.newest
    }

    package var first: Finding { findings[0] }

    mutating func add(_ entry: WarningBook.Entry) {
        count += entry.count
        greatest = max(greatest, entry.greatest)
        findings += entry.findings
        if (entry.newest.at, entry.newest.task) > (newest.at, newest.task) { newest = entry.newest }
    }

    mutating func sort(limit: Int) {
        findings.sort { ($0.at, $0.task, $0.executor) < ($1.at, $1.task, $1.executor) }
        if findings.count > limit { findings.removeLast(findings.count - limit) }
    }
}

/// All that the rules found in a trace: the worst kinds first, then by rule, time and place; the same for the same trace.
package struct WarningList: Sendable {
    package let groups: [WarningGroup]
    /// Findings that a setting keeps from being listed.
    package let suppressedCount: Int
    /// Events that the store had forgotten before they were looked at: the rules know nothing of that time.
    package let missedEvents: Int
    /// Of each rule, whether the trace was checked for it.
    package let checks: [RuleCheck]
    private let rules: [String: any WarningRule]

    /// Groups what a book has, with what stands at the moment.
    init(
        _ book: WarningBook, _ rules: [any WarningRule], _ settings: WarningSettings, in store: TraceStore, missedEvents: Int
    ) {
        self.rules = Dictionary(rules.map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
        self.missedEvents = missedEvents
        checks = rules.map { RuleCheck($0, settings, in: store, missedEvents: missedEvents) }
        let blind = Set(checks.filter(\.isBlind).map(\.rule))
        var suppressed = 0
        var groups: [[String]: WarningGroup] = [:]
        for (kind, entry) in book.entries where !settings.isOff(kind.rule) && !blind.contains(kind.rule) {
            if settings.isSuppressed(kind.rule, name: Self.name(of: kind, in: store)) {
                suppressed += entry.count
                continue
            }
            let place = Self.place(of: kind, in: store)
            groups[[kind.rule, place], default: WarningGroup(place: place, entry)].add(entry)
        }
        suppressedCount = suppressed
        let order = Dictionary(rules.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { one, _ in one })
        self.groups = groups.values
            .map { group in
                var group = group
                group.sort(limit: book.limit)
                return (key: (group.severity, order[group.rule] ?? .max, group.first.at, group.place), group: group)
            }
            .sorted { $0.key < $1.key }
            .map(\.group)
    }

    /// The name that a suppression is held against: the task's, or the executor's where no task is named.
    private static func name(of kind: WarningBook.Kind, in store: TraceStore) -> String {
        if let label = store.entries.label(kind.label) { return label.name }
        return kind.executor == .none ? "" : store.description(of: kind.executor).name
    }

    private static func place(of kind: WarningBook.Kind, in store: TraceStore) -> String {
        if let label = store.entries.label(kind.label) { return PrintableText.text(label.site.isEmpty ? label.name : label.site) }
        return kind.executor == .none ? "" : PrintableText.text(store.description(of: kind.executor).name)
    }

    package var isEmpty: Bool { groups.isEmpty }

    /// How many there are, those that are not kept included.
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

    /// Where in the program the finding's task was made; nil where that is not known.
    package func place(of finding: Finding, in store: TraceStore) -> String? {
        guard let label = store.entries.label(finding.label), !label.site.isEmpty else { return nil }
        return label.site
    }

    /// The group in a line: its first finding, and how many more there are.
    package func message(of group: WarningGroup, in store: TraceStore, isASCII: Bool = false) -> String {
        let first = message(of: group.first, in: store, isASCII: isASCII)
        guard group.count > 1 else { return first }
        let place = group.place.isEmpty ? "" : " at \(group.place)"
        return "\(first) And \(CountText.text(group.count - 1)) more like it\(place)."
    }
}
