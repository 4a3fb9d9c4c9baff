import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// The selected chain as boxes, and the visible part of that picture.
package struct BoxesWindow {
    /// The largest number of boxes drawn.
    static let boxLimit = 400
    /// The largest number of tasks that the boxes stand for.
    static let taskLimit = 4000
    /// Nanoseconds between two layouts.
    static let pause: UInt64 = 200_000_000
    /// Widths of a box, from the farthest zoom to the nearest.
    static let widths = [10, 16, 20, 24, 30, 36, 48, 64]
    /// The zoom of a picture that does not fit at any.
    private static let usualZoom = 1

    package private(set) var layout = Boxes()
    /// An index of `widths`.
    package private(set) var zoom = 3
    /// The picture's column and row at the top left of the window. Negative if the picture is smaller than the window.
    package private(set) var origin = BoxCorner(column: 0, row: 0)
    /// The first task of the shown chain.
    package private(set) var chain: TaskID?
    /// Whether tasks were left out.
    package private(set) var isPartial = false
    /// For each box of several tasks: the beginning that their names share, and the longest time that a body of theirs ran.
    private(set) var crowds: [TaskID: BoxTexts.Crowd] = [:]
    /// The numbers of tasks and of blocks in the picture.
    private(set) var taskCount = 0
    private(set) var blockCount = 0
    /// Where the picture is drawn.
    private(set) var area = Rect.empty
    /// Whether the zoom is the nearest at which the picture fits. The user's zoom ends this until another chain is shown.
    private var isFitted = true
    /// Whether no tasks share a box, and the groups whose tasks do not.
    private(set) var areUnfolded = false
    private var unfolded: [[TaskID]] = []
    private var laidOut: Key?
    /// The task whose connected chains are drawn.
    private var focus: TaskID?
    private var lastTime: UInt64?

    private struct Key: Equatable {
        var tasks: [TaskID]
        var links: Int
        var folds: [[TaskID]]
        var zoom: Int
        var size: Size?
    }

    mutating func layOut(in area: Rect) {
        if self.area.size != area.size { lastTime = nil }
        self.area = area
    }

    /// Makes the next frame lay out the picture, because the state is from another time.
    mutating func restart() {
        lastTime = nil
    }

    /// Lays out the chain of the selected task and the chains connected with it. Without a selection, keeps the current chain, or takes the
    /// first.
    mutating func refresh(_ store: TraceStore, selection: TaskID?, at now: UInt64) {
        let isOther = selection.map { task in layout.index(of: task) == nil } ?? false
        if let lastTime, now < lastTime + Self.pause, !isOther, laidOut?.zoom == zoom { return }
        lastTime = now
        // Selecting a task inside the picture does not change the picture.
        if isOther || focus == nil {
            focus = selection ?? firstTask(store)
            isFitted = true
        }
        guard let focus, let (tasks, folds) = find(focus, store) else { return }
        // The picture has no room for more links of one task.
        let links = tasks.reduce(0) { sum, id in
            sum + (store.task(id)?.successors.prefix(Self.taskLimit).reduce(0) { count, _ in count + 1 } ?? 0)
        }
        let key = Key(tasks: tasks, links: links, folds: folds, zoom: zoom, size: isFitted ? area.size : nil)
        guard key != laidOut else { return }
        let anchor = selection.flatMap { box(of: $0) }
        crowds = Dictionary(folds.map { ($0[0], crowd($0, store)) }) { first, _ in first }
        layout = Boxes(tasks, in: store, folds: folds, style: Self.style(zoom: zoom))
        if isFitted { fit(store) }
        laidOut = key
        laidOut?.zoom = zoom
        // The selected box keeps its place on the screen.
        if let anchor, let box = box(of: anchor.task) {
            origin.column += box.column - anchor.column
            origin.row += box.row - anchor.row
        } else if isOther || selection == nil {
            origin = BoxCorner(column: 0, row: 0)
        }
        if let selection { show(selection) }
        pan(columns: 0, rows: 0)
    }

    /// The tasks of the picture, and the groups of them that share a box. A picture of too many boxes is limited to the nearest tasks.
    private mutating func find(_ focus: TaskID, _ store: TraceStore) -> (tasks: [TaskID], folds: [[TaskID]])? {
        for limit in [Self.taskLimit, Self.boxLimit] {
            let chains = ChainAnalysis(store).chains(connectedWith: focus, limit: limit)
            guard let first = chains.first else { return nil }
            chain = first.id
            isPartial = chains.contains(where: \.isPartial) || chains.reduce(0) { $0 + $1.tasks.count } >= limit
            let tasks = chains.flatMap(\.tasks).sorted()
            blockCount = tasks.count(where: \.isBlock)
            taskCount = tasks.count - blockCount
            let folds = folds(of: tasks, store)
            if tasks.count - folds.reduce(0, { $0 + $1.count - 1 }) <= Self.boxLimit { return (tasks, folds) }
        }
        return nil
    }

    /// Tasks share a box only if they have succeeded, and were made by the same line of the program for the same executor.
    private func folds(of tasks: [TaskID], _ store: TraceStore) -> [[TaskID]] {
        guard !areUnfolded else { return [] }
        struct Origin: Hashable {
            var kind: TaskKind
            var executor: ExecutorID
            var file: String
            /// Without a file, the number of the name or of the code that made the task.
            var line: UInt32
        }
        let own = Set(unfolded.joined())
        var keys: [Origin: Int] = [:]
        return BoxFolds.groups(of: tasks, in: store) { id in
            guard !own.contains(id), let task = store.task(id), task.state == .succeeded else { return nil }
            let label = task.label
            let line = label.file.isEmpty ? task.labelID.rawValue : label.line
            let origin = Origin(kind: task.kind, executor: task.executor, file: label.file, line: line)
            let key = keys[origin] ?? keys.count
            keys[origin] = key
            return key
        }
    }

    private func crowd(_ tasks: [TaskID], _ store: TraceStore) -> BoxTexts.Crowd {
        let words = TaskWords(store)
        let views = tasks.compactMap { store.task($0) }
        let names = views.map { words.name(of: $0) }
        let common = names.dropFirst().reduce(names.first ?? "") { common, name in
            String(zip(common, name).prefix { $0 == $1 }.map(\.0))
        }
        return BoxTexts.Crowd(name: common, longest: views.compactMap { $0.bodyTime(at: store.now) }.max())
    }

    private static func style(zoom: Int, rows: Int = BoxTexts.rows) -> Boxes.Style {
        Boxes.Style(boxColumns: widths[zoom], labelColumns: zoom == 0 ? 2 : BoxTexts.labelColumns, boxRows: rows)
    }

    /// The number of boxes whose names decide on the width of boxes.
    private static let namedLimit = 64

    /// Chooses the nearest zoom at which the picture's width is visible, with each task's fate and times if the rows are visible too. A
    /// picture that would cut names gets boxes of different widths.
    private mutating func fit(_ store: TraceStore) {
        let names = layout.boxes.prefix(Self.namedLimit).compactMap { BoxTexts($0, crowds[$0.task], store)?.nameColumns }
        let needed = names.max() ?? 0
        let pictures = Self.widths.indices.map { layout.placed(Self.style(zoom: $0)) }
        let wide = pictures.lastIndex { $0.columns <= area.columns }
        zoom = wide ?? Self.usualZoom
        layout = pictures[zoom]
        guard wide.map({ Self.widths[$0] < needed }) ?? true else {
            let roomy = layout.placed(Self.style(zoom: zoom, rows: BoxTexts.tallRows))
            if roomy.rows <= area.rows { layout = roomy }
            return
        }
        guard let tight = tightPicture(upTo: min(needed, Self.widths[Self.widths.count - 1]), store) else { return }
        layout = tight
        let widest = tight.boxes.map(\.columns).max() ?? 0
        zoom = Self.widths.lastIndex { $0 <= widest } ?? 0
    }

    /// The picture in which each layer has only the room that its texts need. Leaves out first the durations, then the labels' words; then
    /// names have two lines, if the rows are visible; in the end names are cut. Nil if it is wider than the window.
    private func tightPicture(upTo most: Int, _ store: TraceStore) -> Boxes? {
        func picture(_ columns: Int, _ needs: Boxes.Needs, rows: Int = BoxTexts.rows) -> Boxes? {
            let style = Boxes.Style(boxColumns: columns, labelColumns: BoxTexts.labelColumns, boxRows: rows)
            let picture = layout.placed(style, needs: needs)
            return picture.columns <= area.columns ? picture : nil
        }
        let texts = layout.boxes.map { BoxTexts($0, crowds[$0.task], store) }
        func needs(durations: Bool, labels: Bool) -> Boxes.Needs {
            let boxes = zip(layout.boxes, texts).map { ($0.task, $1?.columns(withDuration: durations) ?? 0) }
            let words = layout.wires.map { ($0.edge, BoxTexts.label(of: $0.edge, store).columns(isShort: !labels)) }
            return Boxes.Needs(boxes: Dictionary(boxes) { one, _ in one }, labels: Dictionary(words) { one, _ in one })
        }
        for (durations, labels) in [(true, true), (false, true), (false, false)] {
            if let picture = picture(most, needs(durations: durations, labels: labels)) { return picture }
        }
        let least = needs(durations: false, labels: false)
        // A picture with a smaller limit is never wider.
        var (low, high) = (Self.widths[0] - 1, most)
        while low + 1 < high {
            let middle = (low + high) / 2
            if picture(middle, least) == nil { high = middle } else { low = middle }
        }
        guard low >= Self.widths[0] else { return nil }
        let tall = picture(low, least, rows: BoxTexts.tallRows)
        return tall.flatMap { $0.rows <= area.rows ? $0 : nil } ?? picture(low, least)
    }

    // MARK: Folds

    /// Gives the tasks of the selected box a box each, or folds them again. False if the box stands for one task that never shared one.
    mutating func toggle(_ selection: TaskID?) -> Bool {
        lastTime = nil
        if let selection, let group = unfolded.firstIndex(where: { $0.contains(selection) }) {
            unfolded.remove(at: group)
        } else if let box = selection.flatMap({ box(of: $0) }) ?? layout.boxes.first(where: { $0.members.count > 1 }), box.members.count > 1
        {
            unfolded.append(box.members)
        } else {
            return false
        }
        return true
    }

    mutating func toggleAll() {
        areUnfolded.toggle()
        unfolded = []
        lastTime = nil
    }

    func box(of task: TaskID) -> Box? {
        layout.index(of: task).map { layout.boxes[$0] }
    }

    /// Moves the window within the picture.
    mutating func pan(columns: Int, rows: Int) {
        origin.column = Self.bounded(origin.column + columns, of: layout.columns, in: area.columns)
        origin.row = Self.bounded(origin.row + rows, of: layout.rows, in: area.rows)
    }

    /// Where a window begins in a picture of that length. A shorter picture is in the middle of the window.
    private static func bounded(_ origin: Int, of length: Int, in window: Int) -> Int {
        length < window ? (length - window) / 2 : max(0, min(origin, length - window))
    }

    /// Moves the window as little as possible to show a task's box.
    mutating func show(_ task: TaskID) {
        guard let box = box(of: task) else { return }
        origin.column = min(box.column, max(origin.column, box.column + box.columns + 4 - area.columns))
        origin.row = min(box.row, max(origin.row, box.row + min(box.rows, 6) - area.rows))
        pan(columns: 0, rows: 0)
    }

    mutating func zoom(by step: Int) {
        guard Self.widths.indices.contains(zoom + step) else { return }
        zoom += step
        isFitted = false
    }

    /// Moves the window by quarters of its size.
    mutating func pan(quarters columns: Int, _ rows: Int) {
        pan(columns: columns * area.columns / 4, rows: rows * area.rows / 4)
    }

    mutating func page(_ direction: Int) {
        pan(columns: 0, rows: direction * (area.rows / 2))
    }

    func task(at point: Point) -> TaskID? {
        let column = point.column - area.left + origin.column
        let row = point.row - area.top + origin.row
        let box = layout.boxes.first {
            ($0.column..<$0.column + $0.columns).contains(column) && ($0.row..<$0.row + $0.rows).contains(row)
        }
        return area.contains(point) ? box?.task : nil
    }

    /// The task in the next box in a direction: along a line if one leads there, otherwise in the nearest box.
    func task(_ movement: Movement, from selection: TaskID?) -> TaskID? {
        guard let index = selection.flatMap(layout.index) else { return layout.boxes.first?.task }
        let box = layout.boxes[index]
        let target: Int?
        switch movement {
        case .left: target = nearest(to: box, among: layout.wires.filter { $0.right == index }.map(\.left))
        case .right: target = nearest(to: box, among: layout.wires.filter { $0.left == index }.map(\.right))
        case .up, .down:
            let others = layout.boxes.indices.filter { movement == .up ? layout.boxes[$0].row < box.row : layout.boxes[$0].row > box.row }
            let sameLayer = others.filter { layout.boxes[$0].layer == box.layer }
            target = nearest(to: box, among: sameLayer.isEmpty ? others : sameLayer)
        case .first: target = 0
        case .last: target = layout.boxes.count - 1
        case .pageUp, .pageDown: target = nil
        }
        return target.map { layout.boxes[$0].task }
    }

    private func nearest(to box: Box, among indices: [Int]) -> Int? {
        indices.min { distance(box, $0) < distance(box, $1) }
    }

    private func distance(_ box: Box, _ other: Int) -> (Int, Int) {
        let other = layout.boxes[other]
        return (abs(other.row - box.row) + abs(other.column - box.column) / 4, other.row)
    }

    private func firstTask(_ store: TraceStore) -> TaskID? {
        store.rows.first { _ in true }.map { store[$0].id }
    }
}
