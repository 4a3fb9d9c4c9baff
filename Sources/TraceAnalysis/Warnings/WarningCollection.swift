import TaskEvents
import TraceStore

/// Puts findings together as they come: counts all, keeps some, leaves out what is suppressed.
struct WarningCollection {
    private struct Key: Hashable {
        var rule: Int
        var place: String
    }

    private struct LabelKey: Hashable {
        var rule: Int
        var label: EntryID
    }

    private let store: TraceStore
    private let rules: [any WarningRule]
    private let suppressions: [[NamePattern]]
    private let limit: Int
    private var groups: [(rule: Int, group: WarningGroup)] = []
    private var indices: [Key: Int] = [:]
    private var labels: [LabelKey: Int] = [:]
    private var suppressed = 0

    init(_ store: TraceStore, _ rules: [any WarningRule], _ suppressions: [WarningSuppression], limit: Int) {
        self.store = store
        self.rules = rules
        self.limit = max(limit, 1)
        self.suppressions = rules.map { rule in suppressions.filter { $0.isAbout(rule.id) }.map(\.name) }
    }

    mutating func add(_ finding: Finding, of rule: Int) {
        if isSuppressed(finding, suppressions[rule]) {
            suppressed += 1
            return
        }
        let index = group(of: finding, rule)
        groups[index].group.add(finding, limit: limit)
    }

    private func isSuppressed(_ finding: Finding, _ patterns: [NamePattern]) -> Bool {
        guard !patterns.isEmpty else { return false }
        let name: String
        if let task = finding.task {
            name = store.task(task)?.label.name ?? "task \(task.rawValue)"
        } else {
            name = finding.executor.map { store.description(of: $0).name } ?? ""
        }
        return patterns.contains { $0.matches(name) }
    }

    /// One kind is what one rule says of what was made at one place in the source.
    private mutating func group(of finding: Finding, _ rule: Int) -> Int {
        let label = finding.task.flatMap { store.task($0)?.labelID } ?? .none
        let labelKey = LabelKey(rule: rule, label: label)
        if label != .none, let index = labels[labelKey] { return index }
        let place = place(of: finding, label)
        let key = Key(rule: rule, place: place)
        if let index = indices[key] {
            if label != .none { labels[labelKey] = index }
            return index
        }
        groups.append((rule, WarningGroup(rule: rules[rule].id, severity: rules[rule].severity, place: place)))
        indices[key] = groups.count - 1
        if label != .none { labels[labelKey] = groups.count - 1 }
        return groups.count - 1
    }

    private func place(of finding: Finding, _ label: EntryID) -> String {
        if let label = store.entries.label(label), !label.site.isEmpty { return PrintableText.text(label.site) }
        guard let executor = finding.executor, executor != .none else { return "" }
        return PrintableText.text(store.description(of: executor).name)
    }

    /// The worst first, then by rule, then by when the first of its kind came about.
    func list(missedEvents: Int) -> WarningList {
        var sorted = groups
        for index in sorted.indices { sorted[index].group.sort() }
        sorted.sort { one, other in
            (one.group.severity.rawValue, UInt64(one.rule), one.group.first.at, one.group.place)
                < (other.group.severity.rawValue, UInt64(other.rule), other.group.first.at, other.group.place)
        }
        return WarningList(groups: sorted.map(\.group), rules: rules, suppressedCount: suppressed, missedEvents: missedEvents)
    }
}
