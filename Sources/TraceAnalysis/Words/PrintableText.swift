/// Makes text of the inspected program (names, errors, sites) safe for a terminal or a log: one line, without control characters.
package enum PrintableText {
    /// `text` with control characters, line breaks and marks that reorder a line spelled out: `\n`, `\t`, `\u{1B}`.
    package static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: mustBeSpelled) else { return text }
        var printable = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": printable += "\\n"
            case "\r": printable += "\\r"
            case "\t": printable += "\\t"
            case _ where mustBeSpelled(scalar): printable += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            case _: printable.unicodeScalars.append(scalar)
            }
        }
        return printable
    }

    /// C0, DEL and C1, the line and paragraph separators, and the marks, embeddings, overrides and isolates of writing direction.
    private static func mustBeSpelled(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        case _: false
        }
    }
}
