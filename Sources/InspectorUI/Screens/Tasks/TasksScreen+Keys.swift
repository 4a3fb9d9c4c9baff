import TerminalCanvas

extension TasksScreen {
    static let list = KeyMode(
        "Tasks",
        KeyRow.list + [
            .opensTask,
            KeyRow(
                .character("s"), shown: "s S", footer: "sort", help: "sort by another column (or click it)",
                saving { $0.sort(by: 1, &$1) }),
            KeyRow(.character("S"), shown: "s S", saving { $0.sort(by: -1, &$1) }),
            KeyRow(.character("r"), shown: "r", help: "sort the other way round", saving { $0.reverse(&$1) }),
            filterKey("filter: words, or state:faulted on:main name~save total>10ms"),
            KeyRow(.character("o"), shown: "o", help: "group by place, state, executor, name, chain, or not", saving { $0.group(&$1) }),
            KeyRow(.character("t"), shown: "t", help: "tasks below those that made them, or a list", answer { $0.toggleTree(&$1) }),
            KeyRow(
                .character("z"), shown: "z Z", help: "fold the group or unfold it (or click it), Z all",
                command { $0.fold(all: false, &$1) }),
            KeyRow(.character("Z"), shown: "z Z", command { $0.fold(all: true, &$1) }),
            KeyRow(
                .character("("), shown: "( )", help: "move the sorted column to the left or right", saving { $0.moveColumn(by: -1, &$1) }),
            KeyRow(.character(")"), shown: "( )", saving { $0.moveColumn(by: 1, &$1) }),
            .escape("", "drop the selection, then the filter"),
        ], glossary: ("Columns of Tasks", TaskColumn.allCases.map { ($0.row.title, $0.row.help) }))

    /// A command that changes settings which are saved.
    private static func saving(_ run: @escaping @Sendable (inout TasksScreen, inout SharedState) -> Void) -> Command {
        answer { screen, shared in
            run(&screen, &shared)
            return .effects([.save(shared.settings)])
        }
    }
}
