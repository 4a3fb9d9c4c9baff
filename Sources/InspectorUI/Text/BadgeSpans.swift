import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The styles of executors, hops and badges, shared by all screens.
extension TraceStore {
    /// Main has a role of its own. Any other executor gets `role`.
    func role(of executor: ExecutorID, else role: Role = .text) -> Role {
        description(of: executor).kind == .main ? .mainHop : role
    }

    func role(ofHopFrom from: ExecutorID, to: ExecutorID) -> Role {
        [from, to].contains { description(of: $0).kind == .main } ? .mainHop : .hop
    }
}

extension Badged {
    /// `✓ succeeded`, with blanks before it.
    func span(_ glyphs: GlyphSet, _ emphasis: Emphasis = [], after blanks: String = "") -> Span {
        Span("\(blanks)\(Character(glyphs[canvasGlyph])) \(badge.word)", role, emphasis)
    }
}

extension DisplayedState {
    /// The word in a column. A task that ran when the program ended runs no more.
    func word(isOver: Bool) -> String { self == .running && isOver ? "at exit" : word }
}

extension Canvas {
    /// Writes the headings of columns, each at its column's place.
    mutating func heading(_ columns: [(title: String, range: Range<Int>, align: Alignment)], in rect: Rect) {
        fill(rect, style: Style(.columnHeader))
        for (title, range, align) in columns {
            let point = Point(column: rect.left + range.lowerBound, row: rect.top)
            write(title, at: point, style: Style(.columnHeader), limit: range.count, align: align)
        }
    }
}
