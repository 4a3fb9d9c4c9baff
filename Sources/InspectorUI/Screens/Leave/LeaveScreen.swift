import TerminalCanvas
import TraceAnalysis

/// Asks what becomes of a program that the inspector has started when the user quits. It is an overlay.
struct LeaveScreen: Layer {
    static let name = ScreenName("Leave")
    static let modes = [
        KeyMode(
            "Leave", hasGeneralKeys: false,
            [
                KeyRow(
                    .character("e"), shown: "e", footer: "end it", help: "end the program, and leave",
                    answer { _, _ in .effects([.endProgram, .quit]) }),
                KeyRow(
                    .enter, .character("q"), shown: "Enter", footer: "let it go on", help: "leave; the program goes on in this terminal",
                    answer { _, _ in .effects([.quit]) }),
                .escape("stay", "stay in the inspector"),
            ])
    ]
    static let facets = Facets<Self>(
        keysEverywhere: [
            KeyRow(.character("q"), shown: "q", footer: "quit", help: "leave the inspector", group: .basic, .overlay(name))
        ],
        opening: { _, _, _, shared in shared.isProgramOpen ? .push(LeaveScreen()) : .effects([.quit]) }, extent: .box,
        // Nothing is left to decide.
        receive: { _, message, _ in if case .programEnded = message { [.quit] } else { [] } })

    private static let text = "The program still runs. e ends it, Enter lets it go on in this terminal, Esc stays here."

    private var frame = Rect.empty
    private var lines: [String] = []

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        let columns = min(body.columns - 2, 52)
        lines = WrappedText.lines(Self.text, columns: columns - 4)
        let rows = lines.count + 2
        frame = Rect(
            column: body.left + (body.columns - columns) / 2, row: body.top + max(0, (body.rows - rows) / 2), columns: columns, rows: rows)
    }

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer { .ignored }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer { frame.contains(point) ? .ignored : .close() }

    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        canvas.fill(frame.inset(columns: -1))
        canvas.frame(frame)
        canvas.write(" Leave ", at: frame.origin.moved(columns: 2), style: Style(.title, .bold))
        for (row, line) in lines.enumerated() {
            canvas.write(line, at: frame.origin.moved(columns: 2, rows: row + 1), style: Style(.text))
        }
    }
}
