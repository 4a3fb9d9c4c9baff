import InspectorTestKit
import TerminalCanvas
import Testing

@testable import InspectorUI

/// Whole screens as text that a person has checked.
@Suite struct SnapshotTests {
    struct Shape: CustomTestStringConvertible, Sendable {
        var name: String
        var columns: Int
        var rows: Int
        var testDescription: String { name }
    }

    static let shapes = [
        Shape(name: "80x24", columns: 80, rows: 24), Shape(name: "60x16", columns: 60, rows: 16),
        Shape(name: "120x36", columns: 120, rows: 36),
    ]

    private func expect(_ session: Session, _ name: String) {
        if let difference = ScreenSnapshot().difference(of: session.canvas, from: name) { Issue.record("\(difference)") }
    }

    private func expect(_ shape: Shape, _ screen: String, _ prepare: (inout Session) -> Void) {
        var session = Session(SampleTraces.kinesis, columns: shape.columns, rows: shape.rows)
        prepare(&session)
        expect(session, "\(screen)-\(shape.name)")
    }

    @Test(arguments: shapes) func theTasksScreenEqualsItsSnapshot(shape: Shape) {
        expect(shape, "tasks") { $0.press(.down, .down) }
    }

    @Test(arguments: shapes) func theGraphScreenEqualsItsSnapshot(shape: Shape) {
        expect(shape, "graph") { $0.press(.character("2")) }
    }

    @Test(arguments: shapes) func theExecutorsScreenEqualsItsSnapshot(shape: Shape) {
        expect(shape, "executors") { $0.press(.character("3"), .down) }
    }

    @Test(arguments: shapes) func theDetailEqualsItsSnapshot(shape: Shape) {
        expect(shape, "detail") { $0.press(.character("2"), .home, .enter) }
    }

    @Test(arguments: shapes.filter { $0.rows > 16 }) func theDetailOfAShieldedTaskEqualsItsSnapshot(shape: Shape) {
        var session = Session(SampleTraces.shielded, columns: shape.columns, rows: shape.rows)
        session.press(.end, .enter, .pageDown)
        expect(session, "detail-shielded-\(shape.name)")
    }

    @Test(arguments: shapes) func theHelpEqualsItsSnapshot(shape: Shape) {
        expect(shape, "help") { $0.press(.character("?")) }
    }

    @Test(arguments: shapes) func theFaultsScreenEqualsItsSnapshot(shape: Shape) {
        var session = Session(SampleTraces.faults, columns: shape.columns, rows: shape.rows)
        session.press(.character("5"))
        expect(session, "faults-\(shape.name)")
        session.press(.end, .character("n"), .character("n"), .character("n"))
        expect(session, "faults-walked-\(shape.name)")
    }

    @Test(arguments: shapes) func theWarningsScreenEqualsItsSnapshot(shape: Shape) {
        var session = Session(SampleTraces.warnings, columns: shape.columns, rows: shape.rows)
        session.press(.character("7"))
        expect(session, "warnings-\(shape.name)")
        session.press(.down, .character("n"))
        expect(session, "warnings-evidence-\(shape.name)")
    }

    @Test(arguments: shapes) func theOutputScreenEqualsItsSnapshot(shape: Shape) {
        var session = Session(SampleTraces.kinesis, columns: shape.columns, rows: shape.rows)
        session.start()
        session.press(.character("8"))
        expect(session, "output-empty-\(shape.name)")
        let lines = (1...40).map { "\u{1B}[32m[\($0)/40]\u{1B}[0m\tCompiling Söme日本語\($0).swift\n" }
        session.start(printing: [(lines.joined(), 1_000_000), ("loading 10 %\rloading 100 %\nwho are you? ", 5_000_000)])
        expect(session, "output-\(shape.name)")
        session.press(.character("/"))
        session.type("7/40")
        session.press(.enter, .character("n"))
        expect(session, "output-search-\(shape.name)")
        session.press(.escape, .escape, .enter)
        session.send(.printed(Array("An".utf8), at: 6_000_000))
        session.frame()
        expect(session, "output-typing-\(shape.name)")
    }

    @Test(arguments: shapes) func theHopsScreenEqualsItsSnapshot(shape: Shape) {
        var session = Session(SampleTraces.hops, columns: shape.columns, rows: shape.rows)
        session.press(.character("6"))
        expect(session, "hops-\(shape.name)")
        session.press(.enter, .down, .character("s"))
        expect(session, "hops-list-\(shape.name)")
        session.press(.character("m"), .down)
        expect(session, "hops-stalls-\(shape.name)")
    }

    @Test(arguments: shapes) func theTimelineScreenEqualsItsSnapshot(shape: Shape) {
        var session = Session(SampleTraces.hops, columns: shape.columns, rows: shape.rows)
        session.press(.character("4"))
        expect(session, "timeline-\(shape.name)")
        session.press(.down, .right, .right, .character("+"), .character("+"), .character("+"), .character("+"))
        expect(session, "timeline-near-\(shape.name)")
        session.press(.character("t"), .character("f"))
        expect(session, "timeline-threads-\(shape.name)")
    }

    @Test(arguments: shapes) func theBoxesEqualTheirSnapshot(shape: Shape) {
        var session = Session(SampleTraces.kinesis, columns: shape.columns, rows: shape.rows)
        session.press(.character("2"), .home, .character("g"))
        expect(session, "boxes-\(shape.name)")
        session.press(.right, .right)
        expect(session, "boxes-along-\(shape.name)")
    }

    @Test func theBoxesOfAJoinEqualTheirSnapshot() {
        var session = Session(SampleTraces.faults, columns: 120, rows: 36)
        session.press(.character("5"), .down, .down, .down, .character("n"), .character("n"), .character("2"), .character("g"))
        expect(session, "boxes-join")
        session.press(.character("-"))
        expect(session, "boxes-join-far")
    }

    @Test func theBoxesInASCIIEqualTheirSnapshot() {
        var session = Session(SampleTraces.faults, columns: 100, rows: 30, glyphs: .ascii)
        session.press(.character("5"), .down, .down, .down, .character("n"), .character("n"), .character("2"), .character("g"))
        expect(session, "boxes-ascii")
    }

    @Test(arguments: shapes) func thePaletteEqualsItsSnapshot(shape: Shape) {
        expect(shape, "palette") { $0.press(.character(":"), .character("t"), .character("h")) }
    }

    @Test func theTimelineWithTheCursorInThePastEqualsItsSnapshot() {
        var session = Session(SampleTraces.hops, columns: 100, rows: 20)
        session.press(.character("4"), .character(" "))
        for _ in 0..<20 { session.press(.character(",")) }
        expect(session, "timeline-past")
    }

    @Test func anAggregatedFaultEqualsItsSnapshot() {
        var session = Session(SampleTraces.faults, columns: 120, rows: 36)
        session.press(.character("5"), .down, .down, .down, .character("n"), .character("n"))
        expect(session, "faults-gathered")
    }

    @Test func theDetailOfARecoveredTaskEqualsItsSnapshot() {
        var session = Session(SampleTraces.kinesis, columns: 120, rows: 46)
        session.press(.character("2"), .home, .down, .down, .enter)
        expect(session, "detail-recovered")
    }

    @Test func theFilterEqualsItsSnapshot() {
        var session = Session(SampleTraces.kinesis)
        session.type("/net queued")
        expect(session, "filter")
        session.type(" nothing")
        expect(session, "filter-nothing")
    }

    @Test(arguments: ScreenList.names) func anEmptyTraceEqualsItsSnapshots(screen: ScreenName) {
        var session = Session(program: "demo")
        session.press(screen.key)
        expect(session, "empty-\(screen.title)")
    }

    @Test(arguments: ScreenList.names) func unrulyNamesEqualTheirSnapshots(screen: ScreenName) {
        var session = Session(SampleTraces.unruly, program: "程序\u{1B}[1m")
        session.press(screen.key)
        expect(session, "unruly-\(screen.title)")
    }

    @Test(arguments: ScreenList.names) func theScreensInASCIIEqualTheirSnapshots(screen: ScreenName) {
        var session = Session(SampleTraces.kinesis, glyphs: .ascii)
        session.press(screen.key)
        expect(session, "ascii-\(screen.title)")
    }

    @Test func anEndedTraceEqualsItsSnapshot() {
        var session = Session(SampleTraces.kinesis, columns: 100)
        session.send(.ended)
        expect(session, "ended")
    }

    @Test func aTooSmallTerminalEqualsItsSnapshots() {
        expect(Session(SampleTraces.kinesis, columns: 59, rows: 16), "too-small")
        expect(Session(SampleTraces.kinesis, columns: 12, rows: 2), "far-too-small")
    }
}
