import InspectorTestKit
import TerminalCanvas
import Testing
import TraceTestKit

@Suite struct ScreenSnapshotTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private static func canvas(_ style: Style) -> Canvas {
        var canvas = Canvas(size: Size(columns: 12, rows: 3))
        canvas.write("saved", at: Point(column: 1, row: 1), style: style)
        return canvas
    }

    @Test func aNewSnapshotFailsItsFirstRun() {
        let snapshot = ScreenSnapshot(in: folder)
        #expect(snapshot.difference(of: Self.canvas(.text), from: "saved") != nil)
        #expect(snapshot.difference(of: Self.canvas(.text), from: "saved") == nil)
    }

    @Test(arguments: [Style(.fault), Style(.text, .bold), Style(.text, .selected)])
    func anotherStyleOfTheSameTextIsADifference(style: Style) {
        let snapshot = ScreenSnapshot(in: folder)
        _ = snapshot.difference(of: Self.canvas(.text), from: "saved")
        #expect(snapshot.difference(of: Self.canvas(style), from: "saved") != nil)
    }
}
