import TaskEvents
import TerminalCanvas
import Testing
import TraceTestKit

@testable import InspectorUI

/// The marks of a list that does not fit.
@Suite struct ScrollMarkTests {
    private static let area = Rect(column: 0, row: 0, columns: 24, rows: 5)

    private func lines(_ pane: ListPane, _ glyphs: GlyphSet = .unicode) -> [String] {
        var canvas = Canvas(size: Self.area.size, glyphs: glyphs)
        pane.draw(on: &canvas) { row, rowArea, canvas in canvas.write("row \(row + 1)", at: rowArea.origin) }
        return canvas.lines()
    }

    private func pane(_ count: Int, top: Int = 0, rows: Int = 5) -> ListPane {
        var pane = ListPane()
        pane.layOut(in: Self.area.rows(0..<rows), count: count)
        pane.setTop(top)
        return pane
    }

    @Test func aListThatFitsHasNoMarks() {
        #expect(lines(pane(5)) == ["row 1", "row 2", "row 3", "row 4", "row 5"])
    }

    @Test func aLongListSaysWhichRowsAreVisible() {
        let gap = String(repeating: " ", count: 18)
        #expect(lines(pane(8)) == ["row 1\(gap)┃", "row 2\(gap)┃", "row 3", "row 4", " rows 1-4 of 8"])
        #expect(lines(pane(8, top: 4), .ascii) == ["row 5", "row 6", "row 7\(gap)|", "row 8\(gap)|", " rows 5-8 of 8"])
    }

    @Test func aShortAreaHasOnlyTheScrollMark() {
        let lines = lines(pane(30, top: 27, rows: 3))
        #expect(lines == ["row 28", "row 29", "row 30\(String(repeating: " ", count: 17))┃", "", ""])
    }

    @Test func theMarkIsAtTheTopOnlyInTheFirstRowsAndAtTheEndOnlyInTheLast() {
        for top in 0...1000 {
            let lines = lines(pane(1004, top: top))
            #expect((lines[0].last == "┃") == (top < 334), "top \(top)")
            #expect((lines[3].last == "┃") == (top == 1000), "top \(top)")
        }
    }

    @Test func theLineBelowTheRowsIsNoRow() {
        let pane = pane(8)
        #expect(pane.row(at: Point(column: 3, row: 3)) == 3)
        #expect(pane.row(at: Point(column: 3, row: 4)) == nil)
    }

    /// Tasks whose names, errors and executors' names are longer than any line.
    private static func longWords(_ count: Int) -> TraceBuilder {
        var trace = TraceBuilder()
        let executors = (0..<count).map { trace.executor("queue \($0) " + String(repeating: "queue ", count: 40), .queue) }
        for number in 0..<count {
            let name = "task \(number) " + String(repeating: "name ", count: 40)
            let task = trace.root(name, on: executors[number], line: UInt32(number + 1))
            let next = (number + 1) % count
            trace.hop(task, from: executors[next], to: executors[number])
            trace.enqueue(task)
            trace.advance(microseconds: 10)
            trace.start(task)
            trace.advance(milliseconds: 1)
            trace.fault(task, type: "Error\(number)" + String(repeating: "s", count: 200))
            trace.endJob(task)
        }
        return trace
    }

    @Test(arguments: [60, 80, 200]) func everyListThatDoesNotFitIsMarked(columns: Int) {
        var session = Session(Self.longWords(30), columns: columns, rows: 20)
        for name in ScreenList.names where name != WarningsScreen.name && name != OutputScreen.name {
            session.press(name.key)
            #expect(session.lines.contains { $0.last == "┃" || $0.contains("┃│") }, "\(name.title)")
            // The timeline's lanes are no rows of a list: it says how many are below.
            let text = name == TimelineScreen.name ? /▼ [0-9]+ more/ : /rows [0-9]+-[0-9]+ of [0-9]+/
            #expect(session.lines.contains { $0.contains(text) }, "\(name.title)")
        }
    }

    @Test(arguments: [60, 80, 149]) func noTextReachesTheColumnOfTheMark(columns: Int) {
        var session = Session(Self.longWords(3), columns: columns, rows: 60)
        for name in ScreenList.names where name != OutputScreen.name {
            session.press(name.key)
            // Rulers and the line above the matrix are no rows of a list.
            let lines = session.lines[2..<58].filter { !$0.contains("│00:") && !$0.contains("from\\to") }
            for line in lines where line.count == columns {
                #expect("─┊│┃".contains(line.last ?? " "), "\(name.title): \(line)")
            }
        }
    }
}
