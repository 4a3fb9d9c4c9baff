extension CanvasRendering {
    /// Writes the rows as lines with sequences for 256 colours. Each line ends by resetting all attributes, so that lines can be used
    /// separately. Trailing blanks are kept only if their style shows.
    package func writeANSI(to output: inout some TextOutputStream) {
        for row in 0..<canvas.size.rows {
            var runs = runs(ofRow: row)
            if let last = runs.indices.last, !runs[last].look.showsBlanks {
                while runs[last].text.last == " " { runs[last].text.removeLast() }
            }
            var current = Look()
            for run in runs where !run.text.isEmpty {
                if run.look != current { output.write(sequence(for: run.look)) }
                current = run.look
                output.write(run.text)
            }
            output.write(current == Look() ? "\n" : "\u{1B}[0m\n")
        }
    }

    private func sequence(for look: Look) -> String {
        var codes = "0"
        if look.isBold { codes += ";1" }
        if look.isDim { codes += ";2" }
        if look.isUnderlined { codes += ";4" }
        if look.isReversed { codes += ";7" }
        if let foreground = look.foreground { codes += ";38;5;\(foreground)" }
        if let background = look.background { codes += ";48;5;\(background)" }
        return "\u{1B}[\(codes)m"
    }
}
