import TaskEvents
import TraceStore

/// The findings so far: all of them counted, some of each kind kept. Adding one costs a look-up, whatever there is already.
struct WarningBook {
    /// What one rule says of the tasks with one label; of what has no label, of one executor.
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

    /// Of so many of one kind the findings are kept; all of them are counted.
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
