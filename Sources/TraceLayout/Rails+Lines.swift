/// A line of the graph: one task's row, or a fold.
package enum GraphLine: Hashable, Sendable {
    case task(RailsRow)
    /// The row has the lanes above the first folded row and below the last one, and the lane and ties of the first folded row.
    case folded(FoldedRows, RailsRow)

    package var row: RailsRow {
        switch self {
        case .task(let row), .folded(_, let row): row
        }
    }
}

/// The rows of one line.
package struct LineSpan: Hashable, Sendable {
    package var rows: Range<Int>
    package var fold: FoldedRows?
}

/// Moving from line to line. A line is identified by its first row.
extension FoldWalk {
    package mutating func line(at row: Int, of rails: inout Rails, in graph: some RailGraph) -> LineSpan {
        let fold = fold(at: row, of: &rails, in: graph)
        return LineSpan(rows: fold?.rows ?? row..<row + 1, fold: fold)
    }

    /// The line `lines` below the row's line, or above it if negative; at most the last or the first line.
    package mutating func line(from row: Int, by lines: Int, of rails: inout Rails, in graph: some RailGraph) -> LineSpan {
        var span = line(at: row, of: &rails, in: graph)
        for _ in 0..<abs(lines) {
            let next = lines < 0 ? span.rows.lowerBound - 1 : span.rows.upperBound
            guard (0..<rails.count).contains(next) else { break }
            span = line(at: next, of: &rails, in: graph)
        }
        return span
    }

    /// The same for tasks. For a fold, returns the next task beyond it, because a fold is always between two tasks.
    package mutating func taskRow(from row: Int, by lines: Int, of rails: inout Rails, in graph: some RailGraph) -> Int {
        let span = line(from: row, by: lines, of: &rails, in: graph)
        guard span.fold != nil else { return span.rows.lowerBound }
        return lines < 0 ? span.rows.lowerBound - 1 : span.rows.upperBound
    }

    package mutating func lines(from row: Int, count: Int, of rails: inout Rails, in graph: some RailGraph) -> [LineSpan] {
        var lines: [LineSpan] = []
        var next = row
        while lines.count < count, next < rails.count {
            lines.append(line(at: next, of: &rails, in: graph))
            next = lines[lines.count - 1].rows.upperBound
        }
        return lines
    }
}

extension Rails {
    /// The content of consecutive lines. The rails must be settled through the last of them.
    package func lines(_ spans: [LineSpan], in graph: some RailGraph) -> [GraphLine] {
        var lines: [GraphLine] = []
        var start = 0
        while start < spans.count {
            // The rows between two folds are adjacent, so they are one window.
            let end = spans[start...].firstIndex { $0.fold != nil } ?? spans.count
            let first = spans[start].rows.lowerBound
            if end > start { lines += window(first..<spans[end - 1].rows.upperBound, in: graph).map(GraphLine.task) }
            if end < spans.count, let fold = spans[end].fold, let row = row(of: fold, in: graph) { lines.append(.folded(fold, row)) }
            start = end + 1
        }
        return lines
    }

    private func row(of fold: FoldedRows, in graph: some RailGraph) -> RailsRow? {
        guard let first = window(fold.rows.lowerBound..<fold.rows.lowerBound + 1, in: graph).first,
            let last = window(fold.rows.upperBound - 1..<fold.rows.upperBound, in: graph).first
        else { return nil }
        var row = first
        row.below = last.below
        row.edges = []
        // The line is tied to each rail that is tied to one of the two rows and continues above or below the fold.
        let ties = first.ties + last.ties.filter { tie in !first.ties.contains { $0.lane == tie.lane } }
        row.ties = ties.filter { tie in
            let rails = [row.above, row.below].map { tie.lane < $0.count ? $0[tie.lane] : nil }
            return tie.lane != row.lane && rails.contains(tie.rail)
        }
        return row
    }
}
