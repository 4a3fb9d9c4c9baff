import TaskEvents
import TerminalCanvas
import Testing
import TraceLayout
import TraceStore
import TraceTestKit

@testable import InspectorUI

/// The effects of keys and mouse on the model.
@Suite struct UpdateTests {
    // MARK: Everywhere

    @Test(arguments: [Key.character("q")]) func qQuitsOnEveryScreen(key: Key) {
        for screen in ScreenList.names {
            var session = Session(SampleTraces.kinesis)
            session.press(screen.key, key)
            #expect(session.effects == [.quit])
        }
    }

    @Test func controlLRepaints() {
        var session = Session(SampleTraces.kinesis)
        session.press(.control("l"))
        #expect(session.effects == [.repaint])
    }

    @Test func terminationQuits() {
        var session = Session()
        session.send(.terminate)
        #expect(session.effects == [.quit])
    }

    @Test func digitsTabAndMouseSelectScreens() {
        var session = Session(SampleTraces.kinesis)
        #expect(session.model.screen == TasksScreen.name)
        session.press(.character("3"))
        #expect(session.model.screen == ExecutorsScreen.name)
        session.press(.character("0"), .backTab)
        #expect(session.model.screen == session.model.names.last)
        session.press(.tab, .tab)
        #expect(session.model.screen == TasksScreen.name)
        session.click(16, 1)
        #expect(session.model.screen == GraphScreen.name)
        session.click(79, 1)
        #expect(session.model.screen == GraphScreen.name)
    }

    @Test func helpOpensScrollsAndCloses() {
        var session = Session(SampleTraces.kinesis, columns: 60, rows: 16)
        session.press(.character("?"))
        #expect(session.model.help != nil)
        session.press(.end)
        #expect(session.model.help.map { $0.pane.rows.upperBound == $0.pane.count } == true)
        session.press(.character("2"))
        #expect(session.model.screen == TasksScreen.name, "the help has the keys")
        session.press(.escape)
        #expect(session.model.help == nil)
    }

    @Test func theHelpHasEveryKeyOfTheTableOnce() {
        for mode in ScreenList.standard.keys.modes {
            let rows = ScreenList.standard.keys.rows(in: mode)
            let keys = rows.flatMap(\.keys)
            #expect(Set(keys).count == keys.count, "\(mode.title)")
            let reported = Set(ScreenList.standard.keys.entries(in: mode, \.help).map(\.shown))
            for row in rows { #expect(reported.contains(row.shown), "\(mode.title): \(row.shown)") }
        }
        #expect(Set(ScreenList.standard.keys.modes.map(\.title)).count == ScreenList.standard.keys.modes.count)
    }

    /// Each screen's help is read on a terminal that shows it as a whole, and one is also scrolled line by line on a low one.
    @Test(arguments: [60, 80]) func theHelpShowsEveryRowInFull(columns: Int) throws {
        let wanted = Set(
            ScreenList.standard.keys.modes.flatMap { mode in
                let rows = mode.title == "Help" ? [] : ScreenList.standard.keys.entries(in: mode, \.help)
                let glossary = mode.glossary?.words ?? []
                return rows.map { words($0.help) } + glossary.map { "\($0.word) \($0.meaning)" }
            })
        for name in ScreenList.names {
            var session = Session(SampleTraces.kinesis, columns: columns, rows: 1000)
            session.start()
            session.press(name.key, .character("?"))
            let help = try #require(session.model.help)
            #expect(help.pane.rows == 0..<help.pane.count, "the whole text is in sight")
            let lines = helpLines(session, help.pane.area.top..<help.pane.area.bottom)
            let text = words(lines.joined(separator: " "))
            for row in wanted { #expect(text.contains(row), "\(name.title), \(columns) columns: \(row)") }
            if name == TasksScreen.name { #expect(scrolledHelp(columns: columns) == lines) }
        }
    }

    /// The beginning of every row is in sight, those of the screen below at the top left.
    @Test func theHelpHasTwoColumnsOnAWideTerminal() throws {
        var session = Session(SampleTraces.kinesis, columns: 200, rows: 1000)
        session.start()
        session.press(TasksScreen.name.key, .character("?"))
        let help = try #require(session.model.help)
        let lines = help.lines.map { $0.map(\.text).joined() }
        #expect(lines[0].hasPrefix("Tasks ") && lines[0].contains(" Columns of Tasks"))
        for mode in ScreenList.standard.keys.modes where mode.title != "Help" {
            for row in ScreenList.standard.keys.entries(in: mode, \.help) {
                let beginning = row.help.split(separator: " ").prefix(4).joined(separator: " ")
                #expect(lines.contains { $0.contains(beginning) }, "\(mode.title): \(beginning)")
            }
        }
        session.send(.resize(Size(columns: 120, rows: 1000)))
        session.frame()
        #expect(try #require(session.model.help).lines.count * 3 > lines.count * 5)
    }

    /// The lines of the help of Tasks, scrolled to its end on a low terminal.
    private func scrolledHelp(columns: Int) -> [String] {
        var session = Session(SampleTraces.kinesis, columns: columns, rows: 16)
        session.start()
        session.press(TasksScreen.name.key, .character("?"))
        var lines: [String] = []
        while let help = session.model.help {
            let area = help.pane.area
            guard help.pane.rows.upperBound < help.pane.count else {
                return lines + helpLines(session, area.top..<area.top + help.pane.rows.count)
            }
            lines += helpLines(session, area.top..<area.top + 1)
            session.press(.down)
        }
        return lines
    }

    /// Lines of the screen without the frame of the help and without its scroll mark.
    private func helpLines(_ session: Session, _ rows: Range<Int>) -> [String] {
        session.lines[rows].map {
            String($0.drop { $0 == " " }.dropFirst().dropLast(while: { $0 == " " || $0 == "│" || $0 == "┃" }))
        }
    }

    /// A text with single blanks.
    private func words(_ text: String) -> String { text.split(separator: " ").joined(separator: " ") }

    @Test func theHelpOfTasksExplainsEveryColumnBelowTheKeys() {
        let words = TasksScreen.list.glossary?.words ?? []
        #expect(words.map(\.word) == TaskColumn.allCases.map(\.row.title))
        #expect(words.allSatisfy { !$0.meaning.isEmpty })
        let below = Below(mode: TasksScreen.list, keys: ScreenList.standard.keys, names: [], commands: [])
        let sections = HelpScreen.sections(above: below, .unicode).map(\.title)
        #expect(sections.prefix(2) == ["Tasks", "Columns of Tasks"])
    }

    @Test func resizing() {
        var session = Session(SampleTraces.kinesis)
        session.send(.resize(Size(columns: 40, rows: 10)))
        #expect(session.lines.contains { $0.contains("needs 60x16") })
        session.send(.resize(Size(columns: 60, rows: 16)))
        session.frame()
        #expect(session.lines[1].contains("[1 Tas]"))
    }

    // MARK: Tasks

    @Test func theSelectionStaysWithTheTask() {
        let trace = SampleTraces.kinesis
        var session = Session(trace)
        session.press(.down)
        #expect(session.selectedName() == "upload 2")
        session.press(.character("r"))
        #expect(session.selectedName() == "upload 2")
        let row = session.model.tasks.selectedRow
        #expect(row.map { session.model.tasks.list[$0] } == session.model.shared.selection)
        #expect(row != 1)
    }

    @Test func theSelectionKeepsItsLineWhileOtherTasksComeAndGo() throws {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let tasks = (0..<100).map { trace.root("task \($0)", on: pool) }
        let before = trace.events.count
        for task in tasks.prefix(40) { trace.run(task) }
        var session = Session(TraceBuilder())
        session = Session(trace, rows: 24)
        session.press(.pageDown, .pageDown)
        let line = try #require(session.model.tasks.selectedRow) - session.model.tasks.pane.top
        for task in tasks[40...] { trace.enqueue(task) }
        session.apply(trace.events[(before + 40 * 4)...])
        #expect(try #require(session.model.tasks.selectedRow) - session.model.tasks.pane.top == line)
    }

    @Test(arguments: TaskColumn.allCases) func everyColumnSortsInBothDirections(column: TaskColumn) {
        var session = Session(SampleTraces.kinesis, columns: 400)
        let columns = TaskColumns().fit(200).map(\.column)
        #expect(columns == TaskColumn.allCases)
        while session.model.settings.sort.column != column { session.press(.character("s")) }
        let tasks = session.model.tasks.list
        #expect(Set(tasks).count == session.model.store.keptCount)
        session.press(.character("r"))
        #expect(Set(session.model.tasks.list) == Set(tasks))
        if column == .id || column == .name { #expect(session.model.tasks.list == tasks.reversed()) }
        session.press(.character("r"), .character("S"), .character("s"))
        #expect(session.model.settings.sort.column == column)
    }

    @Test("A sort key in a window without columns says that no column is shown", arguments: [1, 9, 17, 30])
    func sortingInANarrowWindow(columns: Int) {
        var session = Session(SampleTraces.kinesis, columns: columns)
        let sort = session.model.settings.sort
        session.press(.character("1"), .character("s"), .character("S"))
        #expect(session.model.settings.sort.column == sort.column)
        if TaskColumns().fit(columns).isEmpty { #expect(session.model.shared.notice == "No column is shown to sort by.") }
    }

    @Test("Beside a detail, long names get the room of columns whose facts the detail has", arguments: [84, 96, 104])
    func namesBesideADetail(columns: Int) throws {
        for empty in [nil, TaskColumn.waits] {
            let name = try #require(TaskColumns().fit(columns, names: 34, empty: empty, hasDetail: true).first { $0.column == .name })
            #expect(name.range.count >= 34)
        }
        #expect(TaskColumns().fit(columns, names: 34).contains { $0.column == .executor })
    }

    @Test("A duration of two numbers fits into its column")
    func wideDurations() {
        var canvas = Canvas(size: Size(columns: 30, rows: 1), glyphs: .unicode)
        for (column, minutes) in [(0, 23), (10, 1384)] as [(Int, UInt64)] {
            let cell = TaskCell(point: Point(column: column, row: 0), columns: 8, alignment: .right)
            cell.write(duration: (minutes * 60 + 4) * 1_000_000_000, isLeast: true, on: &canvas)
        }
        #expect(canvas.lines()[0].hasPrefix("≥23m 04s  ≥23h 04m"))
    }

    @Test func clickingAColumnSortsByItAndAgainReversesTheOrder() {
        var session = Session(SampleTraces.kinesis)
        let total = TaskColumns().fit(80).first { $0.column == .total }!.range.lowerBound
        session.click(total, 2)
        #expect(session.model.settings.sort == TaskSort(column: .total, isReversed: true))
        session.click(total, 2)
        #expect(session.model.settings.sort == TaskSort(column: .total, isReversed: false))
    }

    @Test func clickSelectsAndASecondClickOpens() {
        var session = Session(SampleTraces.kinesis)
        session.click(20, 5)
        #expect(session.selectedName() == "saveInSequence")
        #expect(session.model.detail == nil)
        session.click(20, 5)
        #expect(session.model.detail?.task == session.model.shared.selection)
        session.press(.escape)
        #expect(session.model.detail == nil)
        session.press(.escape)
        #expect(session.model.shared.selection == nil)
    }

    @Test func theWheelScrollsAndDoesNotSelect() {
        var trace = TraceBuilder()
        for index in 0..<100 { _ = trace.root("task \(index)") }
        var session = Session(trace)
        session.wheel(.wheelDown)
        #expect(session.model.tasks.pane.top == 3)
        #expect(session.model.shared.selection == nil)
        session.wheel(.wheelUp)
        #expect(session.model.tasks.pane.top == 0)
    }

    @Test(arguments: [
        ("saverecord", ["saveRecord"]), ("faulted", ["saveRecord"]), ("throttled", ["saveRecord", "submitAllRecords"]),
        ("main pending", ["notify", "finish"]), ("upload queued", ["upload 3"]), ("nonsense", []),
    ])
    func aFilterSelectsTheMatchingTasks(text: String, names: [String]) {
        var session = Session(SampleTraces.kinesis)
        session.press(.character("/"))
        session.type(text)
        let shown = session.model.tasks.list.map { session.model.store.task($0)!.label.name }
        #expect(shown == names)
        session.press(.enter)
        #expect(session.model.mode.title == TasksScreen.list.title)
        session.press(.escape)
        #expect(session.model.tasks.list.count == session.model.store.keptCount)
    }

    @Test func whileTypingKeysAreText() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character("/"))
        session.type("qs1")
        session.send(.paste("a\nb\u{1B}"))
        #expect(session.effects.isEmpty)
        #expect(session.model.tasks.filterText == "qs1a b")
        session.press(.backspace, .backspace)
        #expect(session.model.tasks.filterText == "qs1a")
        session.press(.escape)
        #expect(session.model.tasks.filterText.isEmpty)
    }

    // MARK: Graph

    @Test func theGraphFollowsUntilTheUserMoves() {
        var trace = TraceBuilder()
        for index in 0..<100 { _ = trace.root("task \(index)") }
        var session = Session(trace)
        session.press(.character("2"))
        let rows = session.model.graph.rails.rows.count
        #expect(session.model.graph.rails.isFollowing)
        #expect(session.model.graph.rails.top == 100 - rows)
        session.press(.up)
        #expect(!session.model.graph.rails.isFollowing)
        #expect(session.selectedName() == "task 99")
        let before = trace.events.count
        for index in 100..<200 { _ = trace.root("task \(index)") }
        session.apply(trace.events[before...])
        #expect(session.model.graph.rails.top == 100 - rows)
        session.press(.character("f"))
        #expect(session.model.graph.rails.top == 200 - rows)
        session.press(.home, .end)
        #expect(session.model.graph.rails.isFollowing)
    }

    @Test func rowsInsertedAboveDoNotMoveTheVisibleRows() throws {
        var trace = TraceBuilder()
        let roots = (0..<60).map { trace.root("task \($0)") }
        var session = Session(trace)
        session.press(.character("2"), .home, .pageDown, .pageDown, .down)
        let selected = try #require(session.model.shared.selection)
        let line = try #require(session.model.graph.rails.rows.firstIndex { $0.task == selected })
        let before = trace.events.count
        for root in roots.prefix(20) { _ = trace.continuation("then", of: root) }
        session.apply(trace.events[before...])
        #expect(session.model.graph.rails.rows.firstIndex { $0.task == selected } == line)
    }

    @Test func panningStopsAtBothEnds() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character("2"), .left)
        #expect(session.model.graph.rails.pan == 0)
        for _ in 0..<100 { session.press(.right) }
        #expect(session.model.graph.rails.pan == RailsWindow.panLimit)
        session.press(.character("f"))
        #expect(session.model.graph.rails.pan == 0)
    }

    @Test func aClickOnTheSelectedRowOpensIt() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character("2"))
        session.click(30, 3)
        #expect(session.selectedName() == "submitAllRecords")
        session.click(30, 3)
        #expect(session.model.detail != nil)
        session.press(.right)
        #expect(session.selectedName() == "report")
        session.press(.left, .left)
        #expect(session.selectedName() == "saveRecord")
    }

    // MARK: Executors

    @Test func aQueueUnfoldsAndItsJobsOpen() {
        var session = Session(SampleTraces.load(12_000))
        session.press(.character("3"), .down, .enter)
        #expect(session.model.executors.blocks.unfolded.count == 1)
        session.press(.down, .down, .down, .down)
        session.press(.enter)
        #expect(session.model.detail?.task == TaskID(rawValue: 3))
        session.press(.escape, .end)
        #expect(session.lines.contains { $0.hasPrefix(" 11,999 work ") })
        session.press(.home, .enter)
        #expect(session.model.executors.blocks.unfolded.isEmpty)
    }

    @Test func theMouseSelectsAndOpensJobs() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character("3"))
        session.click(10, 9)
        #expect(session.model.executors.selection?.line == 3)
        session.click(10, 9)
        #expect(session.selectedName() == "putRecord 1")
    }
}

extension StringProtocol {
    /// The text without its trailing characters that satisfy `isSuch`.
    fileprivate func dropLast(while isSuch: (Character) -> Bool) -> String {
        String(reversed().drop(while: isSuch).reversed())
    }
}
