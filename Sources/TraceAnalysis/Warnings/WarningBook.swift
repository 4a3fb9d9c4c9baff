import TaskEvents

/// The findings so far. Counts all of them and keeps the first of each kind. Adding one costs one look-up, whatever their number.
struct WarningBook {
    /// The findings of one rule for tasks with one label. Without a label, for one executor.
    struct Kind: Hashable {
        var rule: String
        var label: EntryID
        var site: EntryID
        var executor: ExecutorID

        init(_ finding: Finding) {
            rule = finding.rule
            label = finding.label
            site = finding.site
            executor = finding.label == .none ? finding.executor : .none
        }
    }

    struct Entry {
        var count = 0
        var greatest: UInt64 = 0
        /// The first findings of the kind.
        var findings: [Finding] = []
        /// The finding that was added last.
        var newest: Finding

        init(_ finding: Finding) {
            newest = finding
        }

        mutating func add(_ finding: Finding, limit: Int) {
            count += 1
            greatest = max(greatest, finding.measure)
            if findings.count < limit { findings.append(finding) }
            newest = finding
        }
    }

    private(set) var entries: [Kind: Entry] = [:]
    let limit: Int

    /// Keeps at most `limit` findings per kind, and counts all of them.
    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    mutating func add(_ finding: Finding) {
        entries[Kind(finding), default: Entry(finding)].add(finding, limit: limit)
    }

    mutating func remove(rule: String) {
        entries = entries.filter { $0.key.rule != rule }
    }
}
