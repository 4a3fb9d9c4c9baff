import TerminalCanvas
import Testing

@Suite struct CanvasRenderingTests {
    private static let palette = RenderingPalette(selectionBackground: 237, defaultForeground: 0xEEEEEE, defaultBackground: 0x101010) {
        role in
        switch role {
        case .faulted: RoleColours(196, isBold: true)
        case .queued: RoleColours(221)
        case .held: RoleColours(231, on: 130)
        case _: RoleColours()
        }
    }

    private static func text(_ canvas: Canvas, _ write: (CanvasRendering, inout String) -> Void) -> String {
        var text = ""
        write(CanvasRendering(canvas, palette: palette), &text)
        return text
    }

    private static func svg(_ canvas: Canvas, title: String = "t") -> String {
        text(canvas) { $0.writeSVG(to: &$1, title: title) }
    }

    private static func small() -> Canvas {
        var canvas = Canvas(size: Size(columns: 12, rows: 3))
        canvas.write("a <b>", at: Point(column: 1, row: 0))
        canvas.write("名 x", at: Point(column: 0, row: 1), style: Style(.faulted))
        canvas.write("on", at: Point(column: 6, row: 1), style: Style(.held))
        canvas.restyle(Rect(column: 0, row: 2, columns: 12, rows: 1), .selected)
        canvas.write("✗──│", at: Point(column: 2, row: 2), style: Style(.queued, .selected))
        return canvas
    }

    @Test("Text has the rows without trailing blanks")
    func plain() {
        #expect(Self.text(Self.small()) { $0.writeText(to: &$1) } == " a <b>\n名 x  on\n  ✗──│\n")
    }

    @Test("ANSI has one sequence where the style changes, and none elsewhere")
    func ansi() {
        #expect(
            Self.text(Self.small()) { $0.writeANSI(to: &$1) } == """
                 a <b>
                \u{1B}[0;1;38;5;196m名 x\u{1B}[0m  \u{1B}[0;38;5;231;48;5;130mon\u{1B}[0m
                \u{1B}[0;48;5;237m  \u{1B}[0;38;5;221;48;5;237m✗──│\u{1B}[0;48;5;237m      \u{1B}[0m

                """)
    }

    @Test("ANSI paints the ground of a theme in every column, for one that is light and one that is dark", arguments: [Theme.light, .dark])
    func ground(theme: Theme) {
        var text = ""
        CanvasRendering(Self.small(), palette: RenderingPalette(theme)).writeANSI(to: &text)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 3)
        for line in lines {
            let runs = line.split(separator: "\u{1B}").filter { $0 != "[0m" }
            #expect(runs.allSatisfy { $0.contains(";48;5;") && $0.contains(";38;5;") })
            // The wide character has two columns.
            let columns = runs.map { CharacterWidth.of($0.drop { $0 != "m" }.dropFirst()) }.reduce(0, +)
            #expect(columns == 12)
        }
        #expect(text.contains(";48;5;\(theme.ground.background)m"))
    }

    @Test("SVG has each run, and each wide character, in its own columns")
    func picture() {
        #expect(
            Self.svg(Self.small(), title: "a & b") == """
                <svg xmlns="http://www.w3.org/2000/svg" width="124.8" height="75" viewBox="0 0 124.8 75" role="img" \
                font-family="ui-monospace, 'SF Mono', 'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace" \
                font-size="14" fill="#eeeeee" shape-rendering="crispEdges">
                <title>a &amp; b</title>
                <rect width="100%" height="100%" rx="8" shape-rendering="auto" fill="#101010"/>
                <text x="20.4 28.8 37.2 45.6 54" y="25" xml:space="preserve">a &lt;b&gt;</text>
                <rect x="62.4" y="29" width="16.8" height="17" fill="#af5f00"/>
                <text x="12" textLength="16.8" lengthAdjust="spacingAndGlyphs" y="42" xml:space="preserve" \
                fill="#ff0000" font-weight="bold">名</text>
                <text x="37.2" y="42" xml:space="preserve" fill="#ff0000" font-weight="bold">x</text>
                <text x="62.4 70.8" y="42" xml:space="preserve" fill="#ffffff">on</text>
                <rect x="12" y="46" width="100.8" height="17" fill="#3a3a3a"/>
                <text x="28.8" textLength="8.4" lengthAdjust="spacingAndGlyphs" y="59" xml:space="preserve" fill="#ffd75f">✗</text>
                <text x="37.2 45.6 54" y="59" xml:space="preserve" fill="#ffd75f">──│</text>
                </svg>

                """)
    }

    @Test("SVG draws blocks as rectangles that fill their eighths of the cell; equal ones that touch are one")
    func blocks() {
        var canvas = Canvas(size: Size(columns: 6, rows: 1))
        canvas.write("██▄▏", at: Point(column: 1, row: 0), style: Style(.queued))
        let svg = Self.svg(canvas)
        #expect(svg.contains(##"<rect x="20.4" y="12" width="16.8" height="17" fill="#ffd75f"/>"##))
        #expect(svg.contains(##"<rect x="37.2" y="20.5" width="8.4" height="8.5" fill="#ffd75f"/>"##))
        #expect(svg.contains(##"<rect x="45.6" y="12" width="1" height="17" fill="#ffd75f"/>"##))
        #expect(!svg.contains("<text"))
    }

    @Test("SVG swaps reversed colours, pales dim text, and shows underlined blanks")
    func emphasis() {
        var canvas = Canvas(size: Size(columns: 6, rows: 2))
        canvas.write(" r", at: Point(column: 0, row: 0), style: Style(.queued, .reversed))
        canvas.write("d ", at: Point(column: 0, row: 1), style: Style(.text, [.dim, .underline]))
        let svg = Self.svg(canvas)
        #expect(svg.contains(##"<rect x="12" y="12" width="16.8" height="17" fill="#ffd75f"/>"##))
        #expect(svg.contains(##"preserve" fill="#101010">r</text>"##))
        #expect(
            svg.contains(
                ##"y="42" xml:space="preserve" fill-opacity="0.6" text-decoration="underline">d </text>"##
            ))
        let ansi = Self.text(canvas) { $0.writeANSI(to: &$1) }
        #expect(ansi == "\u{1B}[0;7;38;5;221m r\u{1B}[0m\n\u{1B}[0;2;4md \u{1B}[0m\n")
    }

    @Test(
        "The 256 colours are xterm's",
        arguments: [(16, 0x000000), (21, 0x0000FF), (130, 0xAF5F00), (231, 0xFFFFFF), (232, 0x080808), (255, 0xEEEEEE)] as [(UInt8, UInt32)]
    )
    func colours(number: UInt8, rgb: UInt32) {
        var canvas = Canvas(size: Size(columns: 1, rows: 1))
        canvas.write("x", at: Point(column: 0, row: 0))
        let palette = RenderingPalette(selectionBackground: 0, defaultForeground: 0, defaultBackground: 0) { _ in RoleColours(number) }
        var svg = ""
        CanvasRendering(canvas, palette: palette).writeSVG(to: &svg, title: "")
        let digits = String(rgb, radix: 16)
        #expect(svg.contains("fill=\"#" + String(repeating: "0", count: 6 - digits.count) + digits + "\">x<"))
    }

    @Test(
        "No text from the program adds markup to a picture",
        arguments: ["</text><script>", "a&b;\"'", "\u{1B}]0;x\u{7}", "e\u{301}\u{FFFF}👩‍👩‍👧", "\u{202E}abc\u{0}"])
    func hostile(name: String) {
        var canvas = Canvas(size: Size(columns: 20, rows: 1))
        canvas.write(name, at: Point(column: 0, row: 0))
        let svg = Self.svg(canvas, title: name)
        #expect(svg.unicodeScalars.allSatisfy { $0 == "\n" || $0.screening == .keep && $0 != "\u{FFFF}" })
        for tag in svg.split(separator: "<").dropFirst() {
            #expect(["svg ", "title>", "/title>", "rect ", "text ", "/text>", "/svg>"].contains { tag.hasPrefix($0) })
        }
        let ansi = Self.text(canvas) { $0.writeANSI(to: &$1) }
        #expect(!ansi.contains("\u{1B}"))
    }

    @Test("An empty canvas makes an empty picture")
    func empty() {
        let canvas = Canvas(size: Size(columns: 0, rows: 0))
        #expect(Self.svg(canvas).contains("width=\"24\" height=\"24\""))
        #expect(
            Self.text(canvas) {
                $0.writeText(to: &$1)
                $0.writeANSI(to: &$1)
            } == "")
    }
}
