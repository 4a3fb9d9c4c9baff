import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

extension PaletteScreen {
    /// All entries: things to go to, actions and themes; then the keys of the layer below in the order of the key table; then screens,
    /// which have tabs, and movements.
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
        let executors = shared.store.executors.prefix(mostExecutors).map { executor in
            PaletteEntry(text: "go to executor \(TaskWords(shared.store).name(executor.id))", command: go(to: .executor(executor.id)))
        }
        let processes = below.commands.filter { $0.text.hasPrefix("process") }
        let others = below.commands.filter { !$0.text.hasPrefix("process") }
        let things = [goToTask] + executors.prefix(mostFirstExecutors) + processes
        let actions = (shared.isProgramOpen ? [endProgram] : []) + [record, export] + themes
        let commands = keyed.filter { !$0.isMovement } + others
        let rest = executors.dropFirst(mostFirstExecutors) + screens + keyed.filter(\.isMovement)
        return things + actions + commands + rest
    }

    /// Other words for the command that an entry's text tells.
    static func otherWords(for text: String) -> String { otherWords.first { text.contains($0.text) }?.words ?? "" }

    /// The number of executors that have an entry.
    private static let mostExecutors = 64
    /// The number of executors that have their entries before the actions.
    private static let mostFirstExecutors = 6
    private static let startOfTask = "go to task "
    private static let goToTask = PaletteEntry(
        text: "go to a task: type its name", command: .overlay(name, text: startOfTask), otherWords: "find task")

    private static func go(to target: SharedState.Target) -> Command {
        .shared { shared in
            shared.requests.target = target
            return []
        }
    }

    /// The number of tasks that are looked at for a name, and of those that have an entry.
    private static let mostSearched = 20_000
    private static let mostTasks = 20

    /// Finds the tasks whose names contain the input, the latest first.
    mutating func findTasks(_ shared: SharedState) {
        guard text != tasks.text else { return }
        tasks = (text, [])
        let wanted = text.hasPrefix(Self.startOfTask) ? String(text.dropFirst(Self.startOfTask.count)) : text
        guard wanted.count >= 2 else { return }
        let words = SearchWords(wanted)
        let store = shared.store
        for row in store.rows.suffix(Self.mostSearched).reversed() {
            let task = store[row]
            let name = TaskWords(store).name(of: task)
            guard task.kind != .internal, words.match(name) else { continue }
            let shown = name == task.id.words ? name : "task \(name) (\(task.id.rawValue))"
            tasks.entries.append(PaletteEntry(text: "go to \(shown)", command: Self.go(to: .task(task.id)), otherWords: name))
            if tasks.entries.count == Self.mostTasks { return }
        }
    }

    private static let endProgram = PaletteEntry(text: "end the program", command: .shared { _ in [.endProgram] }, otherWords: "kill stop")

    /// A recording needs a file, so this entry only shows the command.
    private static let record = PaletteEntry(
        text: "record the trace to a file",
        command: .shared { shared in
            shared.notice = "hopscope run --record FILE records as it goes; hopscope record -o FILE PID a process that runs."
            return []
        }, otherWords: "record save")

    /// An export needs a file, so this entry only shows the command.
    private static let export = PaletteEntry(
        text: "export the trace to another tool",
        command: .shared { shared in
            shared.notice = "hopscope export TRACE --to FORMAT writes the trace; hopscope help export lists the formats."
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

extension PaletteEntry {
    /// Whether it only moves the selection or the view.
    fileprivate var isMovement: Bool { if case .move = command { true } else { false } }
}
