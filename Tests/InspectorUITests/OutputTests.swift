import TerminalCanvas
import Testing
import TraceStore

@testable import InspectorUI

/// The Output screen: following, searching, the past, and the receiver of the keys.
@Suite struct OutputTests {
    private static func session(lines: Int = 100) -> Session {
        var session = Session(SampleTraces.kinesis)
        let end = session.model.store.now
        session.start(printing: (1...lines).map { ("line \($0)\n", end * UInt64($0) / UInt64(lines)) })
        session.press(.character("8"))
        return session
    }

    private func shown(_ session: Session) -> [String] {
        session.lines[2..<21].map { $0.trimmingSuffix() }
    }

    @Test func outputHasATabOnlyForAStartedProgram() throws {
        var session = Session(SampleTraces.kinesis)
        #expect(!session.lines[1].contains("Output"))
        session.press(.character("8"))
        #expect(session.model.screen == TasksScreen.name)
        #expect(session.lines[23].contains("hopscope run"))
        session.press(.backTab, .backTab, .backTab, .backTab)
        #expect(session.model.screen == WarningsScreen.name)
        session.start()
        session.press(.tab)
        #expect(session.model.screen == OutputScreen.name)
        #expect(session.lines[1].contains("[8 Out]"))
        session.press(.tab)
        #expect(session.model.screen == EventsScreen.name)
        let tabs = session.lines[1]
        session.click(tabs.distance(from: tabs.startIndex, to: try #require(tabs.firstRange(of: "8 Out")).lowerBound), 1)
        #expect(session.model.screen == OutputScreen.name)
    }

    @Test("The empty line at the cursor is not counted", arguments: ["one\ntwo\n", "one\ntwo"])
    func lineCount(text: String) {
        var session = Session(SampleTraces.kinesis)
        session.start(printing: [(text, 0)])
        session.press(.character("8"))
        #expect(session.lines.contains { $0.hasSuffix(" 2 lines") }, "\(session.lines)")
    }

    @Test func outputFollowsUntilTheUserScrollsUp() {
        var session = Self.session()
        #expect(shown(session).contains("line 100"))
        session.press(.up)
        #expect(!session.model.output.follows)
        let before = shown(session)
        session.send(.printed(Array("more\nand more\n".utf8), at: session.model.store.now))
        session.frame()
        #expect(shown(session) == before)
        session.press(.character("G"))
        #expect(shown(session).contains("and more"))
        session.press(.pageUp, .pageDown)
        #expect(session.model.output.follows)
        session.wheel(.wheelUp)
        #expect(!session.model.output.follows)
        session.press(.home)
        #expect(shown(session).first == "line 1")
        session.press(.character("f"))
        #expect(session.model.output.follows)
    }

    @Test func outputPansSideways() {
        var session = Self.session(lines: 1)
        session.send(.printed(Array("日本語 abcdefgh ijklmnop\n".utf8), at: 0))
        session.press(.right)
        #expect(shown(session)[1] == "bcdefgh ijklmnop")
        #expect(session.lines[21].contains("from column 9"))
        session.press(.left, .left)
        #expect(shown(session)[1].hasPrefix("日本語"))
    }

    @Test func aSearchStartsAtTheLatestMatchAndWrapsAround() {
        var session = Self.session()
        session.press(.character("/"))
        session.type("LINE 1")
        #expect(session.lines[21].contains("not there"), "capital letters are meant")
        for _ in 0..<6 { session.press(.backspace) }
        session.type("line 1")
        #expect(session.model.output.found == 99)
        session.press(.enter, .character("N"))
        #expect(session.model.output.found == 18)
        session.press(.character("n"), .character("n"))
        #expect(session.model.output.found == 0)
        #expect(shown(session).first == "line 1")
        session.press(.escape)
        #expect(session.model.output.search == "")
        #expect(session.model.output.found == nil)
    }

    @Test("A search at an event before the first line finds nothing")
    func searchBeforeTheFirstLine() {
        var session = Self.session()
        session.send(.look(at: 1))
        session.frame()
        #expect(session.model.output.count(session.model.shared) == 0)
        session.press(.character("/"))
        session.type("line")
        #expect(session.model.output.found == nil && session.lines.contains { $0.contains("not there") }, "\(session.lines)")
        session.press(.enter, .character("n"), .character("N"))
        #expect(session.model.output.found == nil)
    }

    @Test func theFoundLineStaysWhenOldLinesAreEvicted() throws {
        var session = Self.session(lines: 50)
        session.press(.character("/"))
        session.type("line 50")
        session.press(.enter)
        let many = (0..<PrintedText.lineLimit).map { "more \($0)\n" }.joined()
        session.send(.printed(Array(many.utf8.prefix(many.utf8.count / 2)), at: 0))
        let found = try #require(session.model.output.found)
        #expect(session.model.output.text.lines[found].text == "line 50")
        session.send(.printed(Array(many.utf8), at: 0))
        #expect(session.model.output.found == nil)
        session.frame()
        #expect(session.lines[21].contains("older lines not kept"))
    }

    @Test func thePastShowsTheOutputUpToTheCursor() {
        var session = Self.session()
        session.press(.character(" "))
        for _ in 0..<10 { session.press(.character(",")) }
        let now = session.model.store.now
        let count = session.model.output.text.lines.count { $0.time <= now }
        #expect(count > 0 && count < 101)
        #expect(session.model.output.count(session.model.shared) == count)
        // The event strip has three lines in the past.
        #expect(session.lines[21].hasPrefix("▸"))
        #expect(session.lines[19].contains("of \(count)"))
        session.press(.enter)
        #expect(session.model.output.isTyping == false)
        #expect(session.lines[23].contains("past"))
    }

    @Test func keysGoToTheProgramUntilControlBracket() {
        var session = Self.session()
        session.press(.enter)
        #expect(session.lines[21].contains("Keys go to the program"))
        #expect(session.lines[23].contains("Ctrl-]"))
        let keys: [(Key, [UInt8])] = [
            (.character("q"), [0x71]), (.character("é"), [0xC3, 0xA9]), (.enter, [0x0D]), (.escape, [0x1B]), (.tab, [0x09]),
            (.backspace, [0x7F]), (.control("d"), [0x04]), (.control("c"), [0x03]), (.up, [0x1B, 0x5B, 0x41]),
            (.function(1), [0x1B, 0x4F, 0x50]), (.function(12), [0x1B, 0x5B, 0x32, 0x34, 0x7E]), (.character("8"), [0x38]),
        ]
        for (key, bytes) in keys {
            session.press(key)
            #expect(session.effects == [.type(bytes)])
        }
        session.send(.paste("a\nb"))
        #expect(session.effects == [.type([0x61, 0x0A, 0x62])])
        session.press(.control("]"))
        #expect(session.effects.isEmpty)
        session.press(.character("1"))
        #expect(session.model.screen == TasksScreen.name)
    }

    @Test func anEndedProgramGetsNoKeys() {
        var session = Self.session()
        session.press(.enter)
        session.send(.programEnded)
        #expect(session.model.mode.title == OutputScreen.readingOnly.title)
        session.press(.enter)
        #expect(session.model.mode.title == OutputScreen.readingOnly.title)
        #expect(session.lines[23].contains("has ended"))
    }

    @Test func aNewSizeReachesTheProgram() {
        var session = Self.session()
        session.send(.resize(Size(columns: 100, rows: 30)))
        #expect(session.effects == [.resizeOutput(Size(columns: 100, rows: 25))])
        var other = Session(SampleTraces.kinesis)
        other.send(.resize(Size(columns: 100, rows: 30)))
        #expect(other.effects.isEmpty)
    }

    // MARK: Processes

    private func process(_ pid: Int32, _ eventCount: UInt64, hasEnded: Bool = false) -> ProgramProcess {
        ProgramProcess(pid: pid, name: "tests", eventCount: eventCount, hasEnded: hasEnded)
    }

    @Test func theBusiestProcessIsShownUntilTheUserSelectsOne() {
        var session = Session()
        session.start()
        session.send(.processes([process(1, 10)]))
        #expect(session.effects == [.show(process(1, 10))])
        session.shown(1)
        session.send(.processes([process(1, 20), process(2, 15)]))
        #expect(session.effects.isEmpty)
        session.send(.processes([process(2, 41), process(1, 20)]))
        #expect(session.effects == [.show(process(2, 41))])
        session.press(.down)
        session.send(.processes([process(2, 41), process(1, 20)]))
        #expect(session.effects.isEmpty)
    }

    @Test("Damaged lanes can claim any number of events")
    func processesOfExtremeCounts() {
        var session = Session()
        session.start()
        session.shown(1)
        session.send(.processes([process(2, .max), process(1, .max / 2 + 1)]))
        #expect(session.effects.isEmpty)
        session.send(.processes([process(2, .max), process(1, .max / 2)]))
        #expect(session.effects == [.show(process(2, .max))])
    }

    @Test func aProcessThatEndedGivesWayToAnyThatIsBusier() {
        var session = Session()
        session.start()
        session.shown(1)
        session.send(.processes([process(2, 15), process(1, 13)]))
        #expect(session.effects.isEmpty)
        session.send(.ended)
        session.send(.processes([process(2, 15), process(1, 13)]))
        #expect(session.effects == [.show(process(2, 15))])
    }

    @Test("A process that has ended gives way to a quieter one that goes on, and does not come back while that lasts")
    func liveProcess() {
        var session = Session()
        session.start()
        session.shown(1)
        session.send(.processes([process(1, 643, hasEnded: true), process(2, 88)]))
        #expect(session.effects == [.show(process(2, 88))])
        session.shown(2)
        session.send(.processes([process(1, 643, hasEnded: true), process(2, 88)]))
        #expect(session.effects.isEmpty)
    }

    @Test func thePaletteSelectsAmongTheOtherProcesses() {
        var session = Session()
        session.start()
        session.shown(1)
        session.press(.down)
        session.send(.processes([process(2, 100), process(1, 20)]))
        #expect(session.effects.isEmpty)
        #expect(session.lines[23].contains("2 processes have tasks. A shows the next one."))
        session.press(.character(":"))
        session.type("process")
        #expect(session.lines.contains { $0.contains("process 1 (this one), 20 events: tests") })
        session.type(" 2, 100")
        session.press(.enter)
        #expect(session.effects == [.show(process(2, 100))])
    }

    @Test func anotherProcessKeepsTheUsersSettings() {
        var session = Self.session()
        session.press(.character("s"))
        let next = Model(showing: process(7, 1), insteadOf: session.model)
        #expect(next.shared.program.shownProcess == 7 && next.shared.program.name == "tests" && next.screen == OutputScreen.name)
        #expect(next.settings.sort == session.model.settings.sort)
        #expect(next.output.text.lines.count == 101)
        #expect(next.output.text.lines.last?.time == 0)
    }
}

extension String {
    fileprivate func trimmingSuffix() -> String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
