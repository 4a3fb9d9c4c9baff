import TerminalCanvas

extension PaletteScreen {
    /// All entries: the keys of the layer below in the order of the key table, then the commands without a key.
    static func entries(above below: Below, _ shared: SharedState) -> [PaletteEntry] {
        var listed: Set<String> = []
        let rows = below.keys.rows(in: below.mode).filter { $0.group != .control || shared.control.refusal == nil }
        let keyed = rows.compactMap { row -> PaletteEntry? in
            switch row.command {
            case .go, .overlay(name, ""): return nil
            case _: break
            }
            guard !row.help.isEmpty, listed.insert(row.help).inserted else { return nil }
            return PaletteEntry(text: row.help, keys: row.shown, command: row.command)
        }
        let screens = below.names.map { name in
            PaletteEntry(text: "go to \(name.title)", keys: name.shortcut.map(String.init) ?? "", command: .go(to: name))
        }
        let themes = Theme.allCases.map { theme in
            let suffix = theme == shared.settings.theme ? " (this one)" : ""
            return PaletteEntry(text: "theme: \(theme.rawValue)\(suffix)", command: .shared { $0.use(theme) })
        }
        return (keyed + screens + themes + [export] + below.commands).map { entry in
            var entry = entry
            entry.otherWords = otherWords.first { entry.text.contains($0.text) }?.words ?? ""
            return entry
        }
    }

    /// An export needs a file, so this entry only shows the command.
    private static let export = PaletteEntry(
        text: "export the trace to another tool",
        command: .shared { shared in
            shared.notice = "hopscope export TRACE --to perfetto, otlp, dot, mermaid or jsonl writes the trace."
            return []
        })

    /// Other words for commands. Users may call a command by them.
    private static let otherWords: [(text: String, words: String)] = [
        ("filter", "search find grep"), ("leave the inspector", "quit exit close"), ("theme:", "theme colour color scheme"),
        ("export the trace", "export save write perfetto otlp json dot mermaid"), ("show or leave this help", "keys manual shortcuts"),
        ("pause at this event", "pause stop freeze resume continue"), ("copy the task", "copy clipboard yank"),
        ("sort by", "order"), ("hold every executor", "break breakpoint stop"), ("an event back", "step back previous next"),
    ]
}

extension SharedState {
    fileprivate mutating func use(_ theme: Theme) -> [Effect] {
        settings.theme = theme
        return [.use(theme), .save(settings)]
    }
}
