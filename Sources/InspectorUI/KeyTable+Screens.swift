import TerminalCanvas

/// Keys of one screen alone.
extension KeyTable {
    static let tasks: [Binding] = [
        Binding(
            .character("s"), does: .tasks(.sortNext), shown: "s S", footer: "sort",
            help: "sort by another column (or click it)", in: [.tasks]),
        Binding(.character("S"), does: .tasks(.sortPrevious), shown: "s S", in: [.tasks]),
        Binding(
            .character("r"), does: .tasks(.reverse), shown: "r", footer: "reverse", help: "sort the other way round", in: [.tasks]),
        Binding(
            .character("/"), does: .tasks(.filter), shown: "/", footer: "filter",
            help: "filter: words, or state:faulted on:main name~save total>10ms",
            in: [.tasks]),
        Binding(
            .character("o"), does: .tasks(.group), shown: "o",
            help: "group by state, executor, name, chain, or not", in: [.tasks]),
        Binding(
            .character("z"), does: .tasks(.foldGroup), shown: "z Z",
            help: "fold the group or unfold it (or click it), Z all", in: [.tasks]),
        Binding(.character("Z"), does: .tasks(.foldAllGroups), shown: "z Z", in: [.tasks]),
        Binding(
            .character("("), does: .tasks(.columnLeft), shown: "( )", help: "move the sorted column to the left or right",
            in: [.tasks]),
        Binding(.character(")"), does: .tasks(.columnRight), shown: "( )", in: [.tasks]),
        Binding(.escape, does: .back, shown: "Esc", help: "drop the selection, then the filter", in: [.tasks]),
        Binding(.enter, does: .filter(.accept), shown: "Enter", footer: "keep", help: "keep the filter", in: [.filter]),
        Binding(.escape, does: .filter(.clear), shown: "Esc", footer: "drop", help: "drop the filter", in: [.filter]),
        Binding(.tab, does: .filter(.complete), shown: "Tab", footer: "complete", help: "take the first completion", in: [.filter]),
        Binding(.backspace, does: .filter(.erase), shown: "Backspace", footer: "erase", help: "erase a character", in: [.filter]),
    ]

    /// First of all, so that a footer without much room has them.
    static let graphFaces: [Binding] = [
        Binding(
            .character("g"), does: .graph(.face), shown: "g", footer: "boxes", help: "the selected chain as boxes", in: [.graph]),
        Binding(.character("g"), does: .graph(.face), shown: "g", footer: "rails", help: "back to the rails", in: [.boxes]),
    ]

    static let graph: [Binding] = [
        Binding(
            .character("+"), .character("="), does: .graph(.zoomIn), shown: "+ -", footer: "zoom", help: "larger and smaller boxes",
            in: [.boxes]),
        Binding(.character("-"), does: .graph(.zoomOut), shown: "+ -", in: [.boxes]),
        Binding(
            .character("H"), does: .graph(.panLeft), shown: "H J K L", footer: "pan", help: "move the view",
            in: [.boxes]),
        Binding(.character("L"), does: .graph(.panRight), shown: "H J K L", in: [.boxes]),
        Binding(.character("J"), does: .graph(.panDown), shown: "H J K L", in: [.boxes]),
        Binding(.character("K"), does: .graph(.panUp), shown: "H J K L", in: [.boxes]),
        Binding(
            .character("f"), does: .graph(.follow), shown: "f", footer: "follow", help: "follow the newest tasks (or End)", in: [.graph]),
        Binding(
            .character("z"), does: .graph(.fold), shown: "z Z", footer: "fold",
            help: "unfold siblings or fold them (or click them), Z all", in: [.graph]),
        Binding(.character("Z"), does: .graph(.foldAll), shown: "z Z", in: [.graph]),
    ]

    static let timeline: [Binding] = [
        Binding(
            .character("+"), .character("="), does: .timeline(.zoomIn), shown: "+ -", footer: "zoom", help: "zoom in and out",
            in: [.timeline]),
        Binding(.character("-"), does: .timeline(.zoomOut), shown: "+ -", in: [.timeline]),
        Binding(
            .character("H"), does: .timeline(.panLeft), shown: "H L", footer: "pan",
            help: "move the view in time", in: [.timeline]),
        Binding(.character("L"), does: .timeline(.panRight), shown: "H L", in: [.timeline]),
        Binding(.character("0"), does: .timeline(.whole), shown: "0", footer: "whole", help: "the whole trace", in: [.timeline]),
        Binding(.character("f"), does: .timeline(.follow), shown: "f", footer: "follow", help: "follow the latest", in: [.timeline]),
        Binding(
            .character("t"), does: .timeline(.threads), shown: "t", footer: "threads", help: "lines by thread, or by executor",
            in: [.timeline]),
        Binding(
            .character("c"), does: .timeline(.cursor), shown: "c", help: "time cursor to the job's start (or click the ruler)",
            in: [.timeline]),
    ]

    static let faults: [Binding] = [
        Binding(
            .character("n"), does: .faults(.nextStep), shown: "n p", footer: "walk the error", help: "walk the error's path, and back",
            in: [.faults]),
        Binding(
            .character("n"), does: .faults(.nextStep), shown: "n p", help: "walk the path of the error that passed here, and back",
            in: [.tasks, .graph, .boxes, .executors, .timeline, .hops, .detail]),
        Binding(.character("p"), does: .faults(.previousStep), shown: "n p", in: Context.screens.subtracting([.warnings, .output])),
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

    static let warnings: [Binding] = [
        Binding(
            .enter, does: .open, shown: "Enter", footer: "open",
            help: "from a kind to its findings, to the event that proves one, to its task", in: [.warnings]),
        Binding(
            .character("n"), does: .warnings(.nextEvidence), shown: "n p", footer: "evidence",
            help: "the next event that proves it, with the time cursor there, or the one before", in: [.warnings]),
        Binding(.character("p"), does: .warnings(.previousEvidence), shown: "n p", in: [.warnings]),
        Binding(
            .character("s"), does: .warnings(.suppress), shown: "s", footer: "suppress",
            help: "leave out what this rule says of tasks with this name", in: [.warnings]),
        Binding(
            .character("+"), .character("="), does: .warnings(.raise), shown: "+ -", footer: "threshold",
            help: "double the rule's threshold, or halve it", in: [.warnings]),
        Binding(.character("-"), does: .warnings(.lower), shown: "+ -", in: [.warnings]),
        Binding(
            .character("u"), does: .warnings(.reset), shown: "u", footer: "undo", help: "the settings as they were at the start",
            in: [.warnings]),
        Binding(.escape, does: .back, shown: "Esc", footer: "back", help: "back to where the cursor was, to the kinds", in: [.warnings]),
    ]

    static let output: [Binding] = [
        Binding(
            .enter, does: .open, shown: "Enter", footer: "type to it", help: "keys go to the program, until Ctrl-]",
            in: [.output]),
        Binding(.character("/"), does: .output(.search), shown: "/", footer: "search", help: "look for a text", in: [.output]),
        Binding(
            .character("n"), does: .output(.next), shown: "n N", footer: "next", help: "the next line with it, or the one before",
            in: [.output]),
        Binding(.character("N"), does: .output(.previous), shown: "n N", in: [.output]),
        Binding(
            .character("f"), does: .output(.follow), shown: "f", footer: "follow", help: "follow what is printed (or G)", in: [.output]),
        Binding(.escape, does: .back, shown: "Esc", help: "drop the search, then follow", in: [.output]),
        Binding(
            .control("]"), does: .output(.leave), shown: "Ctrl-]", footer: "back to the inspector's keys",
            help: "keys are the inspector's again", in: [.console]),
        Binding(.enter, does: .output(.keepSearch), shown: "Enter", footer: "keep", help: "keep what was found", in: [.search]),
        Binding(.escape, does: .output(.dropSearch), shown: "Esc", footer: "drop", help: "drop the search", in: [.search]),
        Binding(.backspace, does: .output(.eraseSearch), shown: "Backspace", footer: "erase", help: "erase a character", in: [.search]),
    ]

    /// The command palette, and what is done on every screen beside walking about.
    static let palette: [Binding] = [
        Binding(
            .character(":"), does: .palette(.open), shown: ":", footer: "commands", help: "all commands, themes and columns",
            in: Context.screens),
        Binding(.character("y"), does: .copy, shown: "y", help: "copy the task's line or detail", in: Context.screens),
        Binding(.enter, does: .palette(.run), shown: "Enter", footer: "do it", help: "do what is selected", in: [.palette]),
        Binding(.up, does: .move(.up), shown: "↑↓", footer: "select", help: "select a command", in: [.palette]),
        Binding(.down, does: .move(.down), shown: "↑↓", in: [.palette]),
        Binding(.backspace, does: .palette(.erase), shown: "Backspace", footer: "erase", help: "erase a letter", in: [.palette]),
        Binding(.escape, does: .back, shown: "Esc", footer: "leave", help: "leave the palette", in: [.palette]),
    ]
}
