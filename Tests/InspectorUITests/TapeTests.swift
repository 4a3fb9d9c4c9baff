import InspectorTestKit
import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// The tape of the choices of `hopscope explore`, and two tapes beside each other.
@Suite struct TapeTests {
    /// A strand of an order: a task, or something else with a name.
    private struct Strand {
        var number: UInt32
        var task = TaskID.none
        var label = EntryID.none
    }

    /// Orders of two buyers and a block. Each choice is what runs, and then what could have run; a name with a mark came first and was passed
    /// over.
    private static func order(_ choices: [String]) -> TraceBuilder {
        var trace = TraceBuilder()
        var strands: [Substring: Strand] = ["timer": Strand(number: 2, label: trace.label("the timer due in 8.0 ms"))]
        for (index, name) in ["main", "buyer", "seller"].enumerated() {
            let task = trace.create(.unstructured, name, line: UInt32(10 * index + 10))
            let label = trace.label("goOn", line: UInt32(10 * index + 12))
            strands[Substring(name)] = Strand(number: UInt32(100 + index), task: task, label: label)
        }
        strands["block"] = Strand(number: 200, label: trace.label("a block", line: 50))
        for (index, choice) in choices.enumerated() {
            let names = choice.split(separator: " ")
            func emit(_ name: Substring, _ manner: ChoiceManner) {
                guard let strand = strands[name] else { return }
                let other = UInt64(strand.number) << 32 | UInt64(index + 1)
                trace.emit(TaskEvent(.choice, task: strand.task, other: other, label: strand.label, detail: manner.rawValue))
            }
            let passed = names.first { $0.hasSuffix("!") }
            for name in names.dropFirst() {
                if name == passed { emit(name.dropLast(), .passedOver) } else { emit(name, .possible) }
            }
            emit(names[0], passed == nil ? .first : .instead)
            trace.advance(milliseconds: 1)
        }
        return trace
    }

    private static let choices = [
        "main buyer", "main buyer seller", "buyer seller", "buyer seller block", "timer seller! block", "seller block",
        "block seller! main", "main seller",
    ]

    private func session(columns: Int = 80, rows: Int = 24, glyphs: GlyphSet = .unicode) -> Session {
        var session = Session(Self.order(Self.choices), columns: columns, rows: rows, glyphs: glyphs, screen: TapeScreen.name)
        session.press(.home)
        return session
    }

    /// The same order with the seller at the fourth choice.
    private static var other: OtherOrder {
        let trace = order(Array(choices[..<3]) + ["seller buyer! block", "seller buyer block", "buyer block"])
        let history = TraceHistory()
        history.latest.entries = trace.entries
        history.apply(TraceBatch(events: trace.events, lanes: trace.lanes))
        let tape = ChoiceTape(history)
        let words = Set(tape.choices.flatMap(\.candidates)).map { ($0, CandidateWords($0, TaskWords(history.latest))) }
        return OtherOrder(tape: tape, words: Dictionary(uniqueKeysWithValues: words), ending: "it ends with status 0")
    }

    @Test("A trace without choices has no tape") func absent() {
        var session = Session(SampleTraces.kinesis, columns: 200)
        session.press(.character("T"))
        #expect(session.model.screen == TasksScreen.name)
        let text = session.lines.joined(separator: "\n")
        #expect(text.contains("This trace has no choices") && !text.contains("T Tape"), "\(text)")
    }

    @Test("The tape of a long live trace begins with the first event that is kept") func forgotten() {
        var limits = TraceHistory.Limits()
        (limits.liveEvents, limits.keyframeInterval) = (4 * 16_384, 16_384)
        let history = TraceHistory(limits: limits)
        let marks = (0..<16_384).map { TaskEvent(.mark, at: UInt64($0)) }
        for _ in 0..<8 { history.apply(TraceBatch(events: marks, lanes: marks.map { _ in 0 })) }
        #expect(history.firstKept == history.firstListed + 1)
        var tape = ChoiceTape()
        for _ in 0..<100 where !tape.isComplete(history) { tape.readOn(history, limit: 1 << 16) }
        #expect(tape.isComplete(history))
    }

    @Test("The tape is read in portions, and has each choice with what could have run") func reads() throws {
        let trace = Self.order(Self.choices)
        let history = TraceHistory()
        history.latest.entries = trace.entries
        history.apply(TraceBatch(events: trace.events, lanes: trace.lanes))
        #expect(history.latest.choiceCount == Self.choices.count)
        var tape = ChoiceTape()
        while !tape.isComplete(history) { tape.readOn(history, limit: 2) }
        #expect(tape.choices == ChoiceTape(history).choices)
        #expect(tape.choices.map(\.number) == Array(1...Self.choices.count) && tape.deviationCount == 2)
        #expect(tape.choices.map(\.candidates.count) == Self.choices.map { $0.split(separator: " ").count })
        #expect(tape.choices[4].chosen.isTime && tape.choices[4].candidates[1].manner == .passedOver)
        #expect(tape.index(upTo: tape.choices[3].event) == 3 && tape.index(upTo: tape.choices[3].event - 1) == 2)
        #expect(tape.index(upTo: tape.choices[0].event - 1) == nil)
        #expect(tape.parting(from: Self.other.tape) == 3)
    }

    @Test("Left and right move the time cursor along the tape, and d goes to the deviations") func steps() throws {
        var session = session()
        let text = { session.lines.joined(separator: "\n") }
        func events() -> [Int] { ChoiceTape(session.model.history).choices.map(\.event) }
        #expect(session.model.history.position == events()[0] && text().contains("Choice 1 of 8"), "\(text())")
        session.press(.right)
        #expect(session.model.history.position == events()[1] && text().contains("Choice 2 of 8"), "\(text())")
        session.press(.left, .left)
        #expect(text().contains("This is the first choice."), "\(text())")
        session.press(.character("d"))
        #expect(session.model.history.position == events()[4], "\(text())")
        #expect(text().contains("deviates") && text().contains("the timer due in 8.0 ms") && text().contains("came first"), "\(text())")
        session.press(.character("d"), .character("d"))
        #expect(text().contains("There is no deviation after this choice.") && text().contains("Choice 7 of 8"), "\(text())")
        session.press(.character("D"))
        #expect(text().contains("Choice 5 of 8"), "\(text())")
        session.press(.down, .enter)
        #expect(session.selectedName() == "seller")
        // Steps by event move along the tape, too.
        session.press(.escape, .home, .character(","))
        #expect(text().contains("No choice has been made yet"), "\(text())")
    }

    @Test("o asks for the order with the selected one, shows both tapes, and Esc drops the other one") func others() {
        var session = session()
        let text = { session.lines.joined(separator: "\n") }
        session.press(.character("o"))
        #expect(session.effects.isEmpty && text().contains("This needs the program"), "\(text())")
        session.explore("it ends with status 1")
        // Of two, the other one is meant.
        session.press(.character("o"))
        #expect(session.effects == [.runOrder(choice: 1, strand: 101)])
        session.press(.right, .right, .right, .character("o"))
        #expect(session.effects.isEmpty && text().contains("This one runs here already"), "\(text())")
        session.press(.down, .character("o"))
        #expect(session.effects == [.runOrder(choice: 4, strand: 102)] && text().contains("running the other one"), "\(text())")
        session.send(.ordered(.ended(Self.other)))
        session.press(.up)
        #expect(text().contains("This order: it ends with status 1") && text().contains("The other one: it ends with"), "\(text())")
        session.press(.escape)
        #expect(!text().contains("The other one:") && text().contains("Choice 4 of 8"), "\(text())")
        session.press(.down, .character("o"))
        session.send(.ordered(.refused("It is gone.")))
        session.press(.escape)
        #expect(!text().contains("running the other one"), "\(text())")
    }

    @Test("A click on a cell goes to its choice") func clicks() throws {
        var session = session()
        let row = try #require(session.lines.firstIndex { $0.contains("aabb~cDa") })
        let line = session.lines[row]
        let start = try #require(line.firstRange(of: "aabb~cDa"))
        session.click(line.distance(from: line.startIndex, to: start.lowerBound) + 5, row)
        #expect(session.lines.contains { $0.contains("Choice 6 of 8") }, "\(session.lines)")
    }

    static let shapes = [(60, 16, GlyphSet.unicode), (80, 24, .unicode), (80, 24, .ascii), (120, 36, .unicode)]

    @Test("The tape and two tapes equal their snapshots", arguments: shapes)
    func equalsItsSnapshots(columns: Int, rows: Int, glyphs: GlyphSet) {
        var session = session(columns: columns, rows: rows, glyphs: glyphs)
        session.explore("it ends with status 1")
        session.press(.character("d"))
        let name = "\(columns)x\(rows)\(glyphs.isASCII ? "-ascii" : "")"
        expect(session, "tape-\(name)")
        session.press(.left)
        session.send(.ordered(.ended(Self.other)))
        session.press(.down)
        expect(session, "tapes-\(name)")
    }

    private func expect(_ session: Session, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) {
        if let difference = ScreenSnapshot().difference(of: session.canvas, from: name) {
            Issue.record("\(name) differs:\n\(difference)", sourceLocation: sourceLocation)
        }
    }
}
