import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// The selected chain as boxes, and which part of the picture is in sight.
package struct BoxesState {
    /// Tasks that are drawn, at most.
    static let taskLimit = 400
    /// Nanoseconds between two layouts.
    static let pause: UInt64 = 200_000_000
    /// Widths of a box, from far to near.
    static let widths = [10, 16, 24, 36]

    package internal(set) var layout = Boxes()
    /// Of `widths`.
    package internal(set) var zoom = 2
    /// The picture's column and row at the window's top left.
    package internal(set) var origin = BoxCorner(column: 0, row: 0)
    /// The beginning of the chain that is shown.
    package internal(set) var chain: TaskID?
    /// Whether tasks were left out.
    package internal(set) var isPartial = false
    private var laidOut: Key?
    /// The task for whose sake these chains are drawn.
    private var focus: TaskID?
    private var lastTime: UInt64?

    private struct Key: Equatable {
        var tasks: [TaskID]
        var links: Int
        var zoom: Int
    }

    /// The state is that of another time: the next frame lays it out.
    mutating func restart() {
        lastTime = nil
    }

    /// Lays the chain of the selected task out, with all that hangs together with it; without a selection it stays with the chain that it has, or
    /// takes the first.
    mutating func arrange(_ store: TraceStore, selection: TaskID?, size: Size, at now: UInt64) {
        let isOther = selection.map { task in layout.index(of: task) == nil } ?? false
        if let lastTime, now < lastTime + Self.pause, !isOther, laidOut?.zoom == zoom { return }
        lastTime = now
        // A selection inside the picture does not make it another one.
        if isOther || focus == nil { focus = selection ?? firstTask(store) }
        guard let focus else { return }
        let chains = ChainAnalysis(store).chains(connectedWith: focus, limit: Self.taskLimit)
        guard let first = chains.first else { return }
        chain = first.id
        isPartial = chains.contains(where: \.isPartial) || chains.reduce(0) { $0 + $1.tasks.count } >= Self.taskLimit
        let tasks = chains.flatMap(\.tasks).sorted()
        let links = tasks.reduce(0) { sum, id in sum + (store.task(id)?.successorCount ?? 0) }
        let key = Key(tasks: tasks, links: links, zoom: zoom)
        guard key != laidOut else { return }
        laidOut = key
        let anchor = selection.flatMap { box(of: $0) }
        layout = Boxes(tasks, in: store, style: Boxes.Style(boxColumns: Self.widths[zoom], labelColumns: zoom == 0 ? 2 : 9))
        // What the eye is on stays where it is.
        if let anchor, let box = box(of: anchor.task) {
            origin.column += box.column - anchor.column
            origin.row += box.row - anchor.row
        } else if isOther || selection == nil {
            origin = BoxCorner(column: 0, row: 0)
        }
        if let selection { show(selection, size: size) }
        pan(columns: 0, rows: 0, size: size)
    }

    func box(of task: TaskID) -> Box? {
        layout.index(of: task).map { layout.boxes[$0] }
    }

    /// Moves the window, as far as there is a picture.
    mutating func pan(columns: Int, rows: Int, size: Size) {
        origin.column = max(0, min(origin.column + columns, layout.columns - size.columns))
        origin.row = max(0, min(origin.row + rows, layout.rows - size.rows))
    }

    /// Moves the window as little as shows a task's box.
    mutating func show(_ task: TaskID, size: Size) {
        guard let box = box(of: task) else { return }
        origin.column = min(box.column, max(origin.column, box.column + box.columns + 4 - size.columns))
        origin.row = min(box.row, max(origin.row, box.row + min(box.rows, 6) - size.rows))
        pan(columns: 0, rows: 0, size: size)
    }

    private func firstTask(_ store: TraceStore) -> TaskID? {
        store.rows.first { _ in true }.map { store[$0].id }
    }
}
