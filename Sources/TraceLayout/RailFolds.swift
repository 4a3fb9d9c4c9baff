import TaskEvents

/// The user's choice of folds. A long run of siblings that all succeeded takes one line unless the user unfolds it.
package struct RailFolds: Equatable {
    /// The number of rows at the beginning of a run that are never folded.
    static var head: Int { 2 }
    /// The smallest number of rows that are folded.
    static var leastCount: Int { 5 }

    /// Whether no run is folded.
    package var areUnfolded = false
    /// The siblings whose runs are not folded.
    package var unfolded: Set<Rail> = []
    /// Tasks that are never folded.
    package var kept: Set<TaskID> = []

    package init() {}
}

/// The rows that one line replaces.
package struct FoldedRows: Hashable, Sendable {
    package var rows: Range<Int>
    package var siblings: Rail
}

/// Steps from line to line and skips folded rows. Caches the last run, because consecutive questions are about the same run.
///
/// Rows must be numbered, and must not change during the walk.
package struct FoldWalk {
    /// A run of siblings that all succeeded, and its folded parts.
    private struct Stretch {
        var rows: Range<Int>
        var folded: [FoldedRows]
    }

    let folds: RailFolds
    /// The number of runs that this walk may still examine for the first time. A million new siblings are thus examined over several
    /// frames.
    private var unseenLimit = 96
    /// Whether another walk would find more folds.
    package var isExhausted: Bool { unseenLimit == 0 }
    private var known: Stretch?
    private let keptRuns: Set<Int>

    package init(_ folds: RailFolds, in rails: Rails) {
        self.folds = folds
        keptRuns = Set(folds.kept.compactMap { rails.order.ordinal(of: $0) })
    }

    /// The folded rows that include `row`; nil if the row has a line of its own.
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
        // A fold covers whole siblings: it begins after the first two rows and ends at the last sibling.
        func isFirst(_ row: Int) -> Bool { rails.sibling(rails.order.task(atRow: row), in: graph)?.isFirst == true }
        let inner = rows.lowerBound + RailFolds.head..<rows.upperBound
        guard let first = inner.first(where: isFirst), let last = inner.last(where: isFirst), last - first >= RailFolds.leastCount else {
            return Stretch(rows: rows, folded: [])
        }
        return Stretch(rows: rows, folded: parts(of: first..<last, rail, rails))
    }

    /// The first or the last row of the succeeded siblings around `row`.
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

    /// The range without the kept rows.
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
    /// Whether all tasks of a run are siblings on `rail` and have succeeded. Cached until the run changes: an ended task stays ended.
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
