import TerminalCanvas

/// Keys of one screen alone.
extension KeyTable {
    static let tasks: [Binding] = [
        Binding(
            .character("s"), .character(">"), does: .tasks(.sortNext), shown: "s S", footer: "sort",
            help: "sort by another column (or click it)", in: [.tasks]),
        Binding(.character("S"), .character("<"), does: .tasks(.sortPrevious), shown: "s S", in: [.tasks]),
        Binding(
            .character("r"), does: .tasks(.reverse), shown: "r", footer: "reverse", help: "sort the other way round", in: [.tasks]),
        Binding(
            .character("/"), does: .tasks(.filter), shown: "/", footer: "filter", help: "filter by name, state, executor, error",
            in: [.tasks]),
        Binding(.escape, does: .back, shown: "Esc", help: "drop the selection, then the filter", in: [.tasks]),
        Binding(.enter, does: .filter(.accept), shown: "Enter", footer: "keep", help: "keep the filter", in: [.filter]),
        Binding(.escape, does: .filter(.clear), shown: "Esc", footer: "drop", help: "drop the filter", in: [.filter]),
        Binding(.backspace, does: .filter(.erase), shown: "Backspace", footer: "erase", help: "erase a character", in: [.filter]),
    ]

    static let graph: [Binding] = [
        Binding(
            .character("f"), does: .graph(.follow), shown: "f", footer: "follow", help: "follow the newest tasks (or End)", in: [.graph])
    ]

    static let faults: [Binding] = [
        Binding(
            .character("n"), does: .faults(.nextStep), shown: "n p", footer: "walk the error", help: "walk the error's path, and back",
            in: [.faults]),
        Binding(
            .character("n"), does: .faults(.nextStep), shown: "n p", help: "walk the path of the error that passed here, and back",
            in: [.tasks, .graph, .executors, .hops, .detail]),
        Binding(.character("p"), does: .faults(.previousStep), shown: "n p", in: Context.screens),
        Binding(.escape, does: .back, shown: "Esc", help: "back to the path's beginning, then to the newest error", in: [.faults]),
    ]

    static let hops: [Binding] = [
        Binding(
            .enter, does: .open, shown: "Enter", footer: "list, open", help: "from the matrix to its hops, from a hop to its task",
            in: [.hops]),
        Binding(
            .character("m"), does: .hops(.mainQueue), shown: "m", footer: "main's stalls", help: "to the stalls of main, and back",
            in: [.hops]),
        Binding(
            .character("s"), does: .hops(.sort), shown: "s", footer: "sort", help: "the newest hops or the longest waits first",
            in: [.hops]),
        Binding(.escape, does: .back, shown: "Esc", footer: "back", help: "back to the matrix", in: [.hops]),
    ]
}
