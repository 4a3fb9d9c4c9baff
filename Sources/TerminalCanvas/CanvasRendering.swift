/// Renders a canvas as text, as ANSI text or as SVG. The same canvas always gives the same bytes.
package struct CanvasRendering {
    /// Adjacent cells of one row with the same look.
    struct Run {
        var columns: Range<Int>
        var text: String
        var look: Look
    }

    /// A style's colours by number (nil for the default) and attributes.
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

    /// Writes the rows as lines without trailing blanks.
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
            isBold: colours.isBold || !style.emphasis.isDisjoint(with: [.bold, .changed]), isDim: style.emphasis.contains(.dim),
            isUnderlined: !style.emphasis.isDisjoint(with: [.underline, .changed]), isReversed: style.emphasis.contains(.reversed))
    }

    /// The runs of a row. A run also ends between two characters for which `belong` is false.
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
    /// Whether this look is visible on a blank.
    var showsBlanks: Bool { background != nil || isUnderlined || isReversed }
}

extension CanvasRendering {
    /// Writes the rows as lines with sequences for 256 colours. Each line ends by resetting all attributes, so that lines can be used
    /// separately. The palette's ground is painted in all columns. Without one, trailing blanks are kept only if their style shows.
    package func writeANSI(to output: inout some TextOutputStream) {
        for row in 0..<canvas.size.rows {
            var runs = runs(ofRow: row)
            if palette.ground == nil, let last = runs.indices.last, !runs[last].look.showsBlanks {
                while runs[last].text.last == " " { runs[last].text.removeLast() }
            }
            var current = Look()
            for run in runs where !run.text.isEmpty {
                if run.look != current || palette.ground != nil { output.write(sequence(for: run.look)) }
                current = run.look
                output.write(run.text)
            }
            output.write(current == Look() && palette.ground == nil ? "\n" : "\u{1B}[0m\n")
        }
    }

    private func sequence(for look: Look) -> String {
        var codes = "0"
        if look.isBold { codes += ";1" }
        if look.isDim { codes += ";2" }
        if look.isUnderlined { codes += ";4" }
        if look.isReversed { codes += ";7" }
        if let foreground = look.foreground ?? palette.ground?.foreground { codes += ";38;5;\(foreground)" }
        if let background = look.background ?? palette.ground?.background { codes += ";48;5;\(background)" }
        return "\u{1B}[\(codes)m"
    }
}
