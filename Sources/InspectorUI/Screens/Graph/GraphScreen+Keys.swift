import TerminalCanvas

extension GraphScreen {
    static let rails = KeyMode(
        "Graph",
        [KeyRow(.character("g"), shown: "g", footer: "boxes", help: "the selected chain as boxes", command { $0.changeFace(&$1) })]
            + KeyRow.upAndDown("select", "select (or j k, or a click)") + KeyRow.pages + KeyRow.endsWithoutG
            + KeyRow.sideways("pan", "move the view sideways (or h l)") + [
                .opensTask, .dropsSelection,
                KeyRow(
                    .character("f"), shown: "f", footer: "follow", help: "follow the newest tasks (or End)",
                    command(
                        changing: { screen, _ in [screen.rails.isFollowing ? 1 : 0, screen.rails.pan] }, { screen, _ in screen.follow() })),
                KeyRow(
                    .character("z"), shown: "z Z", footer: "fold", help: "unfold siblings or fold them (or click them), Z all",
                    command { $0.fold(&$1) }),
                KeyRow(.character("Z"), shown: "z Z", command { $0.foldAll(&$1) }),
            ])

    static let boxes = KeyMode(
        "Graph in boxes",
        [
            KeyRow(.character("g"), shown: "g", footer: "rails", help: "back to the rails", command { $0.changeFace(&$1) })
        ] + KeyRow.upAndDown("box", "to the box above or below (or j k, or a click)") + KeyRow.sideways("along", "along the lines (or h l)")
            + KeyRow.pages + KeyRow.endsWithoutG + [
                .opensTask, .dropsSelection,
                KeyRow(
                    .character("+"), .character("="), shown: "+ -", footer: "zoom", help: "larger and smaller boxes",
                    command(changing: { screen, _ in screen.boxes.zoom }) { screen, _ in screen.zoom(by: 1) }),
                KeyRow(
                    .character("-"), shown: "+ -",
                    command(changing: { screen, _ in screen.boxes.zoom }) { screen, _ in screen.zoom(by: -1) }),
                KeyRow(
                    .character("z"), shown: "z Z", footer: "fold", help: "a box for each task of a folded box, or fold them, Z all",
                    command { $0.fold(&$1) }),
                KeyRow(.character("Z"), shown: "z Z", command { $0.foldAll(&$1) }),
                KeyRow(
                    .character("H"), shown: "H J K L", footer: "pan", help: "move the view",
                    pan(columns: -1, rows: 0)),
                KeyRow(.character("L"), shown: "H J K L", pan(columns: 1, rows: 0)),
                KeyRow(.character("J"), shown: "H J K L", pan(columns: 0, rows: 1)),
                KeyRow(.character("K"), shown: "H J K L", pan(columns: 0, rows: -1)),
            ])
    /// Moves the view of the boxes by quarters of the window.
    private static func pan(columns: Int, rows: Int) -> Command {
        command(changing: { screen, _ in screen.boxes.origin }) { screen, _ in screen.pan(columns: columns, rows: rows) }
    }
}
