import InspectorTestKit
import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

@testable import InspectorUI

/// The order and groups of the task list; the visible rows stay visible.
@Suite struct TaskOrderTests {
    /// The expected order, written down directly: by the column's value, then by id.
    private func expected(_ sort: TaskSort, _ store: TraceStore) -> [TaskID] {
        func number(_ task: TaskView) -> UInt64 {
            switch sort.column {
            case .sign: trouble(of: task)
            case .id: task.id.rawValue
            case .state: UInt64(DisplayedState(task).rank)
            case .total: task.total(at: store.now) ?? 0
            case .busy: task.busy ?? 0
            case .queued: task.queuedTime ?? 0
            case .hops: UInt64(task.hopCount)
            case .next: task.next(in: store).map { $0.other.rawValue } ?? .max
            case .waits: WaitsFor.order(of: task, in: store) ?? .max
            case .site: UInt64(task.label.line)
            case .executor: task.executor == .none ? 1 : 0
            case .name: 0
            }
        }
        func text(_ task: TaskView) -> String {
            switch sort.column {
            case .name: task.label.name
            case .executor: task.executor == .none ? "" : store.description(of: task.executor).name
            case .sign, .id, .state, .waits, .total, .busy, .queued, .hops, .next, .site: ""
            }
        }
        let keys = store.rows.map { (id: store[$0].id, number: number(store[$0]), text: text(store[$0])) }
        return keys.sorted { one, other in
            if one.number != other.number { return (one.number < other.number) != sort.isReversed }
            if one.text != other.text { return (one.text < other.text) != sort.isReversed }
            return one.id < other.id
        }.map(\.id)
    }

    private func trouble(of task: TaskView) -> UInt64 {
        let isUnread = task.isReleased && !task.isErrorReadOutside && task.successors.allSatisfy { _ in false }
        return task.state == .faulted && isUnread ? 2 : task.isSynthesised ? 1 : 0
    }

    private func order(_ store: TraceStore, _ wish: TaskOrderWish, by portion: Portion = TaskOrder.portion) -> TaskOrder {
        var order = TaskOrder()
        while !order.advance(store, wish, at: 0, by: portion) {}
        return order
    }

    /// A portion that suffices for a few hundred steps.
    private static let smallPortion = Portion(nanoseconds: 2000)

    @Test(arguments: TaskColumn.allCases, [false, true]) func everyColumnSorts(column: TaskColumn, isReversed: Bool) {
        for seed in 1...3 as ClosedRange<UInt64> {
            let store = RandomTrace(seed: seed, tasks: 400, isComplete: false).trace.store()
            let sort = TaskSort(column: column, isReversed: isReversed)
            let expected = expected(sort, store)
            #expect(order(store, TaskOrderWish(sort: sort)).tasks == expected, "seed \(seed)")
            #expect(order(store, TaskOrderWish(sort: sort), by: Self.smallPortion).tasks == expected, "seed \(seed), in portions")
        }
    }

    @Test(arguments: TaskGrouping.allCases) func groupsHoldTheTasksOfTheirHeadings(grouping: TaskGrouping) {
        let store = RandomTrace(seed: 5, tasks: 400, isComplete: false).trace.store()
        let sort = TaskSort(column: .busy, isReversed: true)
        let order = order(store, TaskOrderWish(sort: sort, grouping: grouping))
        let portioned = self.order(store, TaskOrderWish(sort: sort, grouping: grouping), by: Self.smallPortion)
        #expect(portioned.tasks == order.tasks && portioned.groups == order.groups)
        guard grouping != .none else {
            #expect(order.groups.isEmpty)
            return
        }
        #expect(order.groups.flatMap { Array($0.tasks) } == Array(0..<store.keptCount))
        #expect(Set(order.groups.map(\.name)).count == order.groups.count && (order.groups.count > 1 || grouping == .site))
        let whole = expected(sort, store)
        for (index, group) in order.groups.enumerated() {
            #expect(order.groups.index(of: group.name) == index)
            let tasks = order.tasks[group.tasks]
            for id in tasks {
                guard let task = store.task(id) else { continue }
                switch group.name {
                case .state(let rank): #expect(DisplayedState(task).rank == Int(rank))
                case .executor(let executor): #expect(task.executor == executor)
                case .name(let name): #expect(task.label.name == name)
                case .site(let site): #expect(task.label.site == site)
                case .chain(let chain): #expect(task.chain == chain)
                case .library(let library): #expect(library.isEmpty)
                }
            }
            // Inside a group the order is that of the whole list.
            let members = Set(tasks)
            #expect(Array(tasks) == whole.filter(members.contains))
        }
    }

    @Test func rowsAndTasksLeadToEachOther() {
        let tasks = (1...30).map { TaskID(rawValue: UInt64($0)) }
        let names = (0..<3).map { TaskGroup.Name.state(UInt8($0)) }
        var groups = TaskGroups(.state)
        for (number, end) in [5, 6, 30].enumerated() { groups.append(UInt64(number), until: end) }
        let toggled = [[], [names[0]], [names[1], names[2]], names]
        var all = FoldedGroups()
        all.fold(all: true)
        for folded in [FoldedGroups(), all].flatMap({ start in toggled.map { start.toggling($0) } }) {
            let rows = TaskListRows(tasks, groups, folded: folded)
            #expect(rows.count == 3 + groups.reduce(0) { $0 + (folded.contains($1.name) ? 0 : $1.tasks.count) })
            for row in 0..<rows.count {
                switch rows[row] {
                case .task(let task): #expect(rows.row(of: task) == row && rows.selectable(from: row, step: 1) == row)
                case .heading(let group, let isFolded):
                    #expect(isFolded == folded.contains(group.name) && rows.group(at: row) == group)
                    #expect((rows.row(of: tasks[group.tasks.lowerBound]) == row) == isFolded)
                    #expect((rows.selectable(from: row, step: 1) == row) == isFolded)
                }
            }
        }
        #expect(TaskListRows(tasks, groups, folded: FoldedGroups()).selectable(from: 0, step: -1) == 1)
    }

    @Test func aBigListIsSortedInPortionsAndShowsTheNumberOfMatchesAtOnce() throws {
        let store = BigStore.make(60_000)
        var order = TaskOrder()
        let wish = TaskOrderWish(sort: TaskSort(column: .total), query: try TaskQuery("name~work"))
        let isDone = order.advance(store, wish, at: 0)
        #expect(isDone)
        #expect(order.matchCount == 60_000 && order.tasks == expected(wish.sort, store))
    }

    @Test func tasksThatArriveOrLeaveBetweenPortionsAreListedOnceOrNotAtAll() throws {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let staying = (0..<500).map { trace.root("stays \($0)", on: pool) }
        let store = trace.store(retention: Retention(endedTasks: 100))
        var order = TaskOrder()
        var applied = trace.events.count
        var calls = 0
        while !order.advance(store, TaskOrderWish(sort: TaskSort(column: .total)), at: 0, by: Portion(nanoseconds: 700)) {
            for number in 0..<20 { trace.complete(trace.root("comes \(number)", on: pool)) }
            store.entries = trace.entries
            store.apply(trace.events[applied...])
            applied = trace.events.count
            calls += 1
        }
        #expect(calls > 10 && store.evictedCount > 100)
        #expect(Set(order.tasks).count == order.tasks.count && order.tasks.count == order.matchCount)
        #expect(Set(order.tasks).isSuperset(of: staying))
    }

    @Test func anAbandonedPassLeavesNothingInTheNext() throws {
        let store = RandomTrace(seed: 9, tasks: 400, isComplete: false).trace.store()
        var order = TaskOrder()
        for (index, column) in TaskColumn.allCases.enumerated() {
            for grouping in TaskGrouping.allCases {
                let wish = TaskOrderWish(sort: TaskSort(column: column), grouping: grouping)
                order.restart()
                for _ in 0..<index * 3 { _ = order.advance(store, wish, at: 0, by: Self.smallPortion) }
            }
        }
        order.restart()
        let sort = TaskSort(column: .busy)
        while !order.advance(store, TaskOrderWish(sort: sort), at: 0, by: Self.smallPortion) {}
        #expect(order.tasks == expected(sort, store) && order.groups.isEmpty)
    }

    // MARK: Staying in sight

    @Test func theSelectedTaskStaysSelectedThroughAThousandSorts() throws {
        var random = SeededGenerator(seed: 11)
        var trace = TraceBuilder()
        let pools = (0..<3).map { trace.executor("pool \($0)", .pool) }
        let waiting = (0..<60).map { trace.root("waits \($0)", on: pools[$0 % 3]) }
        let history = TraceHistory(TraceStore(retention: Retention(endedTasks: 120)))
        history.latest.entries = trace.entries
        history.apply(TraceBatch(events: trace.events, lanes: trace.lanes))
        var session = Session(history, rows: 30)
        session.press(.down)
        let selected = waiting[20]
        session.select(selected)
        var (sorts, hidden, steady) = (0, 0, 0)
        var arrived = trace.events.count
        while sorts < 1000 {
            let before = session.lineOfSelection
            var isMoved = false
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<3:
                session.press(.character(["s", "S", "r"].randomElement(using: &random)!))
            case 3:
                session.press(.character("o"))
                isMoved = true
            case 4:
                session.press(.character(["z", "Z"].randomElement(using: &random)!))
                isMoved = true
            case 5:
                // Each letter is a pass of its own, and a pass that reaches an end of the list moves the line.
                isMoved = true
                session.press(.character("/"), .escape, .character("/"))
                session.type(["state:pending", "waits", "on~pool", "next>0", "name:*0", "-state:pending"].randomElement(using: &random)!)
                session.press(.enter)
            case 6:
                session.press(.character("/"), .escape)
            default:
                // Other tasks arrive, run, and evict older ones.
                for number in 0..<Int.random(in: 1...30, using: &random) {
                    let task = trace.root("comes \(number)", on: pools.randomElement(using: &random)!)
                    trace.run(task, after: UInt64.random(in: 0...5, using: &random), milliseconds: UInt64.random(in: 1...9, using: &random))
                }
                history.latest.entries = trace.entries
                session.apply(trace.events[arrived...])
                arrived = trace.events.count
            }
            sorts += 1
            #expect(session.model.shared.selection == selected)
            let matches = TaskQueryMatcher(session.model.tasks.query, in: session.model.store).tasks().contains(selected)
            guard matches else {
                #expect(session.model.tasks.selectedRow == nil)
                hidden += 1
                continue
            }
            let row = try #require(session.model.tasks.selectedRow)
            #expect(session.model.tasks.rows.row(of: selected) == row)
            guard case .task(selected) = session.model.tasks.rows[row] else { continue }
            let after = try #require(session.lineOfSelection)
            if (0..<session.listHeight).contains(after) { #expect(session.lines[3 + after].contains("waits 20")) }
            // If it was visible it keeps its line, as far as the length of the list allows.
            if let before, !isMoved, (0..<session.listHeight).contains(before) {
                let top = session.model.tasks.pane.top
                let isAtAnEnd = top == 0 || top + session.listHeight >= session.model.tasks.rows.count
                #expect(after == before || isAtAnEnd)
                steady += after == before ? 1 : 0
            }
        }
        #expect(session.model.store.evictedCount > 5000)
        #expect(hidden > 20 && steady > 200)
    }

    // MARK: Groups and columns

    @Test func groupsAreFoldedByKeyAndByMouse() throws {
        var session = Session(SampleTraces.kinesis, rows: 25)
        session.press(.character("o"), .character("o"))
        if let difference = ScreenSnapshot().difference(of: session.canvas, from: "tasks-by-state") { Issue.record("\(difference)") }
        session.press(.down)
        #expect(session.selectedName() == "upload 2")
        session.press(.character("z"))
        #expect(session.lines[3].contains("▸ ▶ running  2 tasks"))
        #expect(session.selectedName() == "upload 2" && session.model.tasks.selectedRow == 0)
        // Moves to the next group's first task, past its heading, and back to the folded heading.
        session.press(.down)
        #expect(session.selectedName() == "saveInSequence")
        session.press(.up, .enter)
        #expect(session.lines[3].contains("▾") && session.model.detail == nil)
        session.click(3, 3)
        #expect(session.lines[3].contains("▸"))
        session.press(.character("Z"))
        #expect(session.model.tasks.rows.count == session.model.tasks.rows.groups.count)
        // When all groups but one are folded, `Z` folds that one too.
        session.press(.character("z"), .character("Z"))
        #expect(session.model.tasks.rows.count == session.model.tasks.rows.groups.count)
        session.press(.character("Z"))
        #expect(session.model.tasks.rows.count == session.model.tasks.list.count + session.model.tasks.rows.groups.count)
    }

    @Test func oCyclesThroughAllGroupings() {
        var session = Session(SampleTraces.kinesis)
        var seen: [TaskGrouping] = []
        for _ in TaskGrouping.allCases {
            session.press(.character("o"))
            seen.append(session.model.settings.grouping)
            #expect(session.effects == [.save(session.model.settings)])
        }
        #expect(seen == [.site, .state, .executor, .name, .chain, .none])
        session.press(.character("z"))
        #expect(session.lines.last?.contains("There are no groups") == true)
    }

    @Test func movedColumnsAreSaved() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character("("), .character("("), .character("("))
        #expect(session.model.settings.columns.order.prefix(3) == [.state, .sign, .id])
        #expect(session.lines[2].hasPrefix(" State"))
        session.press(.character("("))
        #expect(session.lines.last?.contains("at the end already") == true)
        session.press(.character(")"))
        #expect(session.effects == [.save(session.model.settings)])
        var other = Session(SampleTraces.kinesis)
        other.settle(session.model.settings)
        #expect(other.lines[2] == session.lines[2])
    }

    /// Found by `make fuzz`, recordings: events, seed 7000020: sorting by name filled an array up to the label's id.
    @Test("Ids that no table has are numbered without room for all ids before them")
    func extremeIDs() {
        var numbers = TextNumbers()
        let ids: [UInt64] = [3, UInt64(UInt32.max), 7, .max, UInt64(UInt32.max), 3, UInt64(TextNumbers.nearest), .max]
        #expect(ids.map { id in numbers.number(of: id) { TextNumbers.Text(text: "\($0)") } } == [0, 1, 2, 3, 1, 0, 4, 3])
        #expect(numbers.room <= 16)
    }

    @Test("Folding groups saves nothing, because no setting changes") func foldingIsNotSaved() {
        var session = Session(SampleTraces.kinesis)
        session.press(.character("o"))
        #expect(session.effects == [.save(session.model.settings)])
        for key in [Key.character("z"), .character("Z")] {
            session.press(key)
            #expect(session.effects.isEmpty, "\(key)")
        }
    }
}

/// A store with the given number of ended tasks.
private enum BigStore {
    static func make(_ count: Int) -> TraceStore {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        for number in 0..<count {
            let task = trace.root("work \(number % 7)", on: pool)
            trace.advance(nanoseconds: UInt64(number * 7919 % 100_003))
            trace.complete(task)
        }
        return trace.store()
    }
}

extension FoldedGroups {
    fileprivate func toggling(_ names: [TaskGroup.Name]) -> FoldedGroups {
        names.reduce(into: self) { $0.toggle($1) }
    }
}
