import TerminalCanvas

/// Keys that move: the selection in lists, the view elsewhere.
extension KeyTable {
    private static let lists: Set<Context> = [.tasks, .graph, .executors, .faults, .hops, .warnings]
    private static let scrolled: Set<Context> = [.detail, .help, .output]
    /// Where g does something else.
    private static let faces: Set<Context> = [.graph, .boxes]
    private static let all = Context.screens.union([.help])

    static let moving: [Binding] = [
        Binding(
            .up, .character("k"), does: .move(.up), shown: "↑↓", footer: "box", help: "to the box above or below (or j k, or a click)",
            in: [.boxes]),
        Binding(.down, .character("j"), does: .move(.down), shown: "↑↓", in: [.boxes]),
        Binding(
            .left, .character("h"), does: .move(.left), shown: "←→", footer: "along", help: "along the lines (or h l)", in: [.boxes]),
        Binding(
            .up, .character("k"), does: .move(.up), shown: "↑↓", footer: "line", help: "pick a line (or j k, or a click)", in: [.timeline]),
        Binding(.down, .character("j"), does: .move(.down), shown: "↑↓", in: [.timeline]),
        Binding(
            .left, .character("h"), does: .move(.left), shown: "←→", footer: "job", help: "to the job before or after on the line (h l)",
            in: [.timeline]),
        Binding(
            .up, .character("k"), does: .move(.up), shown: "↑↓", footer: "select", help: "select (or j k, or a click)", in: lists),
        Binding(.down, .character("j"), does: .move(.down), shown: "↑↓", in: lists),
        Binding(
            .up, .character("k"), does: .move(.up), shown: "↑↓", footer: "scroll", help: "scroll (or j k, or the wheel)", in: scrolled),
        Binding(.down, .character("j"), does: .move(.down), shown: "↑↓", in: scrolled),
        Binding(.pageUp, .control("b"), does: .move(.pageUp), shown: "PgUp PgDn", help: "a page up or down", in: all),
        Binding(.pageDown, .control("f"), does: .move(.pageDown), shown: "PgUp PgDn", in: all),
        Binding(
            .home, .character("g"), does: .move(.first), shown: "Home G", help: "to the first or the last (or g)",
            in: all.subtracting(faces)),
        Binding(.home, does: .move(.first), shown: "Home G", help: "to the first or the last", in: faces),
        Binding(.character("G"), does: .move(.last), shown: "Home G", in: all),
        Binding(.end, does: .move(.last), shown: "Home G", in: [.help]),
        Binding(
            .left, .character("h"), does: .move(.left), shown: "←→", footer: "pan", help: "move the view sideways (or h l)",
            in: [.graph, .output]),
        Binding(
            .left, .character("h"), does: .move(.left), shown: "←→", footer: "along the chain",
            help: "to what came before or comes next (h l)", in: [.detail]),
        Binding(
            .left, .character("h"), does: .move(.left), shown: "←→", help: "to another cell of the matrix (or h l)", in: [.hops]),
        Binding(.right, .character("l"), does: .move(.right), shown: "←→", in: [.graph, .boxes, .detail, .hops, .timeline, .output]),
    ]
}
