import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The styles of executors, hops and marks, shared by all screens.
extension TraceStore {
    /// Main has a role of its own. Any other executor gets `role`.
    func role(of executor: ExecutorID, else role: Role = .text) -> Role {
        description(of: executor).kind == .main ? .mainHop : role
    }

    func role(ofHopFrom from: ExecutorID, to: ExecutorID) -> Role {
        [from, to].contains { description(of: $0).kind == .main } ? .mainHop : .hop
    }
}

extension Marked {
    /// `✓ succeeded`, with blanks before it.
    func span(_ glyphs: GlyphSet, _ emphasis: Emphasis = [], after blanks: String = "") -> Span {
        Span("\(blanks)\(Character(glyphs[canvasGlyph])) \(mark.word)", role, emphasis)
    }
}

extension StateMark {
    /// The word in a column. A task that ran when the program ended runs no more.
    func word(isOver: Bool) -> String { self == .running && isOver ? "at exit" : word }
}

extension Canvas {
    /// Writes the headings of columns, each at its column's place.
    mutating func heading(_ columns: [(title: String, place: Range<Int>, align: Alignment)], in rect: Rect) {
        fill(rect, style: Style(.columnHeader))
        for (title, place, align) in columns {
            let point = Point(column: rect.left + place.lowerBound, row: rect.top)
            write(title, at: point, style: Style(.columnHeader), limit: place.count, align: align)
        }
    }
}
