import TerminalCanvas

/// What a key can do, whatever the screen makes of it.
enum Command: Hashable, Sendable {
    case up, down, left, right, pageUp, pageDown, first, last
    case open, back
    case nextScreen, previousScreen
    case screen(ScreenName)
    case filter, sortNext, sortPrevious, reverse
    case follow
    case help, quit, repaint
    // While a filter is typed.
    case accept, clear, erase
}

/// Where the keys go: the part of the inspector that listens.
enum Context: Hashable, CaseIterable, Sendable {
    case tasks, graph, executors, detail, filter, help

    /// The heading of its keys in the help.
    var title: String {
        switch self {
        case .tasks: "Tasks"
        case .graph: "Graph"
        case .executors: "Executors"
        case .detail: "Task detail"
        case .filter: "Filter"
        case .help: "Help"
        }
    }
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
}

/// The one table of keys: what keys do, and all that footer and help say of them.
enum KeyTable {
    private static let screens: Set<Context> = [.tasks, .graph, .executors, .detail]

    static let bindings: [Binding] = moving + opening + sorting + filtering + general

    static func command(for key: Key, in context: Context) -> Command? {
        bindings.first { $0.contexts.contains(context) && $0.keys.contains(key) }?.command
    }

    /// Entries of one context with something to say, those with the same keys shown only once.
    static func entries(in context: Context, _ text: KeyPath<Binding, String>) -> [Binding] {
        var shown: Set<String> = []
        return bindings.filter { $0.contexts.contains(context) && !$0[keyPath: text].isEmpty && shown.insert($0.shown).inserted }
    }

    private static let moving: [Binding] = [
        Binding(
            keys: [.up, .character("k")], command: .up, shown: "↑↓", footer: "select",
            help: "select (or j k, or a click)", contexts: [.tasks, .graph, .executors]),
        Binding(
            keys: [.down, .character("j")], command: .down, shown: "↑↓", footer: "", help: "", contexts: [.tasks, .graph, .executors]),
        Binding(
            keys: [.up, .character("k")], command: .up, shown: "↑↓", footer: "scroll",
            help: "scroll (or j k, or the wheel)", contexts: [.detail, .help]),
        Binding(keys: [.down, .character("j")], command: .down, shown: "↑↓", footer: "", help: "", contexts: [.detail, .help]),
        Binding(
            keys: [.pageUp, .control("b")], command: .pageUp, shown: "PgUp PgDn", footer: "",
            help: "a page up or down", contexts: screens.union([.help])),
        Binding(
            keys: [.pageDown, .control("f")], command: .pageDown, shown: "PgUp PgDn", footer: "", help: "", contexts: screens.union([.help])
        ),
        Binding(
            keys: [.home, .character("g")], command: .first, shown: "Home End", footer: "",
            help: "to the first or the last (or g G)", contexts: screens.union([.help])),
        Binding(keys: [.end, .character("G")], command: .last, shown: "Home End", footer: "", help: "", contexts: screens.union([.help])),
        Binding(
            keys: [.left, .character("h")], command: .left, shown: "←→", footer: "pan",
            help: "move the view sideways (or h l)", contexts: [.graph]),
        Binding(keys: [.right, .character("l")], command: .right, shown: "←→", footer: "", help: "", contexts: [.graph]),
        Binding(
            keys: [.left, .character("h")], command: .left, shown: "←→", footer: "along the chain",
            help: "to what came before or comes next (h l)", contexts: [.detail]),
        Binding(keys: [.right, .character("l")], command: .right, shown: "←→", footer: "", help: "", contexts: [.detail]),
    ]

    private static let opening: [Binding] = [
        Binding(
            keys: [.enter], command: .open, shown: "Enter", footer: "open",
            help: "open the task (or click it again)", contexts: [.tasks, .graph]),
        Binding(
            keys: [.enter], command: .open, shown: "Enter", footer: "open",
            help: "open the task, or show the whole queue", contexts: [.executors]),
        Binding(keys: [.escape], command: .back, shown: "Esc", footer: "back", help: "back to where you were", contexts: [.detail, .help]),
        Binding(
            keys: [.character("f")], command: .follow, shown: "f", footer: "follow",
            help: "follow the newest tasks (or End)", contexts: [.graph]),
        Binding(keys: [.escape], command: .back, shown: "Esc", footer: "", help: "drop the selection", contexts: [.graph, .executors]),
    ]

    private static let sorting: [Binding] = [
        Binding(
            keys: [.character("s"), .character(">")], command: .sortNext, shown: "s S", footer: "sort",
            help: "sort by another column (or click it)", contexts: [.tasks]),
        Binding(keys: [.character("S"), .character("<")], command: .sortPrevious, shown: "s S", footer: "", help: "", contexts: [.tasks]),
        Binding(
            keys: [.character("r")], command: .reverse, shown: "r", footer: "reverse", help: "sort the other way round", contexts: [.tasks]),
    ]

    private static let filtering: [Binding] = [
        Binding(
            keys: [.character("/")], command: .filter, shown: "/", footer: "filter",
            help: "filter by name, state, executor, error", contexts: [.tasks]),
        Binding(keys: [.escape], command: .back, shown: "Esc", footer: "", help: "drop the selection, then the filter", contexts: [.tasks]),
        Binding(keys: [.enter], command: .accept, shown: "Enter", footer: "keep", help: "keep the filter", contexts: [.filter]),
        Binding(keys: [.escape], command: .clear, shown: "Esc", footer: "drop", help: "drop the filter", contexts: [.filter]),
        Binding(keys: [.backspace], command: .erase, shown: "Backspace", footer: "erase", help: "erase a character", contexts: [.filter]),
    ]

    private static let general: [Binding] =
        [
            Binding(
                keys: [.tab], command: .nextScreen, shown: "Tab", footer: "next screen",
                help: "next or, with Shift, previous screen", contexts: screens),
            Binding(keys: [.backTab], command: .previousScreen, shown: "Tab", footer: "", help: "", contexts: screens),
        ]
        + ScreenName.allCases.map { screen in
            Binding(
                keys: [.character(Character("\(screen.digit)"))], command: .screen(screen), shown: "1-\(ScreenName.allCases.count)",
                footer: "",
                help: "pick a screen (or click its tab)", contexts: screens)
        } + [
            Binding(
                keys: [.control("l")], command: .repaint, shown: "Ctrl-L", footer: "",
                help: "paint the terminal again", contexts: screens.union([.help])),
            Binding(
                keys: [.character("?")], command: .help, shown: "?", footer: "help",
                help: "show or leave this help", contexts: screens.union([.help])),
            Binding(
                keys: [.character("q")], command: .quit, shown: "q", footer: "quit", help: "leave the inspector",
                contexts: screens.union([.help])),
        ]
}
