import CCurses
import TerminalCanvas

extension CursesTerminal {
    /// Paints the cells that differ from the canvas shown; curses then sends one update to the terminal.
    package func draw(_ canvas: Canvas) {
        guard isOpen, !isSuspended else { return }
        for run in canvas.changes(from: shown ?? Canvas(size: Size(columns: 0, rows: 0))) where run.row < size.rows {
            paint(run, of: canvas)
        }
        shown = canvas
        curses_screen_flush()
    }

    /// Paints every cell of the last drawn canvas.
    func repaint() {
        curses_screen_invalidate()
        guard let canvas = shown else { return }
        shown = nil
        draw(canvas)
    }

    private func paint(_ run: Run, of canvas: Canvas) {
        line.removeAll(keepingCapacity: true)
        var right = run.columns.lowerBound
        for cell in canvas.cells(of: run) where !cell.isContinuation {
            let width = cell.isWide(in: run, of: canvas, at: right) ? 2 : 1
            guard right + width <= size.columns else { break }
            append(cell, width: width, of: canvas)
            right += width
        }
        curses_screen_put(Int32(run.row), Int32(run.columns.lowerBound), line, Int32(line.count))
    }

    private func append(_ cell: Cell, width: Int, of canvas: Canvas) {
        let look = palette[cell.style]
        if let scalar = canvas.scalar(of: cell) {
            if scalar.isASCII || curses_scalar_width(scalar.value) == width {
                line.append(curses_cell(scalar, look))
            } else {
                append(CollectionOfOne(scalar), width: width, look)
            }
        } else {
            append(canvas.scalars(of: cell), width: width, look)
        }
    }

    /// Shows a character in exactly `width` columns, using only the scalars that fit by the C library's widths.
    ///
    /// Curses uses the C library's widths, which can be older than this package's, and a curses cell holds one wide scalar. So a joined
    /// emoji shows its first scalar, a flag shows its two letters, which terminals join, and an unknown scalar shows one `?` per column.
    private func append(_ scalars: some Collection<Unicode.Scalar>, width: Int, _ look: Look) {
        let start = line.count
        var columns = 0
        var combined = 0
        for scalar in scalars {
            let advance = Int(curses_scalar_width(scalar.value))
            if advance > 0 {
                guard columns + advance <= width else { break }
                line.append(curses_cell(scalar, look))
                columns += advance
                combined = 0
            } else if advance == 0, columns > 0, !scalar.isInvisibleJoiner, combined + 1 < CURSES_CELL_SCALARS {
                combined += 1
                line[line.count - 1].put(scalar, at: combined)
            }
        }
        let isShown = line.count > start
        while columns < width {
            line.append(curses_cell(isShown ? " " : "?", look))
            columns += 1
        }
    }
}

extension Cell {
    /// Whether the cell at `column` of the run has its right half in the next column.
    fileprivate func isWide(in run: Run, of canvas: Canvas, at column: Int) -> Bool {
        column + 1 < run.columns.upperBound && canvas[Point(column: column + 1, row: run.row)].isContinuation
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a joiner or a variation selector. These can change a picture's width after the layout has counted its columns.
    fileprivate var isInvisibleJoiner: Bool {
        value == 0x200C || value == 0x200D || (0xFE00...0xFE0F).contains(value)
    }
}

extension curses_cell {
    fileprivate init(_ scalar: Unicode.Scalar, _ look: Look) {
        self.init(scalars: (scalar.value, 0, 0, 0, 0), attributes: look.attributes, pair: look.pair)
    }

    fileprivate mutating func put(_ scalar: Unicode.Scalar, at index: Int) {
        withUnsafeMutableBytes(of: &scalars) { $0.storeBytes(of: scalar.value, toByteOffset: index * 4, as: UInt32.self) }
    }
}
