import InspectorTestKit
import TaskEvents
import TerminalCanvas
import Testing
import TraceLayout
import TraceTestKit

@testable import InspectorUI

/// Siblings that succeeded share one line of the Graph screen.
@Suite struct GraphFoldTests {
    /// A join of many uploads. All of them have run; those in `failing` fail.
    private func uploads(_ count: Int, failing: Set<Int> = []) -> (trace: TraceBuilder, uploads: [TaskID]) {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let uploads = (0..<count).map { trace.root("upload \($0)", on: pool) }
        let all = trace.join(of: uploads)
        _ = trace.continuation("finish", of: all, on: pool)
        for (number, upload) in uploads.enumerated() {
            if failing.contains(number) { trace.fault(upload, type: "Refused") } else { trace.run(upload) }
        }
        return (trace, uploads)
    }

    private func opened(_ trace: TraceBuilder, rows: Int = 25) -> Session {
        var session = Session(trace, rows: rows)
        session.press(.character("2"), .home)
        return session
    }

    private func foldLines(_ session: Session) -> [Int] {
        session.lines.indices.filter { session.lines[$0].contains("more succeeded") }
    }

    @Test func theSucceededOfAHundredUploadsAreOneLine() {
        let session = opened(uploads(100).trace)
        if let difference = ScreenSnapshot().difference(of: session.canvas, from: "graph-folded") { Issue.record("\(difference)") }
    }

    @Test func failuresStayVisible() {
        let session = opened(uploads(100, failing: [40]).trace)
        #expect(session.lines.contains { $0.contains("upload 40") })
        let folds = foldLines(session).map { session.lines[$0].split(separator: " ").dropFirst().joined(separator: " ") }
        #expect(folds == ["37 more succeeded", "56 more succeeded"])
    }

    @Test func theArrowsSkipAFold() {
        var session = opened(uploads(100).trace)
        session.press(.down)
        #expect(session.selectedName() == "upload 1")
        session.press(.down)
        #expect(session.selectedName() == "upload 99")
        session.press(.up)
        #expect(session.selectedName() == "upload 1")
        session.press(.end)
        #expect(session.selectedName() == "finish")
        session.press(.pageUp)
        #expect(session.selectedName() == "upload 0")
    }

    @Test func aKeyUnfoldsAndFoldsAgain() throws {
        var session = opened(uploads(100).trace)
        session.press(.down, .character("z"))
        #expect(foldLines(session).isEmpty)
        session.press(.down)
        #expect(session.selectedName() == "upload 2")
        // The selected row stays visible while the other rows are folded.
        session.press(.down, .down, .character("z"))
        #expect(session.selectedName() == "upload 4")
        #expect(foldLines(session).count == 2)
        session.press(.character("Z"))
        #expect(foldLines(session).isEmpty)
        session.press(.character("Z"))
        #expect(foldLines(session).count == 2)
    }

    @Test func aClickUnfolds() throws {
        var session = opened(uploads(100).trace)
        let line = try #require(foldLines(session).first)
        session.click(20, line)
        #expect(foldLines(session).isEmpty)
        #expect(session.model.shared.selection == TaskID(rawValue: 1))
    }

    @Test func aTaskSelectedOnAnotherScreenIsUnfolded() throws {
        let (trace, uploads) = uploads(100)
        var session = Session(trace)
        session.type("/\"upload 50\"")
        session.press(.enter, .down, .character("2"))
        #expect(session.model.shared.selection == uploads[50])
        #expect(session.lines.contains { $0.contains("upload 50") })
        #expect(foldLines(session).count == 2)
    }

    @Test func theVisibleRowsStayWhileOthersAreFolded() throws {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let uploads = (0..<60).map { trace.root("upload \($0)", on: pool) }
        _ = trace.join(of: uploads)
        let later = (0..<30).map { trace.root("later \($0)", on: pool) }
        _ = trace.join(of: later)
        var before = trace.events.count
        var session = opened(trace)
        session.press(.pageDown, .pageDown, .pageDown, .pageDown)
        let selected = try #require(session.model.shared.selection)
        let line = try #require(session.model.graph.rails.rows.firstIndex { $0.task == selected })
        for upload in uploads {
            trace.run(upload)
            session.apply(trace.events[before...])
            before = trace.events.count
            let lines = session.model.graph.rails.lines
            #expect(lines.firstIndex { $0.row.task == selected } == line, "after \(upload)")
        }
        #expect(session.model.graph.rails.top < 40)
    }

    @Test func aFoldKeyWithoutAFoldShowsANotice() {
        var session = opened(SampleTraces.kinesis)
        session.press(.character("z"))
        #expect(session.lines.last?.contains("Nothing is folded here") == true)
    }

    // MARK: Boxes

    @Test func aHundredParallelCallsAreOneBoxAndAJoin() {
        var session = opened(uploads(101).trace)
        session.press(.character("g"))
        let boxes = session.model.graph.boxes
        #expect(boxes.layout.boxes.map(\.members.count) == [101, 1, 1])
        // The whole chain is visible.
        #expect(boxes.layout.columns <= boxes.area.columns && boxes.layout.rows <= boxes.area.rows)
        let text = session.lines.joined(separator: "\n")
        #expect(text.contains("×101") && text.contains("whenAll") && text.contains("finish"))
        #expect(text.contains("103 tasks in 3 boxes"))
    }

    @Test("Blocks in the picture are not counted as tasks")
    func blocksBesideTasks() {
        var trace = TraceBuilder()
        let (pool, disk) = (trace.executor("pool", .pool), trace.executor("disk", .queue))
        let task = trace.root("save", on: pool)
        trace.start(task)
        for line in [3, 4] as [UInt32] { trace.run(trace.block("write()", on: disk, by: task, line: line), milliseconds: 1) }
        trace.complete(task)
        var session = opened(trace)
        session.press(.character("g"))
        let text = session.lines.joined(separator: "\n")
        #expect(text.contains("1 task, 2 blocks"), "\(text)")
    }

    @Test func aFoldedBoxUnfoldsAndFoldsAgain() {
        var session = opened(uploads(20, failing: [3]).trace)
        session.press(.character("g"), .home)
        #expect(session.model.graph.boxes.layout.boxes.map(\.members.count).max() == 19)
        session.press(.character("z"))
        #expect(session.model.graph.boxes.layout.boxes.count == 22)
        session.press(.character("z"))
        #expect(session.model.graph.boxes.layout.boxes.count == 4)
        session.press(.character("Z"))
        #expect(session.model.graph.boxes.layout.boxes.count == 22)
    }

    @Test("In the map of a picture that is lower than the window, only cells inside the map's frame are highlighted")
    func mapOfALowPicture() throws {
        var trace = TraceBuilder()
        var task = trace.root("t1")
        for number in 2...60 { task = trace.continuation("t\(number)", of: task) }
        var session = Session(trace, screen: GraphScreen.name)
        session.press(.home, .character("g"))
        let boxes = session.model.graph.boxes
        #expect(boxes.origin.row < 0 && boxes.layout.columns > boxes.area.columns)
        let (canvas, lines) = (session.canvas, session.lines.map(Array.init))
        // The map is a quarter as wide as the window, and the window is at its left end.
        let left = boxes.area.right - boxes.area.columns / 4
        let marked = (boxes.area.top..<boxes.area.bottom).filter {
            canvas[Point(column: left + 1, row: $0)].style.emphasis.contains(.selected)
        }
        #expect(!marked.isEmpty && marked.allSatisfy { lines[$0][left] == "│" }, "\(session.lines)")
    }
}
