import TaskEvents
import TerminalCanvas
import TraceAnalysis

extension TapeScreen {
    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        guard !tape.choices.isEmpty else {
            return EmptyNote.draw(Self.absence(shared) ?? "Reading the choices.", in: body, on: &canvas)
        }
        drawTitle(shared, on: &canvas)
        for row in 0..<areas.rows {
            for track in tapes.indices { drawCells(of: track, row: top + row, in: areas.tape.row(row * areas.tracks + track), on: &canvas) }
        }
        for track in tapes.indices { drawRoll(of: track, shared, on: &canvas) }
        canvas.horizontalLine(at: areas.rule.origin, columns: areas.rule.columns)
        guard let index else {
            return EmptyNote.draw("No choice has been made yet at this moment.", in: areas.candidates[0], on: &canvas)
        }
        for track in tapes.indices { drawChoice(index, of: track, shared, on: &canvas) }
        drawSource(shared, on: &canvas)
    }

    private func drawTitle(_ shared: SharedState, on canvas: inout Canvas) {
        let count = tape.deviationCount
        var spans = [
            Span(" Tape", .title, .bold), Span("  \(CountText.text(tape.choices.count, "choice")), "),
            Span("\(CountText.text(count)) \(count == 1 ? "deviates" : "deviate")", .warning, .bold),
        ]
        if isRunning {
            spans.append(Span(": running the other one" + (shared.isASCII ? "..." : "…"), .running))
        } else if let ending = shared.program.orderEnding, other == nil {
            spans += [Span(": "), Span(ending, .faulted, .bold)]
        } else {
            spans.append(Span(" from first come, first served", .dim))
        }
        canvas.write(spans, at: areas.title.origin, end: areas.title.right - 1)
    }

    // MARK: The cells

    private func style(of cell: Int, _ choice: ChoiceTape.Choice, track: Int) -> Style {
        track == 1 && cell < parting ? Style(.dim) : letters.style(of: choice.chosen, isDeviation: choice.deviates)
    }

    private func drawCells(of track: Int, row: Int, in line: Rect, on canvas: inout Canvas) {
        let choices = tapes[track].choices
        let first = row * areas.columns
        guard first < choices.count else { return }
        let number = CountText.text(choices[first].number)
        let title = tapes.count == 1 ? "" : track == 0 ? "this order" : "the other one"
        canvas.write(title, at: line.origin.moved(columns: 1), style: Style(.text, .bold), limit: areas.margin - 2)
        canvas.write(number, at: line.origin, style: Style(.dim), limit: areas.margin - 1, align: .right)
        for cell in first..<min(first + areas.columns, choices.count) {
            let choice = choices[cell]
            let letter = letters.letter(of: choice.chosen, isDeviation: choice.deviates)
            draw(letter, cell, style(of: cell, choice, track: track), in: line, on: &canvas)
        }
    }

    private func draw(_ text: String, _ cell: Int, _ style: Style, in line: Rect, on canvas: inout Canvas) {
        let point = areas.point(of: cell, in: line)
        canvas.write(text, at: point, style: style)
        if cell == index { canvas.restyle(Rect(origin: point, size: Size(columns: 1, rows: 1)), .reversed) }
    }

    /// A row for each task, block or thread: where it ran, and where it could have.
    private func drawRoll(of track: Int, _ shared: SharedState, on canvas: inout Canvas) {
        let (choices, strands) = (tapes[track].choices, rolls[track].strands)
        var area = areas.rolls[track]
        let first = row * areas.columns
        if track == 1, area.rows > 2 {
            let title = area.row(0)
            canvas.write("the other one", at: title.origin.moved(columns: 1), style: Style(.text, .bold), limit: areas.margin - 2)
            let start = title.origin.moved(columns: areas.margin)
            canvas.horizontalLine(at: start, columns: min(areas.columns, choices.count - first))
            area = area.split(top: 1).rest
        }
        for (row, strand) in strands.prefix(area.rows).enumerated() {
            let line = area.row(row)
            if row == area.rows - 1, strands.count > area.rows {
                let text = "\(CountText.text(strands.count - row)) more"
                canvas.write(text, at: line.origin.moved(columns: 3), style: Style(.dim), limit: areas.margin - 4)
                continue
            }
            let letter = letters.letter(of: strand)
            canvas.write(letter, at: line.origin.moved(columns: 1), style: letters.style(of: strand, isDeviation: false))
            let words = words(of: strand, track: track, shared)
            let place = strand.task == .none ? words.site.map { " \($0)" } ?? "" : ""
            let name = strand.isTime ? "a timer, early" : words.name + place
            canvas.write(
                name.fittingName(areas.margin - 4, shared.glyphs), at: line.origin.moved(columns: 3), style: Style(.dim),
                limit: areas.margin - 4)
            for cell in first..<max(first, min(first + areas.columns, choices.count)) {
                let choice = choices[cell]
                let ran = choice.chosen.strand == strand.strand
                guard ran || choice.candidates.contains(where: { $0.strand == strand.strand }) else { continue }
                let text = ran ? letters.letter(of: strand, isDeviation: choice.deviates) : String(Character(shared.glyphs[.separator]))
                draw(text, cell, ran ? style(of: cell, choice, track: track) : Style(.dim), in: line, on: &canvas)
            }
        }
    }

    // MARK: The shown choice

    private func words(of candidate: ChoiceTape.Candidate, track: Int, _ shared: SharedState) -> CandidateWords {
        track == 1 ? other?.words[candidate] ?? shared.words(of: candidate) : shared.words(of: candidate)
    }

    private func drawChoice(_ index: Int, of track: Int, _ shared: SharedState, on canvas: inout Canvas) {
        let (heading, list) = (areas.headings[track], areas.candidates[track])
        guard let choice = tapes[track].choice(at: index) else {
            canvas.write(" It had ended.", at: heading.origin, style: Style(.dim), limit: heading.columns)
            return
        }
        canvas.write(self.heading(of: choice, at: index, track: track, shared), at: heading.origin, end: heading.right - 1)
        guard track == 0 else {
            for (row, candidate) in choice.candidates.prefix(list.rows).enumerated() {
                draw(candidate, track: track, shared, in: list.row(row), on: &canvas)
            }
            return
        }
        pane.draw(on: &canvas) { row, area, canvas in
            guard choice.candidates.indices.contains(row) else { return }
            draw(choice.candidates[row], track: track, shared, in: area, on: &canvas)
        }
    }

    private func heading(of choice: ChoiceTape.Choice, at index: Int, track: Int, _ shared: SharedState) -> [Span] {
        guard other == nil else {
            let ending = track == 0 ? shared.program.orderEnding : other?.ending
            return [Span(track == 0 ? " This order" : " The other one", .text, .bold), Span(ending.map { ": \($0)" } ?? "", .text)]
        }
        let number = "\(CountText.text(choice.number)) of \(CountText.text(tapes[track].choices.count))"
        let before = index > 0 ? tapes[track].choices[index - 1].chosen : nil
        return [
            Span(" Choice \(number)", .text, .bold), Span("  at \(ClockText.precise(choice.time))"),
            choice.deviates
                ? Span("  deviates: it did not come first", .warning)
                : Span("  \(CountText.text(choice.candidates.count)) could run", .text),
            Span(before.map { "  after \(letters.letter(of: $0)) \(words(of: $0, track: track, shared).name)" } ?? "", .dim),
        ]
    }

    private func draw(_ candidate: ChoiceTape.Candidate, track: Int, _ shared: SharedState, in area: Rect, on canvas: inout Canvas) {
        let isChosen = candidate.manner.isChosen
        let words = words(of: candidate, track: track, shared)
        let end = area.right - 2
        let isShort = area.columns < 64
        // The places need as many columns in each row.
        let shown = index.flatMap { tapes[track].choice(at: $0) }?.candidates ?? []
        let places = shown.map { self.words(of: $0, track: track, shared).site ?? "" }
        let width = places.map { CharacterWidth.of($0) }.filter { $0 <= area.columns / 3 }.max() ?? 0
        let place = CharacterWidth.of(words.site ?? "") <= width ? words.site ?? "" : ""
        let siteColumn = end - width
        let manner = Self.word(candidate.manner, isShort: isShort)
        let mannerColumn = max(area.left + 18, siteColumn - (width > 0 ? 2 : 0) - (isShort ? 6 : 18))
        if isChosen { canvas.put(.folded, at: area.origin.moved(columns: 1), style: Style(.key, .bold)) }
        let letter = letters.letter(of: candidate)
        canvas.write(letter, at: area.origin.moved(columns: 3), style: letters.style(of: candidate, isDeviation: false))
        let room = mannerColumn - area.left - 6
        canvas.write(
            words.name.fittingName(room, shared.glyphs), at: area.origin.moved(columns: 5), style: Style(.text, isChosen ? .bold : []),
            limit: room)
        canvas.write(
            manner, at: Point(column: mannerColumn, row: area.top), style: Style(candidate.manner == .instead ? .warning : .dim),
            limit: max(0, end - mannerColumn))
        let siteStart = Point(column: end - CharacterWidth.of(place), row: area.top)
        canvas.write(place, at: siteStart, style: Style(.dim), limit: max(0, end - siteColumn))
    }

    private static func word(_ manner: ChoiceManner, isShort: Bool) -> String {
        switch manner {
        case .first: isShort ? "runs" : "runs next"
        case .instead: isShort ? "runs" : "runs next instead"
        case .passedOver: isShort ? "first" : "came first"
        case .possible: isShort ? "could" : "could have run"
        }
    }

    private func drawSource(_ shared: SharedState, on canvas: inout Canvas) {
        guard areas.source.rows > 3, let candidate, let site = shared.words(of: candidate).site,
            let excerpt = shared.excerpt(at: site, margin: (areas.source.rows - 2) / 2)
        else { return }
        for (row, spans) in excerpt.rows(shared.glyphs).prefix(areas.source.rows - 1).enumerated() {
            let line = areas.source.row(row + 1)
            canvas.write([Span("   ")] + spans, at: line.origin, end: line.right - 1)
        }
    }
}
