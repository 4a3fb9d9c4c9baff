import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The hops between executors with their counts and waits, the hops of one cell, and main's missed frames.
struct HopsScreen: Layer {
    static let name = ScreenName("Hops", shortcut: "6")
    static let modes = [
        KeyMode(
            "Hops",
            KeyRow.list + KeyRow.sideways("", "to another cell of the matrix (or h l)") + [
                .enter("list, open", "from the matrix to its hops, from a hop to its task"),
                KeyRow(
                    .character("m"), shown: "m", footer: "main's stalls", help: "to the stalls of main, and back",
                    answer { $0.toggleStalls(&$1) }),
                KeyRow(
                    .character("s"), shown: "s", footer: "sort", help: "the newest hops or the longest waits first",
                    answer { screen, _ in screen.sort() }),
                .escape("back", "back to the matrix"),
            ])
    ]
    static let facets = Facets<Self>(
        search: .init(
            rows: { screen, shared in
                SearchedRows(count: screen.hops.count, cursor: screen.hopRow) { [hops = screen.hops] row in
                    "\(shared.name(of: hops[row].hop.task)) \(hops[row].hopClass.name)"
                }
            },
            select: { screen, row, shared in
                screen.part = .hops
                screen.select(hopAt: row, &shared)
            }),
        detail: .init(
            isShown: { !$0.matrix.cells.isEmpty || !$0.stalls.isEmpty }, task: { screen, _ in screen.taskAtCursor },
            textWithoutTask: "A closure that belongs to no task has no detail."),
        depth: { screen, _ in screen.part == .matrix ? 0 : 1 }, idleKeys: { screen, _ in screen.canOpen ? [] : [.enter] })

    /// The number of tasks per frame that a pass examines for the matrix.
    static let portion = 8192
    /// Nanoseconds between two passes.
    static let pause: UInt64 = 500_000_000
    /// The number of stalls in the scrollable list.
    static let stallLimit = 1024

    /// The part of the screen in which the keys move.
    enum Part: Hashable, Sendable {
        case matrix, hops, stalls
    }

    private(set) var part = Part.matrix
    private(set) var matrix = HopMatrix()
    /// The source and target executors of the hops: the rows and columns of the matrix.
    private(set) var sources: [ExecutorID] = []
    private(set) var targets: [ExecutorID] = []
    /// The cell whose hops are listed. It stays with its executors. Nil selects the cell with the most hops.
    private(set) var selection: HopEnds?
    /// Whether the list is sorted by wait, the longest first, instead of by time, the latest first.
    private(set) var isByWait = false
    private(set) var hops: [ClassedHop] = []
    private(set) var hop: Hop?
    private(set) var stalls: [MainFrames.Stall] = []
    /// The start time of the selected stall.
    private(set) var stall: UInt64?

    private(set) var areas = HopsAreas()
    /// The rows of the matrix.
    private(set) var matrixPane = ListPane()
    /// The first visible column of the matrix.
    private(set) var firstColumn = 0
    private(set) var hopPane = ListPane()
    private(set) var stallPane = ListPane()

    private var pass: HopPass?
    /// The number of events that the matrix includes.
    private var eventCount = -1
    private var lastEnd: UInt64?
    private var listed: (ends: HopEnds?, isByWait: Bool)?

    var matrixColumns: HopMatrixColumns { HopMatrixColumns(width: areas.matrix.columns, matrix, targets: targets.count) }

    /// Whether a pass is unfinished.
    var isBusy: Bool { pass != nil }

    /// The cell whose hops are listed.
    var ends: HopEnds? {
        if let selection { return selection }
        return matrix.cells.max { ($0.value.count, $1.key.from, $1.key.to) < ($1.value.count, $0.key.from, $0.key.to) }?.key
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        let stallCount = MainFrames(shared.store).isUsed ? stalls.count : nil
        areas = HopsAreas(body, sources: sources.count, stalls: stallCount)
        matrixPane.layOut(in: areas.matrix, count: sources.count)
        hopPane.layOut(in: areas.hops, count: hops.count)
        stallPane.layOut(in: areas.stalls, count: stalls.count)
    }

    /// Updates the matrix and its lists. The cell with the most hops is kept visible while the user has selected none.
    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        count(shared.store, at: time)
        listHops()
        stalls = MainFrames(shared.store).stalls(limit: Self.stallLimit)
        (sources, targets) = (matrix.sources(in: shared.store), matrix.targets(in: shared.store))
        layOut(in: areas.body, shared)
        hopPane.highlight(hopRow)
        stallPane.highlight(part == .stalls ? stallRow : nil)
        if selection == nil, let ends { showCell(ends) }
    }

    /// Continues the pass over all tasks, or begins another.
    private mutating func count(_ store: TraceStore, at now: UInt64) {
        if pass == nil, eventCount != store.eventCount, lastEnd.map({ now >= $0 + Self.pause }) ?? true { pass = HopPass(store) }
        guard let done = pass?.advance(store, portion: Self.portion) else { return }
        matrix = done
        eventCount = pass?.eventCount ?? -1
        lastEnd = now
        pass = nil
        listed = nil
    }

    func isSettled(_ shared: SharedState) -> Bool { !isBusy && eventCount == shared.store.eventCount }

    mutating func restart(_ shared: SharedState) {
        pass = nil
        lastEnd = nil
        eventCount = -1
    }

    /// Lists the hops of the cell in the chosen order.
    private mutating func listHops() {
        let ends = ends
        if let listed, listed == (ends, isByWait) { return }
        listed = (ends, isByWait)
        let cell = ends.flatMap { matrix.cells[$0] }
        if isByWait {
            hops = (cell?.hops ?? []).sorted { ($1.hop.wait ?? .max, $0.hop.at) < ($0.hop.wait ?? .max, $1.hop.at) }
        } else {
            hops = (cell?.hops ?? []).sorted { ($1.hop.at, $1.hop.task) < ($0.hop.at, $0.hop.task) }
        }
        hopPane.setCount(hops.count)
    }

    var hopRow: Int? { hop.flatMap { hop in hops.firstIndex { $0.hop.task == hop.task && $0.hop.at == hop.at } } }
    var stallRow: Int? { stall.flatMap { stall in stalls.firstIndex { $0.since == stall } } }

    /// The task of the selected stall or hop, or of the first hop in the list.
    private var taskAtCursor: TaskID? {
        if part == .stalls, let row = stallRow { return stalls[row].task }
        return hop?.task ?? hops.first?.hop.task
    }

    // MARK: Keys and mouse

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        let before = seen
        switch part {
        case .matrix: moveInMatrix(movement)
        case .hops:
            if let row = hopPane.target(of: movement) { select(hopAt: row, &shared) }
        case .stalls:
            if let row = stallPane.target(of: movement) { select(stallAt: row, &shared) }
        }
        return .changed(if: seen != before)
    }

    /// What the keys change.
    private var seen: [AnyHashable] { [part, ends, firstColumn, hop, stall, matrixPane.rows, hopPane.rows, stallPane.rows] }

    private mutating func moveInMatrix(_ movement: Movement) {
        guard let ends, !sources.isEmpty, !targets.isEmpty else { return }
        let row = sources.firstIndex(of: ends.from) ?? 0
        let column = targets.firstIndex(of: ends.to) ?? 0
        switch movement {
        case .left: select(HopEnds(from: sources[row], to: targets[max(0, column - 1)]))
        case .right: select(HopEnds(from: sources[row], to: targets[min(targets.count - 1, column + 1)]))
        case .up, .down, .pageUp, .pageDown, .first, .last:
            matrixPane.highlight(row)
            select(HopEnds(from: sources[matrixPane.target(of: movement) ?? row], to: targets[column]))
        }
    }

    /// Moves from the matrix into the list, or opens the list's task.
    mutating func open(_ shared: inout SharedState) -> Answer {
        switch part {
        case .matrix:
            guard !hops.isEmpty else { return .ignored }
            part = .hops
            select(hopAt: hopRow ?? 0, &shared)
            return .changed
        case .hops: return hop.map { .detail(of: $0.task) } ?? .ignored
        case .stalls:
            guard let row = stallRow, stalls[row].task != .none else { return .ignored }
            return .detail(of: stalls[row].task)
        }
    }

    private var canOpen: Bool {
        switch part {
        case .matrix: !hops.isEmpty
        case .hops: hop != nil
        case .stalls: stallRow.map { stalls[$0].task != .none } ?? false
        }
    }

    mutating func leave(_ shared: inout SharedState) -> Answer {
        let before = seen
        if part == .matrix { selection = nil }
        part = .matrix
        hop = nil
        return .changed(if: seen != before)
    }

    mutating func scroll(by rows: Int, at point: Point, _ shared: inout SharedState) {
        if stallPane.area.contains(point) { stallPane.scroll(by: rows) } else { hopPane.scroll(by: rows) }
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        if let ends = ends(at: point) {
            part = .matrix
            select(ends)
        } else if let row = hopPane.row(at: point) {
            part = .hops
            if row == hopRow { return open(&shared) }
            select(hopAt: row, &shared)
        } else if let row = stallPane.row(at: point) {
            part = .stalls
            if row == stallRow { return open(&shared) }
            select(stallAt: row, &shared)
        }
        return .changed
    }

    /// The executors of the cell at a point of the screen.
    private func ends(at point: Point) -> HopEnds? {
        guard let row = matrixPane.row(at: point), let column = matrixColumns.position(at: point.column - areas.matrix.left),
            targets.indices.contains(firstColumn + column)
        else { return nil }
        return HopEnds(from: sources[row], to: targets[firstColumn + column])
    }

    /// Whether the list of hops is drawn. The victims of a stall take its place.
    private var isListShown: Bool { !hops.isEmpty && (part != .stalls || stallRow == nil) }

    private mutating func sort() -> Answer {
        guard isListShown else { return .ignored }
        isByWait.toggle()
        listHops()
        if let row = hopRow { hopPane.select(row) }
        return .changed
    }

    private mutating func toggleStalls(_ shared: inout SharedState) -> Answer {
        if part == .stalls {
            part = .matrix
            return .changed
        }
        guard !stalls.isEmpty else { return .ignored }
        part = .stalls
        stallPane.highlight(stallRow)
        let longest = stalls.indices.max { stalls[$0].duration < stalls[$1].duration }
        if stallRow == nil, let longest { select(stallAt: longest, &shared) }
        return .changed
    }

    private mutating func select(_ ends: HopEnds) {
        selection = ends
        hop = nil
        hopPane.highlight(nil)
        hopPane.setTop(0)
        listHops()
        showCell(ends)
    }

    private mutating func showCell(_ ends: HopEnds) {
        if let row = sources.firstIndex(of: ends.from) { matrixPane.show(row) }
        if let column = targets.firstIndex(of: ends.to) {
            firstColumn = max(0, min(max(firstColumn, column - matrixColumns.shown + 1), column))
        }
    }

    private mutating func select(hopAt row: Int, _ shared: inout SharedState) {
        hop = hops[row].hop
        hopPane.select(row)
        shared.follow(hops[row].hop.task)
    }

    private mutating func select(stallAt row: Int, _ shared: inout SharedState) {
        stall = stalls[row].since
        stallPane.select(row)
        if stalls[row].task != .none { shared.follow(stalls[row].task) }
    }
}

/// The areas of the screen's parts.
struct HopsAreas {
    var body = Rect.empty
    /// The line with the selected chain's executors.
    var way = Rect.empty
    var heading = Rect.empty
    var matrix = Rect.empty
    var hopsTitle = Rect.empty
    var hops = Rect.empty
    var stallsTitle = Rect.empty
    var stalls = Rect.empty

    init() {}

    /// - Parameter stalls: the number of main's stalls. Nil if the program does not use main.
    init(_ body: Rect, sources: Int, stalls count: Int?) {
        self.body = body
        var rest: Rect
        (way, rest) = body.split(top: 1)
        (heading, rest) = rest.split(top: 1)
        (matrix, rest) = rest.split(top: max(1, min(sources, body.rows / 4)))
        let stallRows = count.map { max(3, min($0 + 2, rest.rows / 2)) } ?? 0
        let (stallsPart, hopsPart) = rest.split(bottom: stallRows)
        (hopsTitle, hops) = hopsPart.split(top: 1)
        (stallsTitle, stalls) = stallsPart.split(top: 2)
    }
}
