import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// The list of events, whose selection is the time cursor, and the event strip.
@Suite struct EventsTests {
    private func session(columns: Int = 80, rows: Int = 24) -> Session {
        Session(SampleTraces.kinesis, columns: columns, rows: rows, screen: EventsScreen.name)
    }

    @Test("The selected event is the time cursor, and the time cursor is the selected event")
    func selection() throws {
        var session = session()
        let count = session.model.history.eventCount
        #expect(session.model.events.pane.selected == count - 1)
        session.press(.up)
        #expect(session.model.history.position == count - 1 && !session.model.history.isAtLatest)
        session.press(.home)
        #expect(session.model.history.position == 1)
        session.press(.character("."))
        #expect(session.model.events.pane.selected == 1)
        session.press(.character("]"))
        let selected = try #require(session.model.events.pane.selected)
        #expect(session.model.history.event(number: session.model.events.number(at: selected))?.event.kind == .faulted)
        session.press(.escape)
        #expect(session.model.history.isAtLatest)
        #expect(session.model.events.pane.selected == count - 1)
    }

    @Test("Sizes of memory, which come with each snapshot, are no events of the program") func memory() {
        var trace = TraceBuilder()
        trace.state([.names, .sampled])
        let task = trace.create(.unstructured, "request")
        trace.emit(TaskEvent(.memory, task: task, other: 1216))
        trace.suspend(task, .continuation)
        var session = Session(trace, columns: 100, rows: 24, screen: EventsScreen.name)
        #expect(session.lines.contains { $0.contains("created") } && session.lines.contains { $0.contains("suspended until") })
        #expect(!session.lines.contains { $0.contains("bytes of memory") }, "\(session.lines)")
        session.press(.end)
        #expect(session.model.events.pane.count == 2)
    }

    @Test("A long sentence takes room from the names, whose places stay")
    func room() {
        var trace = TraceBuilder()
        let (main, task) = (trace.create(.main, "main"), trace.create(.unstructured, "Bakery.main() Bakery.swift:92"))
        trace.emit(TaskEvent(.cancellationAsked, task: task, other: main.rawValue))
        let lines = Session(trace, columns: 80, rows: 24, screen: EventsScreen.name).lines
        #expect(lines.contains { $0.contains("Bakery.main():92") && $0.contains(" had its cancellation requested by main") }, "\(lines)")
    }

    @Test("While the program runs, the list follows the newest event until the user scrolls")
    func following() {
        let trace = SampleTraces.kinesis
        let history = TraceHistory()
        history.latest.entries = trace.entries
        let count = trace.events.count - 10
        history.apply(TraceBatch(events: Array(trace.events.prefix(count)), lanes: Array(trace.lanes.prefix(count))))
        var session = Session(history, screen: EventsScreen.name)
        #expect(session.model.events.pane.rows.upperBound == count)
        session.apply(trace.events[count..<count + 5])
        #expect(session.model.events.pane.rows.upperBound == count + 5)
        for _ in 0..<12 { session.wheel(.wheelUp) }
        session.apply(trace.events[(count + 5)...])
        #expect(session.model.events.pane.rows.lowerBound == 0)
    }

    @Test(
        "The filter keeps events of kinds, or events of the tasks that fit",
        arguments: [
            ("event:faulted", [EventKind.faulted], nil), ("faulted", [.faulted], nil), ("event:created,hopped", [.created, .hopped], nil),
            ("name:report", EventKind.allCases, "report"), ("event:created name:report", [.created], "report"),
            ("-event:created name:report", EventKind.allCases.filter { $0 != .created }, "report"), ("", EventKind.allCases, nil),
        ] as [(String, [EventKind], String?)])
    func filter(text: String, kinds: [EventKind], name: String?) {
        var session = session()
        session.type("/" + text)
        session.press(.enter)
        let history = session.model.history
        let expected = (1...history.eventCount).filter { number in
            guard let event = history.event(number: number)?.event, let kind = event.kind else { return false }
            return kinds.contains(kind) && (name == nil || history.latest.task(event.task)?.label.name == name)
        }
        let events = session.model.events
        #expect(!expected.isEmpty)
        #expect((0..<events.pane.count).map { events.number(at: $0) } == expected)
    }

    @Test("Each letter of a filter narrows the list and leaves events in it", arguments: ["event:fau", "state:fau", "on:ma"])
    func unfinishedWords(text: String) {
        var session = session()
        session.press(.character("/"))
        let all = session.model.events.pane.count
        for character in text {
            session.press(.character(character))
            #expect(session.model.events.pane.count > 0, "after \(character)")
        }
        #expect(session.model.events.pane.count < all)
    }

    @Test("The list tells of a field and of an event that do not exist", arguments: ["colour:red", "event:exploded"])
    func mistakes(text: String) {
        var session = Session(SampleTraces.kinesis, columns: 160, screen: EventsScreen.name)
        session.type("/" + text)
        session.press(.enter)
        #expect(session.lines.contains { $0.contains("There is no field 'colour'") || $0.contains("'exploded' is no event") })
    }

    @Test("Enter opens the task of the selected event")
    func opening() throws {
        var session = session()
        session.press(.home, .down, .enter)
        #expect(session.model.detail?.task == session.model.history.event(number: 2)?.event.task)
    }

    @Test("Several keys before a frame move the time cursor once")
    func keysTogether() {
        var session = session()
        let before = session.model.history.position
        for _ in 0..<10 { session.send(.key(.up)) }
        #expect(session.model.history.position == before)
        session.frame()
        #expect(session.model.history.position == before - 10)
    }

    @Test("A click or a step may come before the frame that lists what fits a new filter")
    func clickBeforeTheFrame() {
        var session = session()
        let position = session.model.history.position
        session.press(.character("/"))
        for letter in "event:faulted" { session.send(.key(.character(letter))) }
        session.send(.mouse(Mouse(.press(.left), at: Point(column: 10, row: 6))))
        session.send(.key(.enter))
        session.send(.key(.character(",")))
        session.frame()
        #expect(session.model.history.position == position - 1)
        #expect(session.lines.contains { $0.contains("faulted") })
    }

    // MARK: The strip

    private func strip(_ session: Session, rows: Int) -> [String] {
        Array(session.lines.suffix(rows + 1).prefix(rows))
    }

    @Test("Live, the strip has the last event in words", arguments: [60, 80, 200])
    func liveStrip(columns: Int) {
        let session = Session(SampleTraces.kinesis, columns: columns)
        let count = session.model.history.eventCount
        #expect(strip(session, rows: 1)[0].hasPrefix("  #\(count) 00:0"))
    }

    @Test("At the time cursor, the strip has the events before, at and after it", arguments: [60, 80, 200])
    func strip(columns: Int) throws {
        var session = Session(SampleTraces.faults, columns: columns)
        session.press(.character(" "))
        for _ in 0..<4 { session.press(.character("[")) }
        let position = session.model.history.position
        let event = try #require(session.model.history.event(number: position)?.event)
        let lines = strip(session, rows: 3)
        for (line, number) in zip(lines, [position - 1, position, position + 1]) { #expect(line.dropFirst(2).hasPrefix("#\(number)")) }
        #expect(lines[1].hasPrefix("▸"))
        #expect(lines[1].contains(String(session.model.shared.eventWords.sentence(of: event).prefix(columns - 24))))
    }

    @Test("A step marks the cells that it changes, until the next other key")
    func stepHighlights() {
        var session = Session(SampleTraces.kinesis)
        func marked() -> Int {
            let canvas = session.canvas
            return (0..<canvas.size.rows).reduce(0) { count, row in
                count + (0..<canvas.size.columns).count { canvas[Point(column: $0, row: row)].style.emphasis.contains(.changed) }
            }
        }
        session.press(.character(" "))
        var markedSteps = 0
        for _ in 0..<12 {
            session.press(.character(","))
            markedSteps += marked() > 0 ? 1 : 0
        }
        #expect(markedSteps >= 6)
        session.press(.character("y"))
        #expect(marked() == 0)
    }
}
