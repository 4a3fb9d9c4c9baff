import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Keys and their commands.
extension Model {
    /// Passes a key to the layer on top. If the key changes nothing, a notice says so.
    mutating func press(_ key: Key, _ freshness: Freshness) -> [Effect] {
        let (keys, mode) = (keys, mode)
        let row = keys.row(for: key, in: mode)
        if let row { catchUp(freshness, before: row) }
        if row?.isVerticalMovement == true { self.freshness = .moved }
        isTouched = true
        shared.notice = nil
        shared.stepping = nil
        guard let row else {
            stepBase = nil
            return typed(key)
        }
        if row.group == .control, let refusal = shared.control.refusal {
            shared.notice = refusal
            return []
        }
        keepPicture(before: row)
        return perform(row.command, help: keys.help(of: row, in: mode))
    }

    private mutating func typed(_ key: Key) -> [Effect] {
        switch (mode.typing, key) {
        case (.program, _): return [.type(key.bytes)]
        case (.text, .character(let character)): return enter(String(character))
        case (.text, _), (.nothing, _): return []
        }
    }

    mutating func enter(_ text: String) -> [Effect] {
        switch mode.typing {
        case .nothing: return []
        case .program: return [.type(Array(text.utf8))]
        case .text:
            layers.top.type(text, &shared)
            return []
        }
    }

    /// Before a step through time, keeps the picture, so that the next frames mark the cells that the step changes. Several steps before a
    /// frame are marked together.
    private mutating func keepPicture(before row: KeyRow) {
        guard row.group == .time else {
            stepBase = nil
            return
        }
        guard isStepShown else { return }
        stepBase = nil
        var canvas = Canvas(size: size, glyphs: glyphs)
        Frame.draw(self, on: &canvas)
        stepBase = canvas
        isStepShown = false
    }

    /// Carries out a command. If it changes nothing, a notice says so.
    mutating func perform(_ command: Command, help: @autoclosure () -> String) -> [Effect] {
        let (effects, isIgnored) = take(answer(to: command))
        if isIgnored, shared.notice == nil { shared.notice = command.reasonIfIgnored(help: help()) }
        return effects
    }

    /// Does what a layer has answered.
    mutating func take(_ answer: Answer) -> (effects: [Effect], isIgnored: Bool) {
        switch answer {
        case .ignored: return ([], true)
        case .changed: return ([], false)
        case .effects(let effects): return (effects, false)
        case .close(let next):
            guard layers.pop(shared) else { return ([], true) }
            return (next.map { perform($0.command, help: $0.text) } ?? [], false)
        case .push(let layer):
            layers.push(layer, &shared, at: time)
            return ([], false)
        }
    }

    private mutating func answer(to command: Command) -> Answer {
        switch command {
        case .move(let movement): return layers.top.move(movement, &shared)
        case .open: return layers.top.open(&shared)
        case .back: return layers.leave(&shared)
        case .go(let name): return layers.go(to: name, &shared)
        case .nextScreen: return layers.go(by: 1, &shared)
        case .previousScreen: return layers.go(by: -1, &shared)
        case .latest where history.isAtLatest: return answer(to: .move(.last))
        case .latest:
            shared.goLive()
            return .changed
        case .overlay(let name, let text): return layers.open(name, text, &shared)
        case .copy: return copy()
        case .edit: return edit()
        case .shared(let run): return .effects(run(&shared))
        case .layer(let name, let action): return layers.perform(action, of: name, &shared)
        }
    }

    /// Opens the source at the site of what is selected on the topmost layer.
    private mutating func edit() -> Answer {
        guard let site = layers.top.site(shared), !site.isEmpty else {
            shared.notice = "Select something that has a place in the source first."
            return .ignored
        }
        guard let (file, _, line) = shared.sourceFile(at: site), shared.sources != nil else {
            shared.notice = "The path of \(PrintableText.text(site)) is not known: the program has no debug information for it."
            return .ignored
        }
        return .effects([.edit(file, line: line)])
    }

    /// Copies the selected task's line. If its detail is open, copies the detail as well.
    private mutating func copy() -> Answer {
        let open = layers.overlays.reversed().lazy.compactMap(\.copied).first
        guard let task = (open?.task ?? shared.subject).flatMap({ store.task($0) }) else {
            shared.notice = "Select a task first: this key needs one."
            return .ignored
        }
        let lines = [shared.line(of: task)] + (open?.lines ?? [])
        shared.notice = "Copied \(open == nil ? "the task's line" : "the detail"), if the terminal lets programs write to its clipboard."
        return .effects([.copy(lines.joined(separator: "\n").split(separator: "\n").map { String($0).printable }.joined(separator: "\n"))])
    }
}

extension KeyRow {
    /// Whether the key only selects another row.
    var isVerticalMovement: Bool {
        guard case .move(let movement) = command else { return false }
        switch movement {
        case .up, .down, .pageUp, .pageDown: return true
        case .left, .right, .first, .last: return false
        }
    }
}

extension SharedState {
    /// A task's facts in one line, for the clipboard.
    fileprivate func line(of task: TaskView) -> String {
        let words = TaskWords(store)
        let facts = [
            task.id.words, words.name(of: task), word(of: DisplayedState(task)), words.executor(of: task),
            "\(task.label.file):\(task.label.line)",
        ]
        return (facts + (words.error(of: task).map { [$0] } ?? [])).joined(separator: "  ")
    }
}
