import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// A line of the program's source, with the lines around it.
struct SourceExcerpt: Hashable {
    struct Line: Hashable {
        var number: Int
        var text: String
    }

    /// The name of the file.
    var file: String
    /// The number of the line that the excerpt is about.
    var number: Int
    /// Empty if the file cannot be read.
    var lines: [Line] = []
    /// A sentence about a missing or changed file.
    var note: String?

    /// The line itself, without its indentation.
    var text: String? { lines.first { $0.number == number }.map { String($0.text.drop { $0 == " " }) } }
}

extension SharedState {
    /// The file and the line of a site such as `App/File.swift:12`. Nil if the trace does not know the file's path.
    func sourceFile(at site: String) -> (file: SourceFile, name: String, line: Int)? {
        guard let colon = site.lastIndex(of: ":"), let line = Int(site[site.index(after: colon)...]), line > 0 else { return nil }
        let name = String(site[..<colon].split(separator: "/").last ?? "")
        let file = store.entries.sourceFile(named: name) ?? history.latest.entries.sourceFile(named: name)
        return file.map { ($0, name, line) }
    }

    /// The source at a site, with up to `margin` lines on both sides. Nil if the trace does not know the file's path.
    func excerpt(at site: String?, margin: Int = 0) -> SourceExcerpt? {
        guard let sources, let (file, name, number) = site.flatMap({ sourceFile(at: $0) }) else { return nil }
        var excerpt = SourceExcerpt(file: name, number: number)
        switch sources.read(file) {
        case .missing: excerpt.note = "\(PrintableText.text(name)) is not on this machine."
        case .lines(let lines, let isChanged):
            // A line far behind the file's end has no neighbours in it.
            let near = min(number, lines.count + margin + 1)
            let shown = max(1, near - margin)..<max(1, min(lines.count, near + margin) + 1)
            let indent = shown.compactMap { lines[$0 - 1].isBlank ? nil : lines[$0 - 1].indentation }.min() ?? 0
            excerpt.lines = shown.map {
                SourceExcerpt.Line(number: $0, text: PrintableText.text(String(lines[$0 - 1].withoutTabs.dropFirst(indent))))
            }
            if isChanged || number > lines.count {
                excerpt.note = "\(PrintableText.text(name)) has changed since the program was built."
            }
        }
        return excerpt
    }
}

extension SharedState {
    /// The site where a task waits, or else where it was made.
    func site(of task: TaskID) -> String? {
        guard let view = store.task(task) else { return nil }
        return WaitsFor(view, in: store)?.site(in: store) ?? (view.label.site.isEmpty ? nil : view.label.site)
    }
}

extension SourceExcerpt {
    /// The line itself in one row: `5 │ await confirm()`, or why it cannot be shown.
    func line(_ glyphs: GlyphSet) -> [Span] {
        guard let text, note == nil else { return [Span(note ?? "", .dim)] }
        return [Span("\(number) \(bar(glyphs)) ", .dim), Span(text, .text)]
    }

    /// `Shop.swift:26  v opens it`.
    var title: [Span] { [Span(PrintableText.text("\(file):\(number)"), .title, .bold), Span("  v opens it", .dim)] }

    /// All lines, the one itself marked, and the sentence about the file.
    func rows(_ glyphs: GlyphSet) -> [[Span]] {
        let width = String(lines.last?.number ?? 0).count
        let rows = lines.map { line -> [Span] in
            let isMarked = line.number == number
            let digits = String(line.number)
            let mark = isMarked ? String(Character(glyphs[.folded])) : " "
            let head = "\(mark)\(String(repeating: " ", count: width - digits.count))\(digits) \(bar(glyphs)) "
            return [Span(head, isMarked ? .key : .dim), Span(line.text, isMarked ? .text : .dim, isMarked ? .bold : [])]
        }
        return rows + (note.map { [[Span(" " + $0, .warning)]] } ?? [])
    }

    private func bar(_ glyphs: GlyphSet) -> Character { Character(glyphs[.vertical]) }
}

extension String {
    fileprivate var withoutTabs: String { split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "    ") }
    fileprivate var isBlank: Bool { allSatisfy { $0 == " " || $0 == "\t" } }
    fileprivate var indentation: Int { withoutTabs.prefix { $0 == " " }.count }
}
