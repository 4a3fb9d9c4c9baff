import TerminalCanvas

/// Where the keys go: the part of the inspector that listens.
enum Context: Hashable, CaseIterable, Sendable {
    case tasks, graph, boxes, executors, timeline, faults, hops, warnings, output, search, console, detail, filter, palette, help

    /// The heading of its keys in the help.
    var title: String {
        switch self {
        case .tasks: "Tasks"
        case .graph: "Graph"
        case .boxes: "Graph in boxes"
        case .executors: "Executors"
        case .timeline: "Timeline"
        case .faults: "Faults"
        case .hops: "Hops"
        case .warnings: "Warnings"
        case .output: "Output"
        case .search: "Searching in Output"
        case .console: "Typing to the program"
        case .detail: "Task detail"
        case .filter: "Filter"
        case .palette: "Command palette"
        case .help: "Help"
        }
    }

    /// Those of the screens, where the keys that work everywhere work.
    static let screens: Set<Context> = [.tasks, .graph, .boxes, .executors, .timeline, .faults, .hops, .warnings, .output, .detail]
}

/// One entry of the key table: the keys, what they do, and how footer and help say so.
struct Binding: Sendable {
    var keys: [Key]
    var command: Command
    /// The keys as they are shown; one text may stand for the keys of several entries, and is shown once.
    var shown: String
    /// In a word or two, for the footer; empty for keys that the footer leaves out.
    var footer: String
    var help: String
    var contexts: Set<Context>

    init(_ keys: Key..., does command: Command, shown: String, footer: String = "", help: String = "", in contexts: Set<Context>) {
        self.keys = keys
        self.command = command
        self.shown = shown
        self.footer = footer
        self.help = help
        self.contexts = contexts
    }
}

extension Binding {
    var goesThroughTime: Bool {
        if case .time = command { return true }
        return false
    }
}

/// The one table of keys: what keys do, and all that footer and help say of them. The first entry that fits has the key.
enum KeyTable {
    static let bindings: [Binding] =
        graphFaces + moving + opening + tasks + graph + timeline + faults + hops + warnings + output + time + palette + general + control

    static func command(for key: Key, in context: Context) -> Command? {
        bindings.first { $0.contexts.contains(context) && $0.keys.contains(key) }?.command
    }

    /// Entries of one context with something to say, those with the same keys shown only once.
    static func entries(in context: Context, _ text: KeyPath<Binding, String>) -> [Binding] {
        var shown: Set<String> = []
        return bindings.filter { $0.contexts.contains(context) && !$0[keyPath: text].isEmpty && shown.insert($0.shown).inserted }
    }

    private static let opening: [Binding] = [
        Binding(
            .enter, does: .open, shown: "Enter", footer: "open", help: "open the task (or click it again)",
            in: [.tasks, .graph, .boxes, .timeline, .faults]),
        Binding(.enter, does: .open, shown: "Enter", footer: "open", help: "open the task, or show the whole queue", in: [.executors]),
        Binding(.escape, does: .back, shown: "Esc", footer: "back", help: "back to where you were", in: [.detail, .help]),
        Binding(.escape, does: .back, shown: "Esc", help: "drop the selection", in: [.graph, .boxes, .executors, .timeline]),
    ]

    private static let general: [Binding] =
        [
            Binding(
                .tab, does: .nextScreen, shown: "Tab", footer: "next screen", help: "next or, with Shift, previous screen",
                in: Context.screens),
            Binding(.backTab, does: .previousScreen, shown: "Tab", in: Context.screens),
        ]
        + ScreenName.allCases.map { screen in
            Binding(
                .character(Character("\(screen.digit)")), does: .screen(screen), shown: "1-\(ScreenName.allCases.last?.digit ?? 1)",
                help: "pick a screen (or click its tab)", in: Context.screens)
        } + [
            Binding(
                .control("l"), does: .repaint, shown: "Ctrl-L", help: "paint the terminal again", in: Context.screens.union([.help])),
            Binding(
                .character("?"), does: .help, shown: "?", footer: "help", help: "show or leave this help",
                in: Context.screens.union([.help])),
            Binding(
                .character("q"), does: .quit, shown: "q", footer: "quit", help: "leave the inspector", in: Context.screens.union([.help])),
        ]
}
