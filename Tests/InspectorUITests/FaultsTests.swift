import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceLayout
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// The Faults screen: its list, and the walk along an error's path.
@Suite struct FaultsTests {
    private func origins(_ session: Session) -> [String] {
        (0..<session.model.shared.faults.count).compactMap { session.model.store.task(session.model.shared.faults[$0])?.label.name }
    }

    @Test func theNewestErrorComesFirst() {
        var session = Session(SampleTraces.faults)
        session.press(.character("5"))
        #expect(origins(session) == ["ping", "indexCache", "writePart 3", "writePart 1", "saveRecord"])
    }

    @Test("Equal errors share a row with their number; o shows them one by one, with the selected one still selected")
    func equalErrors() {
        var trace = TraceBuilder()
        for number in 1...21 {
            let task = trace.create(.unstructured, "request \(number)", file: "App/Server.swift", line: number == 21 ? 9 : 7)
            trace.start(task)
            trace.fault(task, type: "Declined", message: "no funds")
        }
        var session = Session(trace, screen: FaultsScreen.name)
        let rows = { session.lines.filter { $0.hasPrefix(" 00:") && $0.contains("Declined") } }
        #expect(rows().count == 2 && rows()[0].contains("request 21") && rows()[1].contains("20x Declined"), "\(session.lines)")
        session.press(.down)
        #expect(session.lines.contains { $0.contains("`request 20`") }, "the newest of them: \(session.lines)")
        session.press(.character("o"))
        #expect(rows().allSatisfy { !$0.contains("20x") } && rows().contains { $0.contains("request 19") }, "\(session.lines)")
        #expect(session.selectedName() == "request 20")
        session.press(.down, .character("o"))
        #expect(rows().count == 2 && session.selectedName() == "request 19", "its row is that of its equals")
        session.press(.up, .down)
        #expect(session.selectedName() == "request 20")
    }

    @Test("On a wide terminal, the list has room for a long error", arguments: [(80, false), (120, true), (200, true)])
    func longErrors(columns: Int, isWhole: Bool) {
        var trace = TraceBuilder()
        let queue = trace.executor("queue", .queue)
        let task = trace.root("load", on: queue)
        trace.enqueue(task)
        trace.start(task)
        trace.fault(task, type: "DecodingError", message: "key 'total' is missing in order 17 of page 3 of 9")
        let session = Session(trace, columns: columns, screen: FaultsScreen.name)
        let rows = session.lines.filter { $0.hasPrefix(" 00:00.00") && $0.contains("unobserved") || $0.contains(" load") }
        #expect(rows.contains { $0.contains("is missing in order 17 of page 3 of 9  ") && $0.contains("load") } == isWhole, "\(rows)")
    }

    @Test("Short errors leave long names whole", arguments: [80, 120, 200])
    func longNames(columns: Int) {
        var trace = TraceBuilder()
        let name = "closure #1 in testRun_whenServiceThrows"
        let task = trace.root(name)
        trace.start(task, .inline)
        trace.fault(task, type: "Broken")
        let line = Session(trace, columns: columns, rows: 50, screen: FaultsScreen.name).lines[3]
        #expect(line.contains(" Broken ") && line.contains(name), "\(line)")
    }

    @Test("A trace that lacks the ends of Swift tasks promises no errors, and one that lacks their runs no hops")
    func promisesNothing() {
        for (screen, promise, truth) in [
            (FaultsScreen.name, "No error so far", "does not show how Swift tasks end"),
            (HopsScreen.name, "No hop yet", "does not show when Swift tasks run"),
        ] {
            let history = TraceHistory()
            #expect(Session(history, screen: screen).lines.contains { $0.contains(promise) })
            history.latest.entries.append(.swiftRoutes(.names))
            let lines = Session(history, screen: screen).lines
            #expect(lines.contains { $0.contains(truth) } && !lines.contains { $0.contains(promise) }, "\(lines)")
        }
    }

    @Test func aStoreThatMovedWithoutEventsIsReadAgain() {
        let trace = SampleTraces.faults
        var session = Session(trace)
        session.press(.character("5"))
        let known = origins(session)
        // The list loses the facts from the events, and has to find the same faults in the store.
        var list = FaultList()
        list.bringUpToDate(session.model.history)
        #expect((0..<list.count).map { list[$0] }.compactMap { session.model.store.task($0)?.label.name } == known)
    }

    @Test("After every step back, the list is that of the state at the cursor", arguments: [1, 2, 3] as [UInt64])
    func stepsBack(seed: UInt64) {
        let trace = RandomTrace(seed: seed, tasks: 80, isComplete: true).trace
        var limits = TraceHistory.Limits()
        limits.keyframeInterval = 50
        let history = TraceHistory(limits: limits)
        history.latest.entries = trace.entries
        history.apply(trace.batch)
        var list = FaultList()
        var counts: Set<Int> = []
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            history.seek(to: Int.random(in: 0...trace.events.count, using: &generator))
            list.bringUpToDate(history)
            let found = (0..<list.count).map { list[list.count - 1 - $0] }
            #expect(Set(found) == Set(FaultAnalysis(history.store).origins()), "event \(history.position)")
            #expect(Set(found).count == found.count)
            counts.insert(found.count)
        }
        #expect(counts.count > 1)
    }

    @Test("A step back examines the errors around the cursor, not all tasks")
    func stepBackIsBounded() {
        let trace = CrowdedTrace.trace(.equalNames, 60_000)
        var faulted = trace
        for _ in 0..<10 { faulted.fault(faulted.root("failing"), type: "Refused") }
        let history = TraceHistory()
        history.latest.entries = faulted.entries
        history.apply(faulted.batch)
        var list = FaultList()
        list.bringUpToDate(history)
        history.step(.back)
        list.bringUpToDate(history)
        #expect(list.count == 9)
        history.step(.back)
        let before = history.store.readCount
        list.bringUpToDate(history)
        #expect(list.count == 9)
        #expect(history.store.readCount - before < 10_000)
    }

    @Test("A jump to a far moment, live or past forgotten events, examines the errors around the cursor, not all tasks")
    func jumpIsBounded() throws {
        var trace = TraceBuilder()
        for number in 0..<200_000 {
            let task = trace.root("task \(number)")
            if number.isMultiple(of: 1_000) { trace.fault(task, type: "Refused") } else { trace.complete(task) }
        }
        var limits = TraceHistory.Limits()
        (limits.liveEvents, limits.keyframeInterval) = (1 << 16, 1 << 14)
        let history = TraceHistory(TraceStore(retention: Retention(endedTasks: 20_000)), limits: limits)
        history.latest.entries = trace.entries
        var list = FaultList()
        var next = 0
        func follow(_ count: Int, then go: (TraceHistory) -> Void) {
            for _ in 0..<count / 10_000 {
                history.apply(
                    TraceBatch(events: Array(trace.events[next..<next + 10_000]), lanes: Array(trace.lanes[next..<next + 10_000])))
                next += 10_000
                list.bringUpToDate(history)
            }
            go(history)
            let before = (history.store.readCount, history.latest.readCount)
            list.bringUpToDate(history)
            let found = (0..<list.count).map { list[list.count - 1 - $0] }
            #expect(max(history.store.readCount - before.0, history.latest.readCount - before.1) < 4_000)
            #expect(found == FaultAnalysis(history.store).origins(), "event \(history.position)")
            #expect(list.scanCount == 0)
        }
        follow(100_000) { $0.seek(to: $0.firstPosition) }
        // The events after the cursor are forgotten when it moves on.
        follow(100_000) { $0.step(.forward) }
        follow(100_000) { $0.step(.forward) }
        follow(20_000) { $0.seek(to: $0.firstPosition) }
        follow(50_000) { $0.seekToLatest() }
        #expect(list.count > 10)
    }

    @Test func theWalkGoesToTheEndOfThePathAndBackOnEveryScreen() throws {
        var session = Session(SampleTraces.faults)
        session.press(.character("5"), .end)
        let path = try #require(session.model.faults.path)
        #expect(path.steps.count == 4)
        for step in path.steps {
            session.press(.character("n"))
            #expect(session.model.shared.selection == step.task)
            var elsewhere = session
            elsewhere.press(TasksScreen.name.key)
            #expect(elsewhere.model.tasks.selectedRow.map { elsewhere.model.tasks.list[$0] } == step.task)
        }
        session.press(.character("n"))
        #expect(session.model.shared.selection == path.steps.last?.task, "the walk ends at the last step")
        session.press(.character("2"))
        #expect(session.model.graph.rails.rows.contains { $0.task == path.steps.last?.task })
        session.press(.character("p"))
        #expect(session.model.shared.selection == path.steps[2].task, "it goes on from every screen")
        session.press(.character("5"))
        #expect(session.model.faults.step == 2)
        session.press(.escape)
        #expect(session.model.faults.step == nil)
        #expect(session.model.faults.selection == path.origin)
        session.press(.escape)
        #expect(session.model.faults.selection == nil)
    }

    @Test func theWalkBeginsAtTheSelection() throws {
        var session = Session(SampleTraces.faults)
        session.press(.character("2"), .home)
        while session.selectedName() != "retry" { session.press(.down) }
        session.press(.character("n"))
        #expect(session.selectedName() == "showFailure")
        session.press(.character("p"), .character("p"))
        #expect(session.selectedName() == "whenAll")
    }

    @Test func theSelectedErrorKeepsItsLineWhileErrorsArrive() throws {
        var trace = SampleTraces.faults
        for round in 0..<40 {
            let task = trace.root("early \(round)")
            trace.fault(task, type: "Early", message: "\(round)")
        }
        var session = Session(trace, rows: 30)
        session.press(.character("5"), .down, .down, .down)
        let selected = try #require(session.model.faults.selection)
        let line = try #require(session.model.faults.pane.selected) - session.model.faults.pane.top
        for round in 0..<20 {
            let before = trace.events.count
            let task = trace.root("late \(round)")
            trace.fault(task, type: "Late", message: "\(round)")
            session.model.store.entries = trace.entries
            session.apply(trace.events[before...])
            #expect(session.model.faults.selection == selected)
            #expect(try #require(session.model.faults.pane.selected) - session.model.faults.pane.top == line)
        }
        #expect(session.model.shared.faults.count == 65)
        session.press(.escape)
        #expect(
            session.model.faults.origin(session.model.shared) == session.model.faults.order.first, "without a selection it shows the first")
    }

    @Test func aClickSelectsAndASecondOpens() throws {
        var session = Session(SampleTraces.faults)
        session.press(.character("5"))
        session.click(30, 5)
        #expect(session.selectedName() == "writePart 3")
        let steps = session.model.faults.pathAreas.steps
        session.click(steps.left + 8, steps.top + 2)
        #expect(session.selectedName() == "whenAll")
        session.click(steps.left + 8, steps.top + 2)
        #expect(session.model.detail?.task == session.model.shared.selection)
        session.press(.character("n"))
        #expect(session.model.detail?.task == session.model.faults.path?.steps[2].task, "the detail walks too")
    }
}
