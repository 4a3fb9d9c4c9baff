import TaskEvents

/// What a user has chosen to see of long runs of siblings that all succeeded: such a run is one line, unless it is unfolded.
package struct RailFolds: Equatable {
    /// Rows of a run that stay at its beginning.
    static var head: Int { 2 }
    /// Fewer rows than these are not worth a line of their own.
    static var leastCount: Int { 5 }

    /// No run is folded.
    package var areUnfolded = false
    /// Runs of these siblings are not folded.
    package var unfolded: Set<Rail> = []
    /// Tasks that stay in sight.
    package var kept: Set<TaskID> = []

    package init() {}
}

/// Rows that one line stands for.
package struct FoldedRows: Hashable, Sendable {
    package var rows: Range<Int>
    package var siblings: Rail

    package init(rows: Range<Int>, siblings: Rail) {
        self.rows = rows
        self.siblings = siblings
    }
}

/// Walks from line to line past rows that are folded, and knows the last run that it met: it is asked about the same one again and again.
///
/// Rows must be numbered, and stay as they are while it walks.
package struct FoldWalk {
    /// Rows of siblings that all succeeded, and the parts of them that are folded.
    private struct Stretch {
        var rows: Range<Int>
        var folded: [FoldedRows]
    }

    let folds: RailFolds
    /// Runs that may be looked through for the first time, so that the first look at a million siblings takes a few frames and none of them
    /// long.
    private var unseenLimit = 96
    /// Whether another walk would see further.
    package var isExhausted: Bool { unseenLimit == 0 }
    private var known: Stretch?
    private let keptRuns: Set<Int>

    package init(_ folds: RailFolds, in rails: Rails) {
        self.folds = folds
        keptRuns = Set(folds.kept.compactMap { rails.order.ordinal(of: $0) })
    }

    /// The rows that a row is folded with; nil for one that has its own line.
    mutating func fold(at row: Int, of rails: inout Rails, in graph: some RailGraph) -> FoldedRows? {
        guard !folds.areUnfolded, (0..<rails.count).contains(row) else { return nil }
        if known?.rows.contains(row) != true { known = stretch(at: row, of: &rails, in: graph) }
        return known?.folded.first { $0.rows.contains(row) }
    }

    private mutating func stretch(at row: Int, of rails: inout Rails, in graph: some RailGraph) -> Stretch? {
        let task = rails.order.task(atRow: row)
        guard graph.hasSucceeded(task), let rail = rails.sibling(task, in: graph)?.rail, !folds.unfolded.contains(rail) else { return nil }
        let rows = extend(row, rail, upwards: true, of: &rails, in: graph)..<extend(row, rail, upwards: false, of: &rails, in: graph) + 1
        guard rows.count > RailFolds.head + RailFolds.leastCount else { return Stretch(rows: rows, folded: []) }
        // Whole siblings: after the first two rows, up to the last sibling.
        func isFirst(_ row: Int) -> Bool { rails.sibling(rails.order.task(atRow: row), in: graph)?.isFirst == true }
        let inner = rows.lowerBound + RailFolds.head..<rows.upperBound
        guard let first = inner.first(where: isFirst), let last = inner.last(where: isFirst), last - first >= RailFolds.leastCount else {
            return Stretch(rows: rows, folded: [])
        }
        return Stretch(rows: rows, folded: parts(of: first..<last, rail, rails))
    }

    /// The first or last row of those around one that are of the same siblings and have all succeeded.
    private mutating func extend(_ row: Int, _ rail: Rail, upwards: Bool, of rails: inout Rails, in graph: some RailGraph) -> Int {
        var end = row
        var ordinal = rails.order.run(ofRow: row)
        var index = row - rails.order.firstRow(ofRun: ordinal)
        while true {
            index += upwards ? -1 : 1
            if !rails.order[ordinal].tasks.indices.contains(index) {
                ordinal += upwards ? -1 : 1
                guard (0..<rails.order.runCount).contains(ordinal) else { return end }
                let count = rails.order[ordinal].tasks.count
                if rails.isAllSucceeded(run: ordinal, rail, unseenLimit: &unseenLimit, in: graph) {
                    end += upwards ? -count : count
                    index = upwards ? 0 : count - 1
                    continue
                }
                guard unseenLimit > 0 else { return end }
                index = upwards ? count - 1 : 0
            }
            let task = rails.order[ordinal].tasks[index]
            guard graph.hasSucceeded(task), rails.sibling(task, in: graph)?.rail == rail else { return end }
            end += upwards ? -1 : 1
        }
    }

    /// A range without the rows that are kept.
    private func parts(of range: Range<Int>, _ rail: Rail, _ rails: Rails) -> [FoldedRows] {
        guard !keptRuns.isEmpty else { return [FoldedRows(rows: range, siblings: rail)] }
        let kept = folds.kept.compactMap { rails.order.row(of: $0) }.filter(range.contains).sorted()
        var parts: [FoldedRows] = []
        var start = range.lowerBound
        for row in kept + [range.upperBound] {
            if row > start { parts.append(FoldedRows(rows: start..<row, siblings: rail)) }
            start = row + 1
        }
        return parts
    }
}

extension Rails {
    /// Whether a run of rows is all of one sort of siblings, and all have succeeded. That it is so is remembered: tasks that have ended stay so,
    /// and a run that changes forgets it.
    fileprivate mutating func isAllSucceeded(run ordinal: Int, _ rail: Rail, unseenLimit: inout Int, in graph: some RailGraph) -> Bool {
        if let known = order[ordinal].succeeded { return known == rail }
        let tasks = order[ordinal].tasks
        guard unseenLimit > 0, let last = tasks.last, graph.hasSucceeded(last) else { return false }
        unseenLimit -= 1
        guard tasks.allSatisfy({ graph.hasSucceeded($0) && sibling($0, in: graph)?.rail == rail }) else { return false }
        order[ordinal].succeeded = rail
        return true
    }
}
