import TerminalCanvas
import TraceAnalysis

/// One thing that the palette can do.
struct PaletteEntry: Hashable, Sendable {
    var text: String
    /// The keys that do it too; empty where there are none.
    var keys: String
    var command: Command
}

/// The command palette: everything that can be done here, found by a few letters.
package struct PaletteState {
    package internal(set) var text: String
    package internal(set) var row = 0
    var window = ListWindow()

    init(text: String = "") {
        self.text = text
    }
}

extension Model {
    /// The processes of the program that can be shown, where there is a choice.
    private var processEntries: [PaletteEntry] {
        (processes.count > 1 ? processes : []).map { process in
            let mark = process.pid == shownProcess ? " (this one)" : ""
            let events = CountText.text(Int(clamping: process.eventCount), "event")
            return PaletteEntry(text: "process \(process.pid)\(mark), \(events): \(process.name)", keys: "", command: .process(process.pid))
        }
    }

    /// What the palette offers, the best match first.
    var paletteEntries: [PaletteEntry] {
        let keyed = PaletteList.entries(in: contextBelow, screens: screens, theme: theme, hidden: tasks.columns.hidden)
        let entries = keyed + processEntries
        guard let text = palette?.text, !text.isEmpty else { return entries }
        if let query = PaletteList.query(in: text) { return PaletteList.runs(to: query) }
        return
            entries.enumerated()
            .compactMap { index, entry in FuzzyMatch.score(text, in: entry.text).map { (score: $0, index: index, entry: entry) } }
            .sorted { ($1.score, $0.index) < ($0.score, $1.index) }
            .map(\.entry)
    }
}

enum PaletteList {
    /// What a query for a job is typed after.
    static let runTo = "run to "

    /// The query that is being typed, if one is.
    static func query(in text: String) -> Substring? {
        text.hasPrefix(runTo) ? text.dropFirst(runTo.count) : nil
    }

    /// A run to the job that the query asks for, once it asks for one.
    static func runs(to query: Substring) -> [PaletteEntry] {
        guard let condition = try? TaskQuery(String(query)).jobCondition() else { return [] }
        return [PaletteEntry(text: "run to the next job that fits \(query)", keys: "", command: .control(.runTo(condition)))]
    }

    /// What keeps the query from asking for a job.
    static func problem(with query: Substring) -> String? {
        do throws(QueryError) {
            _ = try TaskQuery(String(query)).jobCondition()
            return nil
        } catch {
            return error.description
        }
    }

    /// The keys of the screen below, as the key table has them; then what has no key.
    static func entries(in context: Context, screens: [ScreenName], theme: Theme, hidden: Set<TaskColumn>) -> [PaletteEntry] {
        var entries: [PaletteEntry] = []
        var known: Set<Command> = [.palette(.open)]
        for binding in KeyTable.bindings where binding.contexts.contains(context) && !binding.help.isEmpty {
            if case .screen = binding.command { continue }
            guard known.insert(binding.command).inserted else { continue }
            entries.append(PaletteEntry(text: binding.help, keys: binding.shown, command: binding.command))
        }
        entries += screens.map { PaletteEntry(text: "go to \($0.title)", keys: "\($0.digit)", command: .screen($0)) }
        entries += Theme.allCases.map { other in
            PaletteEntry(text: "theme: \(other.rawValue)\(other == theme ? " (this one)" : "")", keys: "", command: .theme(other))
        }
        entries += TaskColumn.allCases.filter { $0 != .name }.map { column in
            let verb = hidden.contains(column) ? "show" : "hide"
            return PaletteEntry(
                text: "\(verb) the column \(column == .mark ? "of marks" : column.row.title) in Tasks", keys: "", command: .column(column))
        }
        return entries
    }
}
