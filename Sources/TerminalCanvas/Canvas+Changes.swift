/// Adjacent cells of one row that a driver must paint.
package struct Run: Hashable, Sendable {
    package let row: Int
    package let columns: Range<Int>
}

extension Canvas {
    /// The runs of cells in which this canvas differs from `previous`, top down and left to right; every row if the sizes differ.
    ///
    /// A run neither begins nor ends inside a wide character of either canvas. `cells(of:)` returns a run's cells.
    package func changes(from previous: Canvas) -> [Run] {
        guard size == previous.size else {
            return size.columns == 0 ? [] : (0..<size.rows).map { Run(row: $0, columns: 0..<size.columns) }
        }
        var runs: [Run] = []
        for row in 0..<size.rows {
            var column = firstDifference(from: previous, row: row, after: 0)
            while column < size.columns {
                let start = self[column, row].isContinuation ? column - 1 : column
                repeat {
                    column += 1
                } while column < size.columns && belongs(column, row, previous)
                runs.append(Run(row: row, columns: start..<column))
                column = firstDifference(from: previous, row: row, after: column)
            }
        }
        return runs
    }

    /// The cells of a run that this canvas's `changes(from:)` returned.
    package func cells(of run: Run) -> ArraySlice<Cell> {
        cells[index(run.columns.lowerBound, run.row)..<index(run.columns.upperBound, run.row)]
    }

    private subscript(column: Int, row: Int) -> Cell { cells[index(column, row)] }

    /// Whether a run up to this column includes it: its cell differs, or is the right half of a wide character.
    private func belongs(_ column: Int, _ row: Int, _ previous: Canvas) -> Bool {
        let index = index(column, row)
        return differs(at: index, from: previous) || cells[index].isContinuation
    }

    private func firstDifference(from previous: Canvas, row: Int, after column: Int) -> Int {
        var column = column
        while column < size.columns, !differs(at: index(column, row), from: previous) { column += 1 }
        return column
    }

    private func differs(at index: Int, from previous: Canvas) -> Bool {
        let new = cells[index]
        let old = previous.cells[index]
        if new.style != old.style { return true }
        guard let newCluster = new.content.cluster, let oldCluster = old.content.cluster else { return new.content != old.content }
        return clusters[newCluster] != previous.clusters[oldCluster]
    }
}
