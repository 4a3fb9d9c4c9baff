/// A canvas as text, as text with a terminal's colours, and as a picture: the same bytes from the same canvas.
package struct CanvasRendering {
    /// Cells of one row that look the same.
    struct Run {
        var columns: Range<Int>
        var text: String
        var look: Look
    }

    /// A style's looks: colours by number, nil where it has none of its own.
    struct Look: Equatable {
        var foreground: UInt8?
        var background: UInt8?
        var isBold = false
        var isDim = false
        var isUnderlined = false
        var isReversed = false
    }

    let canvas: Canvas
    let palette: RenderingPalette

    package init(_ canvas: Canvas, palette: RenderingPalette = RenderingPalette(.dark)) {
        self.canvas = canvas
        self.palette = palette
    }

    /// The rows as lines, without the blanks at their ends.
    package func writeText(to output: inout some TextOutputStream) {
        for line in canvas.lines() {
            output.write(line)
            output.write("\n")
        }
    }

    func look(of style: Style) -> Look {
        let colours = palette[style.role]
        let isSelected = style.emphasis.contains(.selected)
        return Look(
            foreground: isSelected ? colours.selected : colours.foreground,
            background: colours.background ?? (isSelected ? palette.selectionBackground : nil),
            isBold: colours.isBold || style.emphasis.contains(.bold), isDim: style.emphasis.contains(.dim),
            isUnderlined: style.emphasis.contains(.underline), isReversed: style.emphasis.contains(.reversed))
    }

    /// The runs of a row. Where `belong` says that two neighbouring characters are not one piece, a new one begins.
    func runs(ofRow row: Int, where belong: (String, String) -> Bool = { _, _ in true }) -> [Run] {
        var runs: [Run] = []
        var previous = ""
        for column in 0..<canvas.size.columns {
            let cell = canvas[Point(column: column, row: row)]
            if cell.isContinuation {
                if let last = runs.indices.last { runs[last].columns = runs[last].columns.lowerBound..<column + 1 }
                continue
            }
            let character = String(canvas.scalars(of: cell))
            let look = look(of: cell.style)
            if let last = runs.indices.last, runs[last].look == look, belong(previous, character) {
                runs[last].columns = runs[last].columns.lowerBound..<column + 1
                runs[last].text += character
            } else {
                runs.append(Run(columns: column..<column + 1, text: character, look: look))
            }
            previous = character
        }
        return runs
    }
}

extension CanvasRendering.Look {
    /// Whether a blank in it is seen.
    var showsBlanks: Bool { background != nil || isUnderlined || isReversed }
}
