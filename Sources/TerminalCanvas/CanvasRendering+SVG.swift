import TextOutput

/// The canvas as a picture: a grid of monospaced characters on the theme's background.
///
/// Fonts differ in width, so each character of a run carries its x coordinate. A wide character, or one that a font may lack, is a run of
/// its own with a length. So columns line up in every viewer. Lengths are whole tenths of a pixel, so that every machine writes the
/// same bytes.
extension CanvasRendering {
    private static var cellWidth: Int { 84 }
    private static var cellHeight: Int { 170 }
    /// The distance from a row's top to its text's baseline.
    private static var baseline: Int { 130 }
    private static var margin: Int { 120 }
    private static var fonts: String {
        "ui-monospace, 'SF Mono', 'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
    }

    /// `title` is the picture's accessible name.
    package func writeSVG(to output: inout some TextOutputStream, title: String) {
        let width = canvas.size.columns * Self.cellWidth + 2 * Self.margin
        let height = canvas.size.rows * Self.cellHeight + 2 * Self.margin
        output.write("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(pixels(width))\" height=\"\(pixels(height))\" ")
        output.write("viewBox=\"0 0 \(pixels(width)) \(pixels(height))\" role=\"img\" font-family=\"\(Self.fonts)\" font-size=\"14\" ")
        // Smoothed edges would let the ground below a block shine through.
        output.write("fill=\"\(hex(palette.defaultForeground))\" shape-rendering=\"crispEdges\">\n")
        output.write("<title>\(XMLText.text(title.printable))</title>\n")
        let ground = hex(palette.defaultBackground)
        output.write("<rect width=\"100%\" height=\"100%\" rx=\"8\" shape-rendering=\"auto\" fill=\"\(ground)\"/>\n")
        for row in 0..<canvas.size.rows {
            writeBackgrounds(ofRow: row, to: &output)
            for run in runs(ofRow: row, where: { isPiece($0, $1) }) {
                if run.text.unicodeScalars.allSatisfy({ BlockShape($0) != nil }) {
                    writeBlocks(of: run, row: row, to: &output)
                } else {
                    write(run, row: row, to: &output)
                }
            }
        }
        output.write("</svg>\n")
    }

    // MARK: Pieces

    /// Whether two adjacent characters can share an element: both ASCII, both line characters, which every monospaced font has in its own
    /// width, or both blocks, which are drawn.
    private func isPiece(_ previous: String, _ next: String) -> Bool {
        guard let one = kind(of: previous), let other = kind(of: next) else { return false }
        return one == other
    }

    private enum Kind {
        case ascii, drawing, block
    }

    private func kind(of character: String) -> Kind? {
        let scalars = character.unicodeScalars
        guard let scalar = scalars.first, scalars.count == 1 else { return nil }
        return switch scalar.value {
        case ..<0x7F: .ascii
        case _ where BlockShape(scalar) != nil: .block
        case 0x2500...0x259F: .drawing
        case _: nil
        }
    }

    private func writeBackgrounds(ofRow row: Int, to output: inout some TextOutputStream) {
        var painted: (columns: Range<Int>, colour: UInt32)?
        for run in runs(ofRow: row) {
            let colour = colours(of: run.look).background
            if let last = painted, last.colour == colour, last.columns.upperBound == run.columns.lowerBound {
                painted = (last.columns.lowerBound..<run.columns.upperBound, last.colour)
                continue
            }
            if let painted { writeBackground(painted.columns, painted.colour, row: row, to: &output) }
            painted = colour.map { (run.columns, $0) }
        }
        if let painted { writeBackground(painted.columns, painted.colour, row: row, to: &output) }
    }

    private func writeBackground(_ columns: Range<Int>, _ colour: UInt32, row: Int, to output: inout some TextOutputStream) {
        output.write("<rect x=\"\(x(columns.lowerBound))\" y=\"\(pixels(Self.margin + row * Self.cellHeight))\" ")
        output.write(
            "width=\"\(pixels(columns.count * Self.cellWidth))\" height=\"\(pixels(Self.cellHeight))\" fill=\"\(hex(colour))\"/>\n")
    }

    /// Draws blocks as rectangles, because those of fonts seldom fill the cell. Adjacent equal blocks are one rectangle.
    private func writeBlocks(of run: Run, row: Int, to output: inout some TextOutputStream) {
        let shapes = run.text.unicodeScalars.compactMap(BlockShape.init)
        let fill = hex(colours(of: run.look).foreground ?? palette.defaultForeground)
        let opacity = run.look.isDim ? " fill-opacity=\"0.6\"" : ""
        var first = 0
        while first < shapes.count {
            let shape = shapes[first]
            let end = shape.columns == 8 ? shapes[first...].firstIndex { $0 != shape } ?? shapes.count : first + 1
            let width = shape.columns == 8 ? (end - first) * Self.cellWidth : Self.cellWidth * shape.columns / 8
            let height = Self.cellHeight * shape.rows / 8
            let top = Self.margin + row * Self.cellHeight + Self.cellHeight - height
            output.write("<rect x=\"\(x(run.columns.lowerBound + first))\" y=\"\(pixels(top))\" width=\"\(pixels(width))\" ")
            output.write("height=\"\(pixels(height))\" fill=\"\(fill)\"\(opacity)/>\n")
            first = end
        }
    }

    /// Writes a run's text without the blanks around it, unless an underline makes them visible.
    private func write(_ run: Run, row: Int, to output: inout some TextOutputStream) {
        var (text, columns) = (run.text[...], run.columns)
        if !run.look.isUnderlined {
            while text.first == " " {
                text.removeFirst()
                columns = columns.lowerBound + 1..<columns.upperBound
            }
            while text.last == " " {
                text.removeLast()
                columns = columns.lowerBound..<columns.upperBound - 1
            }
        }
        guard !text.isEmpty else { return }
        let y = pixels(Self.margin + row * Self.cellHeight + Self.baseline)
        output.write("<text \(placement(of: text, in: columns)) y=\"\(y)\" xml:space=\"preserve\"")
        if let foreground = colours(of: run.look).foreground { output.write(" fill=\"\(hex(foreground))\"") }
        if run.look.isBold { output.write(" font-weight=\"bold\"") }
        if run.look.isDim { output.write(" fill-opacity=\"0.6\"") }
        if run.look.isUnderlined { output.write(" text-decoration=\"underline\"") }
        output.write(">\(XMLText.text(String(text)))</text>\n")
    }

    // MARK: Colours, lengths, text

    /// Nil for the picture's default colours.
    private func colours(of look: Look) -> (foreground: UInt32?, background: UInt32?) {
        let foreground = look.foreground.map(RenderingPalette.rgb)
        let background = look.background.map(RenderingPalette.rgb)
        guard look.isReversed else { return (foreground, background) }
        return (background ?? palette.defaultBackground, foreground ?? palette.defaultForeground)
    }

    private func x(_ column: Int) -> String {
        pixels(Self.margin + column * Self.cellWidth)
    }

    /// The attributes for each character's x coordinate; for a single character also its length.
    private func placement(of text: Substring, in columns: Range<Int>) -> String {
        if kind(of: String(text.prefix(1))) != nil { return "x=\"\(columns.map { x($0) }.joined(separator: " "))\"" }
        let length = pixels(columns.count * Self.cellWidth)
        return "x=\"\(x(columns.lowerBound))\" textLength=\"\(length)\" lengthAdjust=\"spacingAndGlyphs\""
    }

    private func pixels(_ tenths: Int) -> String {
        tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    private func hex(_ colour: UInt32) -> String {
        "#" + String(UInt64(colour), digits: 6, radix: 16)
    }
}

/// A block character: eighths of its cell from the left and from the bottom.
private struct BlockShape: Equatable {
    var columns = 8
    var rows = 8

    init?(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x2581...0x2588: rows = Int(scalar.value) - 0x2580
        case 0x2589...0x258F: columns = 0x2590 - Int(scalar.value)
        case _: return nil
        }
    }
}
