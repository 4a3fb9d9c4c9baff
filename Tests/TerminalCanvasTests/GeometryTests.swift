import TerminalCanvas
import Testing

struct GeometryTests {
    static let panel = Rect(column: 3, row: 2, columns: 10, rows: 6)

    @Test func aSplitAssignsEveryCellOnce() {
        for count in -1...12 {
            let (top, below) = Self.panel.split(top: count)
            #expect(top.rows + below.rows == 6 && top.bottom == below.top && below.bottom == Self.panel.bottom)
            let (bottom, above) = Self.panel.split(bottom: count)
            #expect(bottom.rows == min(max(0, count), 6) && above.bottom == bottom.top && above.top == Self.panel.top)
            let (left, beside) = Self.panel.split(left: count)
            #expect(left.columns + beside.columns == 10 && left.right == beside.left && beside.right == Self.panel.right)
            let (right, before) = Self.panel.split(right: count)
            #expect(right.columns == min(max(0, count), 10) && before.right == right.left && before.left == Self.panel.left)
        }
    }

    @Test(arguments: [
        (1, 1, Rect(column: 4, row: 3, columns: 8, rows: 4)),
        (5, 0, Rect(column: 8, row: 2, columns: 0, rows: 6)),
        (9, 9, Rect(column: 12, row: 8, columns: 0, rows: 0)),
    ])
    func anInsetStaysInside(columns: Int, rows: Int, expected: Rect) {
        #expect(Self.panel.inset(columns: columns, rows: rows) == expected)
    }

    @Test func rowsAreCountedFromTheTop() {
        #expect(Self.panel.row(0) == Rect(column: 3, row: 2, columns: 10, rows: 1))
        #expect(Self.panel.row(5) == Rect(column: 3, row: 7, columns: 10, rows: 1))
        #expect(Self.panel.row(6).isEmpty)
        #expect(Self.panel.row(-1).isEmpty)
        #expect(Self.panel.rows(4..<9) == Rect(column: 3, row: 6, columns: 10, rows: 2))
    }

    @Test func rectanglesThatDoNotMeetHaveAnEmptyIntersection() {
        #expect(Self.panel.intersection(Rect(column: 13, row: 2, columns: 5, rows: 5)).isEmpty)
        #expect(Self.panel.intersection(Rect(column: 12, row: 7, columns: 5, rows: 5)) == Rect(column: 12, row: 7, columns: 1, rows: 1))
    }

    @Test(arguments: [(3, 2, true), (12, 7, true), (13, 7, false), (12, 8, false), (2, 2, false), (3, 1, false)])
    func aRectangleContainsItsCellsOnly(column: Int, row: Int, expected: Bool) {
        #expect(Self.panel.contains(Point(column: column, row: row)) == expected)
    }

    @Test func aSizeIsNeverNegative() {
        #expect(Size(columns: -3, rows: 4) == Size(columns: 0, rows: 4))
        #expect(Size(columns: -3, rows: 4).isEmpty)
    }
}
