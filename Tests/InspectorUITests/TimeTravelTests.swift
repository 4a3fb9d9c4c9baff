import InspectorTestKit
import TaskEvents
import TerminalCanvas
import Testing
import TraceLayout
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// Moving the time cursor on all screens.
@Suite struct TimeTravelTests {
    /// The rows of the graph, of the task list and of the list of faults.
    private func shown(_ session: Session) -> [String] {
        session.model.graph.rails.rows.map { "\($0)" } + session.model.tasks.list.map { "\($0.rawValue)" }
            + (0..<session.model.shared.faults.count).map { "fault \(session.model.shared.faults[$0].rawValue)" }
    }

    /// The three screens of an inspector that has received only the first `count` events.
    private func straight(_ trace: TraceBuilder, _ count: Int) -> [String] {
        let history = TraceHistory()
        history.latest.entries = trace.entries
        history.apply(TraceBatch(events: Array(trace.events.prefix(count)), lanes: Array(trace.lanes.prefix(count))))
        var session = Session(history, rows: 60)
        session.visitAll()
        return shown(session)
    }

    private func expect(_ session: Session, _ name: String) {
        if let difference = ScreenSnapshot().difference(of: session.canvas, from: name) { Issue.record("\(difference)") }
    }

    @Test("A step may come before the frame that follows a smaller window and a movement in it", arguments: [1, 10, 24])
    func stepsInASmallerWindow(rows: Int) {
        var trace = TraceBuilder()
        for number in 0..<40 { trace.complete(trace.root("task \(number)")) }
        var session = Session(trace, rows: 40)
        for screen in ScreenList.names {
            session.press(screen.key)
            session.send(.resize(Size(columns: 80, rows: rows)))
            for key in [Key.up, .character(","), .down, .character(".")] { session.send(.key(key)) }
            session.frame()
            session.send(.resize(Size(columns: 80, rows: 40)))
            session.frame()
            #expect(session.lines.count == 40, "\(screen)")
        }
    }

    @Test("The detail of a task before its creation does not say that the task has ended") func detailBeforeCreation() {
        var session = Session(SampleTraces.kinesis)
        session.press(.end, .enter)
        session.send(.look(at: 1))
        session.frame()
        #expect(session.lines.contains { $0.contains("does not exist yet, or it ended long ago") }, "\(session.lines)")
    }

    @Test("The detail of a block that is no longer kept names it as before") func detailOfAnEvictedBlock() {
        var trace = TraceBuilder()
        let queue = trace.executor("db", .queue)
        func run(_ count: Int) {
            for _ in 0..<count { trace.run(trace.block("query(_:)", on: queue), milliseconds: 1) }
        }
        run(1)
        let history = TraceHistory(TraceStore(retention: Retention(endedTasks: 100)))
        history.latest.entries = trace.entries
        history.apply(TraceBatch(events: trace.events, lanes: trace.lanes))
        var session = Session(history, screen: EventsScreen.name)
        session.press(.enter)
        let arrived = trace.events.count
        run(400)
        session.apply(trace.events[arrived...])
        session.frame()
        #expect(session.lines.contains { $0.contains("Block 1 ended long ago") }, "\(session.lines)")
    }

    @Test("Executors goes back to before the first executor, and on again") func executorsOfNone() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character("3"))
        for number in [0, nil, 0, 1, nil] as [Int?] {
            session.send(.look(at: number))
            session.frame()
        }
        #expect(session.lines.contains { $0.contains("jobs") })
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func everyScreenShowsTheStateAtTheCursor(seed: UInt64) {
        let trace = RandomTrace(seed: seed, tasks: 40, isComplete: true).trace
        var session = Session(trace, rows: 60)
        session.press(.character(" "))
        var generator = SeededGenerator(seed: seed)
        let keys: [Key] = ",,,,,,..[]{}".map { .character($0) }
        for _ in 0..<60 {
            session.press(keys.randomElement(using: &generator)!)
            session.visitAll()
            #expect(shown(session) == straight(trace, session.model.store.eventCount), "event \(session.model.store.eventCount)")
        }
        session.press(.end)
        session.visitAll()
        #expect(shown(session) == straight(trace, trace.events.count))
    }

    @Test func stepsBackExamineNoOtherTasksForErrors() throws {
        let trace = SampleTraces.faults
        var session = Session(trace)
        let scans = session.model.shared.faults.scanCount
        for _ in 0..<trace.events.count / 2 { session.press(.character(",")) }
        for _ in 0..<10 { session.press(.character(".")) }
        session.press(.end)
        #expect(session.model.shared.faults.scanCount == scans)
    }

    @Test func theTimelinesRulerMovesTheCursor() throws {
        let trace = SampleTraces.hops
        var session = Session(trace, columns: 100)
        session.press(.character("4"))
        let scale = try #require(session.model.swimlanes.picture?.scale)
        let ruler = session.model.swimlanes.areas.ruler
        for column in [0, 8, 20] {
            session.click(ruler.left + column, ruler.top)
            let time = scale.time(of: column)
            let expected = max(1, trace.events.count { $0.time <= time })
            #expect(session.model.history.position == expected && !session.model.history.isAtLatest, "column \(column)")
        }
        session.click(ruler.right - 1, ruler.top)
        #expect(session.model.history.isAtLatest)
        // The same with keys.
        session.press(.character("c"))
        #expect(session.lines.last?.contains("Pick a job first") == true)
        session.press(.down, .right, .character("c"))
        let job = try #require(session.model.swimlanes.job)
        #expect(session.model.history.position == trace.events.count { $0.time <= job.since })
    }

    @Test func spacePausesAndContinues() {
        let trace = SampleTraces.kinesis
        var session = Session(trace)
        #expect(session.lines[0].contains("▶ live"))
        session.press(.character(" "))
        let count = trace.events.count
        #expect(session.lines[0].contains("paused at event \(count) of \(count)"))
        session.apply(trace.events.prefix(3))
        #expect(session.lines[0].contains("paused at event \(count) of \(count + 3)"))
        #expect(session.model.store.eventCount == count)
        session.press(.character(" "))
        #expect(session.lines[0].contains("▶ live"))
        #expect(session.model.store.eventCount == count + 3)
    }

    @Test func aStepPauses() {
        var session = Session(SampleTraces.kinesis)
        let count = SampleTraces.kinesis.events.count
        session.press(.character(","))
        #expect(session.lines[0].contains("paused at event \(count - 1) of \(count)"))
        session.press(.character("."))
        #expect(session.lines[0].contains("paused at event \(count) of \(count)"))
        session.press(.character("."))
        #expect(session.lines.last?.contains("There is no event after this one.") == true)
        session.press(.end)
        #expect(session.lines[0].contains("▶ live"))
    }

    @Test func aStepToAFaultSelectsItsTask() {
        let trace = SampleTraces.kinesis
        var session = Session(trace)
        let faults = trace.events.indices.filter { trace.events[$0].kind == .faulted }
        for index in faults.reversed() {
            session.press(.character("["))
            #expect(session.model.store.eventCount == index + 1)
            #expect(session.model.shared.selection == trace.events[index].task)
            #expect(session.model.store.task(trace.events[index].task)?.state == .faulted)
        }
        session.press(.character("["))
        #expect(session.lines.last?.contains("There is no fault before this one.") == true)
        session.press(.up)
        #expect(session.lines.last?.contains("no fault") == false)
    }

    @Test func aStepAlongAChainNeedsATask() {
        let trace = SampleTraces.kinesis
        var session = Session(trace, screen: OverviewScreen.name)
        session.press(.character("<"))
        #expect(session.lines.last?.contains("Select a task first") == true)
        #expect(session.model.history.isAtLatest)
        session.press(.character("["))
        let chain = session.model.store.task(session.model.shared.selection!)!.chain
        for key in ["<", "<", ">", "<"] as [Character] {
            session.press(.character(key))
            #expect(session.model.store.task(session.model.shared.selection!)?.chain == chain)
        }
    }

    @Test func thePausedFooterHasTheKeysOfTimeTravel() {
        var session = Session(SampleTraces.kinesis, columns: 139, rows: 90)
        #expect(session.lines.last?.contains("Space pause") == true)
        session.press(.character(","))
        for words in ["Space go on", ", . step", "[ ] fault", "{ } hop", "< > chain", "End live"] {
            #expect(session.lines.last?.contains(words) == true, "\(words)")
        }
        session.press(.character("?"))
        #expect(session.lines.contains { $0.contains("an event back, or forward") })
    }

    @Test func theEndOfTheListIsReachableLiveAndPaused() {
        var session = Session(SampleTraces.kinesis)
        session.press(.end)
        #expect(session.model.tasks.selectedRow == session.model.tasks.list.count - 1)
        session.press(.home, .character(","), .character("G"))
        #expect(session.model.tasks.selectedRow == session.model.tasks.list.count - 1)
        #expect(!session.model.history.isAtLatest)
    }

    @Test(arguments: [80, 60, 120])
    func pausedScreensEqualTheirSnapshots(columns: Int) {
        var session = Session(SampleTraces.kinesis, columns: columns, rows: 24)
        session.press(.character("["), .character(","), .character(","))
        expect(session, "paused-\(columns)x24")
    }

    @Test func pausedScreensInASCIIEqualTheirSnapshots() {
        var session = Session(SampleTraces.kinesis, glyphs: .ascii)
        session.press(.character(","))
        expect(session, "paused-ascii")
    }
}
