import TaskEvents
import TraceStore

/// All findings of one rule at one place in the source. A screen shows them in one line.
package struct WarningGroup: Sendable {
    package let rule: String
    package let severity: WarningSeverity
    /// The call site of the tasks, or the executor's name. Empty if both are unknown.
    package let site: String
    /// The number of findings, including those that are not kept.
    package private(set) var count = 0
    /// The first findings, sorted by time, then by task.
    package private(set) var findings: [Finding] = []
    /// The greatest measured value among all findings.
    package private(set) var greatest: UInt64 = 0
    package private(set) var newest: Finding

    init(site: String, _ entry: WarningBook.Entry) {
        rule = entry.newest.rule
        severity = entry.newest.severity
        self.site = site
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

/// All findings of the rules in a trace: the worst kinds first, then by rule, time and place. Equal traces give equal lists.
package struct WarningList: Sendable {
    package let groups: [WarningGroup]
    /// The number of findings that a setting suppresses.
    package let suppressedCount: Int
    /// The number of events that the store dropped before the engine saw them. The rules know nothing of that time.
    package let missedEvents: Int
    /// For each rule, whether it was checked on the trace.
    package let checks: [RuleCheck]
    private let rules: [String: any WarningRule]

    /// Groups the findings of a book, together with those that hold at the moment.
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
            for (site, entry) in Self.places(of: entry, kind, limit: book.limit, in: store) {
                groups[[kind.rule, site], default: WarningGroup(site: site, entry)].add(entry)
            }
        }
        suppressedCount = suppressed
        let order = Dictionary(rules.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { one, _ in one })
        self.groups = groups.values
            .map { group in
                var group = group
                group.sort(limit: book.limit)
                return (key: (group.severity, order[group.rule] ?? .max, group.first.at, group.site), group: group)
            }
            .sorted { $0.key < $1.key }
            .map(\.group)
    }

    /// The name that a suppression is compared with: the task's name, or the executor's name if the finding names no task.
    private static func name(of kind: WarningBook.Kind, in store: TraceStore) -> String {
        if let label = store.entries.label(kind.label) { return label.name }
        return kind.executor == .none ? "" : store.description(of: kind.executor).name
    }

    /// The findings of a kind by place. Those of a task whose code had no name yet are at the place that its name has now.
    private static func places(
        of entry: WarningBook.Entry, _ kind: WarningBook.Kind, limit: Int, in store: TraceStore
    ) -> [(site: String, entry: WarningBook.Entry)] {
        let labels = kind.site == kind.label && entry.count == entry.findings.count ? entry.findings.map { $0.label(in: store) } : []
        guard labels.contains(where: { $0 != kind.label }) else { return [(site(of: kind, in: store), entry)] }
        var places: [EntryID: WarningBook.Entry] = [:]
        for (label, finding) in zip(labels, entry.findings) {
            places[label, default: WarningBook.Entry(finding)].add(finding, limit: limit)
        }
        return places.map { label, entry in
            var kind = kind
            (kind.label, kind.site) = (label, label)
            return (site(of: kind, in: store), entry)
        }
    }

    private static func site(of kind: WarningBook.Kind, in store: TraceStore) -> String {
        if let site = site(kind.site, in: store) { return PrintableText.text(site) }
        if let label = store.entries.label(kind.site) ?? store.entries.label(kind.label) {
            return PrintableText.text(label.place)
        }
        return kind.executor == .none ? "" : PrintableText.text(store.description(of: kind.executor).name)
    }

    package var isEmpty: Bool { groups.isEmpty }

    /// The number of findings, including those that are not kept.
    package var count: Int { groups.reduce(0) { $0 + $1.count } }

    package func count(of severity: WarningSeverity) -> Int {
        groups.lazy.filter { $0.severity == severity }.reduce(0) { $0 + $1.count }
    }

    /// The kept findings in the list's order.
    package var findings: some Sequence<Finding> { groups.lazy.flatMap(\.findings) }

    /// The finding as a whole sentence. It is made on demand, so only the findings on the screen cost time.
    package func message(of finding: Finding, in store: TraceStore, isASCII: Bool = false) -> String {
        guard let rule = rules[finding.rule] else { return finding.rule }
        return rule.message(of: finding, WarningWords(store, isASCII: isASCII))
    }

    /// The place of the problem, or else the place that created the finding's task. Nil if unknown.
    package func site(of finding: Finding, in store: TraceStore) -> String? {
        let label = finding.label(in: store)
        return Self.site(finding.site == finding.label ? label : finding.site, in: store) ?? Self.site(label, in: store)
    }

    /// The source location of a label, or of the innermost call of the program's own.
    private static func site(_ entry: EntryID, in store: TraceStore) -> String? {
        [store.entries.label(entry)?.site, store.symbol(ofCall: entry)?.site].lazy.compactMap(\.self).first { !$0.isEmpty }
    }

    /// The group in one line: its first finding and the number of further findings.
    package func message(of group: WarningGroup, in store: TraceStore, isASCII: Bool = false) -> String {
        let first = message(of: group.first, in: store, isASCII: isASCII)
        guard group.count > 1 else { return first }
        let site = group.site.isEmpty ? "" : " at \(group.site)"
        return "\(first) And \(CountText.text(group.count - 1)) more like it\(site)."
    }
}
