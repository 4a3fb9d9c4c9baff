import TerminalCanvas

/// The lines above the event strip that say what there is to see in a demo or at a recording's remark, and which key shows it.
enum SceneLines {
    /// A terminal with fewer rows has no room for them; `8 Output` has them too.
    private static let leastRows = 20
    private static let mostLines = 3

    static func rows(_ shared: SharedState) -> Int {
        guard shared.size.rows >= leastRows, let scene = shared.scene else { return 0 }
        return min(mostLines, lines(scene, columns: shared.size.columns).count)
    }

    private static func lines(_ scene: String, columns: Int) -> [String] {
        WrappedText.lines(scene, columns: max(20, columns - 4))
    }

    static func draw(_ shared: SharedState, in rect: Rect, on canvas: inout Canvas) {
        guard rect.rows > 0, let scene = shared.scene else { return }
        canvas.fill(rect, style: Style(.filter))
        for (row, line) in lines(scene, columns: rect.columns).prefix(rect.rows).enumerated() {
            canvas.write(line, at: rect.row(row).origin.moved(columns: 2), style: Style(.filter), limit: rect.columns - 2)
        }
        canvas.put(.bullet, at: rect.origin, style: Style(.key, .bold))
    }
}
