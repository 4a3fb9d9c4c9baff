import TaskEvents

/// A line of the graph: a task's row, or the one that stands for many.
package enum GraphLine: Hashable, Sendable {
    case task(RailsRow)
    /// The row has the lanes above the first and below the last of those that are folded, and the lane and the ties of the first.
    case folded(FoldedRows, RailsRow)

    package var row: RailsRow {
        switch self {
        case .task(let row), .folded(_, let row): row
        }
    }
}

/// The rows of a line that is to be drawn.
package struct LineSpan: Hashable, Sendable {
    package var rows: Range<Int>
    package var fold: FoldedRows?
}

/// Steps from line to line. A line is known by its first row.
extension FoldWalk {
    /// The line that a row is in.
    package mutating func line(at row: Int, of rails: inout Rails, in graph: some RailGraph) -> LineSpan {
        let fold = fold(at: row, of: &rails, in: graph)
        return LineSpan(rows: fold?.rows ?? row..<row + 1, fold: fold)
    }

    /// The line so many lines below another, or above it, as far as there are lines.
    package mutating func line(
        from row: Int, by lines: Int, of rails: inout Rails, in graph: some RailGraph
    ) -> LineSpan {
        var span = line(at: row, of: &rails, in: graph)
        for _ in 0..<abs(lines) {
            let next = lines < 0 ? span.rows.lowerBound - 1 : span.rows.upperBound
            guard (0..<rails.count).contains(next) else { break }
            span = line(at: next, of: &rails, in: graph)
        }
        return span
    }

    /// The same, but a task's: past a fold, the nearest beyond it. A fold is always between two tasks.
    package mutating func taskRow(from row: Int, by lines: Int, of rails: inout Rails, in graph: some RailGraph) -> Int {
        let span = line(from: row, by: lines, of: &rails, in: graph)
        guard span.fold != nil else { return span.rows.lowerBound }
        return lines < 0 ? span.rows.lowerBound - 1 : span.rows.upperBound
    }

    /// So many lines from a row's on.
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
    /// What is to be drawn of lines that follow one another. The rails must be settled through the last.
    package func lines(_ spans: [LineSpan], in graph: some RailGraph) -> [GraphLine] {
        var lines: [GraphLine] = []
        var start = 0
        while start < spans.count {
            // From one fold to the next the rows lie together; those of the folds' ends are drawn with them.
            let end = spans[start...].firstIndex { $0.fold != nil } ?? spans.count
            let first = spans[start].rows.lowerBound
            if end > start { lines += window(first..<spans[end - 1].rows.upperBound, in: graph).map(GraphLine.task) }
            if end < spans.count, let fold = spans[end].fold, let row = row(of: fold, in: graph) { lines.append(.folded(fold, row)) }
            start = end + 1
        }
        return lines
    }

    /// The lanes that lines take, as far as they can be seen.
    package func width(near spans: [LineSpan]) -> Int {
        spans.reduce(1) { width, span in
            let ends = [span.rows.lowerBound, span.rows.upperBound - 1]
            return ends.reduce(width) { max($0, self.width(near: $1..<$1 + 1)) }
        }
    }

    private func row(of fold: FoldedRows, in graph: some RailGraph) -> RailsRow? {
        guard let first = window(fold.rows.lowerBound..<fold.rows.lowerBound + 1, in: graph).first,
            let last = window(fold.rows.upperBound - 1..<fold.rows.upperBound, in: graph).first
        else { return nil }
        var row = first
        row.below = last.below
        row.edges = []
        // A rail that is tied to one of the rows and goes on past them: the line joins it for all.
        let ties = first.ties + last.ties.filter { tie in !first.ties.contains { $0.lane == tie.lane } }
        row.ties = ties.filter { tie in
            let rails = [row.above, row.below].map { tie.lane < $0.count ? $0[tie.lane] : nil }
            return tie.lane != row.lane && rails.contains(tie.rail)
        }
        return row
    }
}
