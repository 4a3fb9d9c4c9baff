/// The alignment of a text in its field.
package enum Alignment: Sendable {
    case left, center, right
}

/// Writing text and numbers.
///
/// The field is `limit` columns wide from `point` on; by default it reaches the clip's right edge. Longer text is cut, and the field's
/// last column shows an ellipsis. Every form returns the number of columns written.
extension Canvas {
    @discardableResult
    package mutating func write(
        _ text: String, at point: Point, style: Style = .text, limit: Int? = nil, align: Alignment = .left
    ) -> Int {
        write(characters: text, at: point, style: style, limit: limit, align: align)
    }

    @discardableResult
    package mutating func write(
        _ text: Substring, at point: Point, style: Style = .text, limit: Int? = nil, align: Alignment = .left
    ) -> Int {
        write(characters: text, at: point, style: style, limit: limit, align: align)
    }

    /// Writes a whole number without allocating; `1204` grouped is `1,204`.
    @discardableResult
    package mutating func write(
        number: Int, grouped: Bool = false, at point: Point, style: Style = .text, limit: Int? = nil, align: Alignment = .left
    ) -> Int {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digits in
            var start = digits.count
            func prepend(_ byte: UInt8) {
                start -= 1
                digits.initializeElement(at: start, to: byte)
            }
            var rest = number.magnitude
            var digit = 0
            repeat {
                if grouped, digit > 0, digit % 3 == 0 { prepend(UInt8(ascii: ",")) }
                prepend(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
                digit += 1
            } while rest > 0
            if number < 0 { prepend(UInt8(ascii: "-")) }
            let written = UnsafeBufferPointer(rebasing: digits[start...])
            return write(plain: written, at: point, style: style, limit: limit, align: align)
        }
    }
}

extension Canvas {
    private mutating func write<Text: StringProtocol>(
        characters text: Text, at point: Point, style: Style, limit: Int?, align: Alignment
    ) -> Int {
        let plain = text.utf8.withContiguousStorageIfAvailable { bytes in
            Self.isPlain(bytes) ? write(plain: bytes, at: point, style: style, limit: limit, align: align) : nil
        }
        if let plain, let written = plain { return written }

        let field = limit ?? clip.right - point.column
        guard field > 0 else { return 0 }
        let start = align == .left ? point.column : point.column + align.gap(CharacterWidth.of(text), in: field)
        let end = point.column + field
        var (column, style) = (start, style)
        let emphasis = style.emphasis
        for character in text {
            if character == .boldBegins { style.emphasis.insert(.bold) } else if character == .boldEnds { style.emphasis = emphasis }
            let width = CharacterWidth.onCanvas(character)
            if column + width > end {
                place(CellContent(glyphs[.ellipsis]), width: 1, column: end - 1, row: point.row, style: style)
                return end - start
            }
            if width > 0 { place(content(of: character), width: width, column: column, row: point.row, style: style) }
            column += width
        }
        return column - start
    }

    /// Writes printable ASCII, in which each byte takes one column.
    private mutating func write(
        plain bytes: UnsafeBufferPointer<UInt8>, at point: Point, style: Style, limit: Int?, align: Alignment
    ) -> Int {
        let field = limit ?? clip.right - point.column
        guard field > 0 else { return 0 }
        let shown = min(bytes.count, field)
        let start = point.column + align.gap(shown, in: field)
        let visible = (start..<start + shown).clamped(to: clip.left..<max(clip.left, clip.right))
        if point.row >= clip.top, point.row < clip.bottom, !visible.isEmpty {
            openGap(visible, row: point.row)
            let base = index(0, point.row)
            cells.withUnsafeMutableBufferPointer { cells in
                for column in visible { cells[base + column] = Cell(CellContent(ascii: bytes[column - start]), style) }
            }
        }
        if bytes.count > field {
            place(CellContent(glyphs[.ellipsis]), width: 1, column: start + shown - 1, row: point.row, style: style)
        }
        return shown
    }

    private mutating func content(of character: Character) -> CellContent {
        let scalars = character.unicodeScalars
        let first = scalars[scalars.startIndex]
        if first.screening == .space { return .space }
        if scalars.index(after: scalars.startIndex) == scalars.endIndex { return CellContent(first) }
        return clusters.content(of: scalars, first: first)
    }

    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }
}

extension Alignment {
    /// The free columns before a text of `width` columns in a field of `field` columns.
    func gap(_ width: Int, in field: Int) -> Int {
        switch self {
        case .left: 0
        case .center: max(0, field - width) / 2
        case .right: max(0, field - width)
        }
    }
}
