import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The palette, and what it can do that no screen does: settings, and the clipboard.
extension Model {
    mutating func perform(_ command: PaletteCommand) -> [Effect] {
        switch command {
        case .open:
            palette = PaletteState()
        case .erase:
            guard palette?.text.isEmpty == false else {
                palette = nil
                return []
            }
            palette?.text.removeLast()
            showPaletteRow(0)
        case .run:
            let entries = paletteEntries
            guard let row = palette?.row, entries.indices.contains(row) else { return [] }
            palette = nil
            return perform(entries[row].command)
        }
        return []
    }

    mutating func typeInPalette(_ text: String) {
        palette?.text += text.printable
        showPaletteRow(0)
    }

    mutating func moveInPalette(_ movement: Movement) {
        let count = paletteEntries.count
        guard count > 0, let row = movement.row(from: palette?.row ?? 0, count: count, page: PaletteScreen.list(self).rows) else { return }
        showPaletteRow(row)
    }

    mutating func clickPalette(_ point: Point) -> [Effect] {
        let list = PaletteScreen.list(self)
        guard list.contains(point) else {
            palette = nil
            return []
        }
        let top = palette?.window.top ?? 0
        palette?.row = top + point.row - list.top
        return perform(.run)
    }

    private mutating func showPaletteRow(_ row: Int) {
        let (count, height) = (paletteEntries.count, PaletteScreen.list(self).rows)
        palette?.row = row
        palette?.window.show(row, count: count, height: height)
    }

    mutating func use(_ theme: Theme) -> [Effect] {
        self.theme = theme
        return [.use(theme), .save(settings)]
    }

    mutating func toggle(_ column: TaskColumn) -> [Effect] {
        if tasks.columns.hidden.remove(column) == nil { tasks.columns.hidden.insert(column) }
        return [.save(settings)]
    }

    /// The selected task in a line, or its detail as it stands on the screen.
    mutating func copySelection() -> [Effect] {
        guard let task = (detail?.task ?? selection).flatMap({ store.task($0) }) else {
            notice = "Select a task first: what is copied is its line, or its detail where that is open."
            return []
        }
        let words = TaskWords(store)
        var lines = [
            "task \(task.id.rawValue)  \(words.name(of: task))  \(StateMark(task).word)  \(words.executor(of: task))  \(task.label.file):\(task.label.line)"
        ]
        if let error = words.error(of: task) { lines[0] += "  \(error)" }
        if detail != nil {
            lines += DetailScreen.lines(self, columns: areas.body.columns).map { $0.spans.map(\.text).joined() }.filter { !$0.isEmpty }
        }
        notice = "Copied \(detail == nil ? "the task's line" : "the detail"), if the terminal lets programs write to its clipboard."
        return [.copy(lines.joined(separator: "\n").split(separator: "\n").map { String($0).printable }.joined(separator: "\n"))]
    }
}
