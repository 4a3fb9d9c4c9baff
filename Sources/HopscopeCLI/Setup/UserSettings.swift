import Foundation
import Hopscope
import InspectorUI
import TerminalCanvas

/// The user's settings in the inspector, stored in `~/.config/hopscope/config.toml` (or under `XDG_CONFIG_HOME`):
///
/// ```toml
/// theme = "dark"              # auto, dark, light, contrast, colour-blind
///
/// [tasks]
/// sort = "total"
/// reversed = true
/// group = "state"             # none, state, executor, name, place, chain
/// columns = ["mark", "name", "state"]   # from left to right; the others follow
/// hidden = ["site", "hops"]
/// ```
///
/// Unknown keys and words are ignored, so that an older Hopscope can read the file of a newer one. A file that is not TOML is an error,
/// because the next change in the inspector would overwrite the user's text.
struct UserSettings {
    private let file: URL

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let home = environment["HOME"] ?? NSHomeDirectory()
        let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home + "/.config"
        file = URL(fileURLWithPath: folder).appendingPathComponent("hopscope/config.toml")
    }

    /// The stored settings, or the defaults if the file does not exist.
    func read() throws(UserError) -> InspectorSettings {
        guard let bytes = FileManager.default.contents(atPath: file.path) else { return InspectorSettings() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw UserError("\(file.path) is not TOML: it is not UTF-8. Correct the file or remove it.", .wrongUsage)
        }
        do {
            return Self.settings(of: try TOMLParser.table(of: text))
        } catch {
            throw UserError("\(file.path): \(error) Correct the file or remove it.", .wrongUsage)
        }
    }

    /// Stores the settings. If the file cannot be written, they stay in force until the process ends. A symbolic link stays a link.
    func write(_ settings: InspectorSettings) {
        let file = file.resolvingSymlinksInPath()
        try? FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? Self.text(of: settings).write(to: file, atomically: true, encoding: .utf8)
    }

    static func settings(of table: TOMLTable) -> InspectorSettings {
        var settings = InspectorSettings()
        if let theme = table["theme"]?.string.flatMap({ Theme(rawValue: $0) }) { settings.theme = theme }
        guard let tasks = table["tasks"]?.table else { return settings }
        if let column = tasks["sort"]?.string.flatMap(TaskColumn.init) {
            settings.sort = TaskSort(column: column, isReversed: tasks["reversed"]?.boolean ?? false)
        }
        if let grouping = tasks["group"]?.string.flatMap(TaskGrouping.init) { settings.grouping = grouping }
        settings.columns = TaskColumns(order: columns("columns", in: tasks), hidden: Set(columns("hidden", in: tasks)))
        return settings
    }

    private static func columns(_ key: String, in table: TOMLTable) -> [TaskColumn] {
        table[key]?.array?.compactMap(\.string).compactMap(TaskColumn.init) ?? []
    }

    static func text(of settings: InspectorSettings) -> String {
        func list(_ names: [String]) -> String { "[\(names.map { "\"\($0)\"" }.joined(separator: ", "))]" }
        return """
            theme = "\(settings.theme.rawValue)"

            [tasks]
            sort = "\(settings.sort.column.rawValue)"
            reversed = \(settings.sort.isReversed)
            group = "\(settings.grouping.rawValue)"
            columns = \(list(settings.columns.order.map(\.rawValue)))
            hidden = \(list(settings.columns.hidden.map(\.rawValue).sorted()))

            """
    }
}
