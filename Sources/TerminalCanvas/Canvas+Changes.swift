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

    /// Adds emphasis to the cells of a rectangle that show another character or role than `previous` did.
    ///
    /// A row that stood up to two rows higher or lower is compared with itself. Where more than two fifths of the text differ, the picture
    /// has moved as a whole, and no cell is marked.
    package mutating func highlight(changesFrom previous: Canvas, in rect: Rect, _ emphasis: Emphasis) {
        guard size == previous.size else { return }
        var (changed, textCount): ([Int], Int) = ([], 0)
        for row in rect.top..<rect.bottom {
            let text = (index(rect.left, row)..<index(rect.right, row)).filter { cells[$0].content != .space }
            textCount += text.count
            var least = changes(of: text, from: previous, rowsAbove: 0)
            for rows in [1, -1, 2, -2] where !least.isEmpty && (rect.top..<rect.bottom).contains(row - rows) {
                let changes = changes(of: text, from: previous, rowsAbove: rows)
                if changes.count < least.count { least = changes }
            }
            changed += least
        }
        guard changed.count * 5 <= textCount * 2 else { return }
        for index in changed { cells[index].style.emphasis.formUnion(emphasis) }
    }

    /// Those cells among `text` that differ from the previous ones so many rows above them.
    private func changes(of text: [Int], from previous: Canvas, rowsAbove rows: Int) -> [Int] {
        let distance = rows * size.columns
        return text.filter { index in
            cells[index].style.role != previous.cells[index - distance].style.role
                || hasOtherText(at: index, than: previous, at: index - distance)
        }
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
        return new.style != old.style || hasOtherText(at: index, than: previous, at: index)
    }

    private func hasOtherText(at index: Int, than previous: Canvas, at other: Int) -> Bool {
        let new = cells[index]
        let old = previous.cells[other]
        guard let newCluster = new.content.cluster, let oldCluster = old.content.cluster else { return new.content != old.content }
        return clusters[newCluster] != previous.clusters[oldCluster]
    }
}
