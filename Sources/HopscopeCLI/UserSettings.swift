import CursesTerminal
import Foundation
import Hopscope
import InspectorUI
import TOMLKit
import TerminalCanvas
import TraceAnalysis

/// What the user chose in the inspector, kept in `~/.config/hopscope/config.toml` (or under `XDG_CONFIG_HOME`):
///
/// ```toml
/// theme = "dark"              # auto, dark, light, contrast, colour-blind
///
/// [tasks]
/// sort = "total"
/// reversed = true
/// group = "state"             # none, state, executor, name, chain
/// columns = ["mark", "name", "state"]   # from left to right; the others follow
/// hidden = ["site", "hops"]
/// ```
///
/// A file that cannot be read, or that says something unknown, is passed over: the inspector opens as it would without.
struct UserSettings {
    private let file: URL

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let home = environment["HOME"] ?? NSHomeDirectory()
        let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home + "/.config"
        file = URL(fileURLWithPath: folder).appendingPathComponent("hopscope/config.toml")
    }

    func read() -> InspectorSettings {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return InspectorSettings() }
        return Self.settings(of: text)
    }

    /// Keeps settings for the next time; where the file cannot be written they are gone with the process.
    func write(_ settings: InspectorSettings) {
        try? FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? Self.text(of: settings).write(to: file, atomically: true, encoding: .utf8)
    }

    /// The inspector as the user wants it; what is chosen in it is kept.
    func openInspector(_ warnings: WarningSettings) throws(TerminalUnavailable) -> TerminalInspector {
        try TerminalInspector(settings: read(), warnings: warnings, save: write)
    }

    static func settings(of text: String) -> InspectorSettings {
        var settings = InspectorSettings()
        guard let table = try? TOMLTable(string: text) else { return settings }
        if let theme = table["theme"]?.string.flatMap({ Theme(rawValue: $0) }) { settings.theme = theme }
        guard let tasks = table["tasks"]?.table else { return settings }
        if let column = tasks["sort"]?.string.flatMap(TaskColumn.init(settingName:)) {
            settings.sort = TaskSort(column: column, isReversed: tasks["reversed"]?.bool ?? false)
        }
        if let grouping = tasks["group"]?.string.flatMap(TaskGrouping.init) { settings.grouping = grouping }
        settings.columns = TaskColumns(order: columns("columns", in: tasks), hidden: Set(columns("hidden", in: tasks)))
        return settings
    }

    private static func columns(_ key: String, in table: TOMLTable) -> [TaskColumn] {
        table[key]?.array?.compactMap(\.string).compactMap(TaskColumn.init(settingName:)) ?? []
    }

    static func text(of settings: InspectorSettings) -> String {
        let tasks = TOMLTable()
        tasks["sort"] = settings.sort.column.settingName
        tasks["reversed"] = settings.sort.isReversed
        tasks["group"] = settings.grouping.rawValue
        tasks["columns"] = TOMLArray(settings.columns.order.map(\.settingName))
        tasks["hidden"] = TOMLArray(settings.columns.hidden.map(\.settingName).sorted())
        let table = TOMLTable()
        table["theme"] = settings.theme.rawValue
        table["tasks"] = tasks
        return table.convert(to: .toml) + "\n"
    }
}

extension TaskColumn {
    fileprivate init?(settingName: String) {
        guard let column = Self.allCases.first(where: { $0.settingName == settingName }) else { return nil }
        self = column
    }

    fileprivate var settingName: String { "\(self)" }
}
