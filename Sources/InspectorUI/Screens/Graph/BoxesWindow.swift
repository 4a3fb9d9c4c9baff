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
    /// The nearest zoom of a picture whose names are short.
    private static let usualMost = 5

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
    private(set) var crowds: [TaskID: Crowd] = [:]
    /// The number of tasks in the picture.
    private(set) var taskCount = 0
    /// Where the picture is drawn.
    private(set) var area = Rect(column: 0, row: 0, columns: 0, rows: 0)
    /// Whether the zoom is the nearest at which the picture fits. The user's zoom ends this until another chain is shown.
    private var isFitted = true
    /// Whether no tasks share a box, and the groups whose tasks do not.
    private(set) var areUnfolded = false
    private var unfolded: [[TaskID]] = []
    private var laidOut: Key?
    /// The task whose connected chains are drawn.
    private var focus: TaskID?
    private var lastTime: UInt64?

    struct Crowd {
        var name: String
        var longest: UInt64?
    }

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
    mutating func arrange(_ store: TraceStore, selection: TaskID?, at now: UInt64) {
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
        if isFitted { fit(tasks, folds, store) } else { layout = picture(tasks, folds, store, zoom: zoom) }
        laidOut = key
        laidOut?.zoom = zoom
        crowds = Dictionary(folds.map { ($0[0], crowd($0, store)) }) { first, _ in first }
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
            taskCount = tasks.count
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

    private func crowd(_ tasks: [TaskID], _ store: TraceStore) -> Crowd {
        let words = TaskWords(store)
        let views = tasks.compactMap { store.task($0) }
        let names = views.map { words.name(of: $0) }
        let common = names.dropFirst().reduce(names.first ?? "") { common, name in
            String(zip(common, name).prefix { $0 == $1 }.map(\.0))
        }
        return Crowd(name: common, longest: views.compactMap { $0.bodyTime(at: store.now) }.max())
    }

    private func picture(_ tasks: [TaskID], _ folds: [[TaskID]], _ store: TraceStore, zoom: Int) -> Boxes {
        Boxes(tasks, in: store, folds: folds, style: Boxes.Style(boxColumns: Self.widths[zoom], labelColumns: zoom == 0 ? 2 : 9))
    }

    /// The number of tasks whose names decide on the width of boxes.
    private static let namedLimit = 64

    /// Chooses the nearest zoom at which the whole picture is visible; if there is none, the nearest at which its width is. Boxes are not
    /// wider than the names need.
    private mutating func fit(_ tasks: [TaskID], _ folds: [[TaskID]], _ store: TraceStore) {
        let words = TaskWords(store)
        let names = tasks.prefix(Self.namedLimit).compactMap { store.task($0) }.map { CharacterWidth.of(words.name(of: $0)) }
        // A box has a frame, a mark and a blank besides the name.
        let needed = max(Self.widths[Self.usualMost], (names.max() ?? 0) + 4)
        let most = Self.widths.firstIndex { $0 >= needed } ?? Self.widths.count - 1
        let pictures = Self.widths[...most].indices.map { picture(tasks, folds, store, zoom: $0) }
        let wide = pictures.lastIndex { $0.columns <= area.columns }
        zoom = pictures.lastIndex { $0.columns <= area.columns && $0.rows <= area.rows } ?? wide ?? Self.usualZoom
        layout = pictures[zoom]
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
        origin.column = Self.place(origin.column + columns, of: layout.columns, in: area.columns)
        origin.row = Self.place(origin.row + rows, of: layout.rows, in: area.rows)
    }

    /// Where a window begins in a picture of that length. A shorter picture is in the middle of the window.
    private static func place(_ origin: Int, of length: Int, in window: Int) -> Int {
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
        zoom = max(0, min(zoom + step, Self.widths.count - 1))
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
