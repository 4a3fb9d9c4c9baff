import TaskEvents
import TraceStore

/// The findings so far. All are counted, the first of each kind are kept. Adding one costs a look-up, however many there are.
struct WarningBook {
    /// The findings of one rule about tasks with one label; without a label, about one executor.
    struct Kind: Hashable {
        var rule: String
        var label: EntryID
        var executor: ExecutorID

        init(_ finding: Finding) {
            rule = finding.rule
            label = finding.label
            executor = finding.label == .none ? finding.executor : .none
        }
    }

    struct Entry {
        var count = 0
        var greatest: UInt64 = 0
        /// The first of them.
        var findings: [Finding] = []
        /// The last that was added.
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

    /// Keeps at most `limit` findings of one kind, and counts all of them.
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
