import Foundation
import TaskEvents
import TraceAnalysis

/// A settings file, `.hopscope.toml`:
///
/// ```toml
/// [warnings]
/// off = ["redundant-hop"]                              # rules that are not applied
/// suppress = ["unobserved-fault:probe*", "*:test*"]    # rule:name or *:name
/// main = ["render*"]                                   # tasks that belong on main
///
/// [warnings.thresholds]
/// main-stall = "50ms"
/// fan-out = 500
/// ```
package struct SettingsFile {
    package let warnings: WarningSettings

    /// An error in a settings file. For text without a path, the end of a sentence, such as `it does not know 'warning'.`; for a file with
    /// a path, a whole sentence.
    package struct Problem: Error, Equatable, CustomStringConvertible {
        package let sentence: String
        package var description: String { sentence }
    }

    /// Reads the file at `path`.
    package init(path: String) throws(Problem) {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw Problem(sentence: "'\(path)' cannot be read as a settings file.")
        }
        do throws(Problem) {
            try self.init(text: text)
        } catch {
            throw Problem(sentence: "\(path): \(error.sentence)")
        }
    }

    /// The path of the `.hopscope.toml` that applies to a directory: its own, or that of the nearest directory above it. Nil if neither has
    /// one.
    package static func nearest(to directory: String = FileManager.default.currentDirectoryPath) -> String? {
        var directory = URL(fileURLWithPath: directory)
        while true {
            let file = directory.appendingPathComponent(".hopscope.toml").path
            if FileManager.default.fileExists(atPath: file) { return file }
            let above = directory.deletingLastPathComponent()
            if above.path == directory.path { return nil }
            directory = above
        }
    }

    package init(text: String) throws(Problem) {
        let table: TOMLTable
        do {
            table = try TOMLParser.table(of: text)
        } catch {
            throw Problem(sentence: error.description)
        }
        try Self.hold(table, to: ["warnings"], in: "the file")
        warnings = try table["warnings"].map { value throws(Problem) in try Self.warnings(of: value) } ?? WarningSettings()
    }

    private static func warnings(of value: TOMLValue) throws(Problem) -> WarningSettings {
        guard let table = value.table else { throw Problem(sentence: "'warnings' is a table: write [warnings].") }
        try hold(table, to: ["off", "suppress", "main", "once", "thresholds"], in: "[warnings]")
        var settings = WarningSettings()
        for rule in try words("off", in: table) { try set("\(rule)=off", in: &settings) }
        for flag in try words("suppress", in: table) {
            do { try settings.suppress(flag) } catch { throw Problem(sentence: "in 'suppress', \(error.description)") }
        }
        settings.mainNames = try words("main", in: table).map(NamePattern.init)
        settings.onceNames = try words("once", in: table).map(NamePattern.init)
        guard let thresholds = table["thresholds"] else { return settings }
        guard let thresholds = thresholds.table else { throw Problem(sentence: "'thresholds' is a table: write [warnings.thresholds].") }
        for rule in thresholds.keys.sorted() {
            guard let value = thresholds[rule] else { continue }
            guard let text = value.string ?? value.integer.map(String.init) else {
                throw Problem(sentence: "the threshold of '\(rule)' is neither a text such as \"50ms\" nor a whole number.")
            }
            try set("\(rule)=\(text)", in: &settings)
        }
        return settings
    }

    private static func set(_ flag: String, in settings: inout WarningSettings) throws(Problem) {
        do { try settings.set(flag) } catch { throw Problem(sentence: error.description) }
    }

    /// The strings in a list. Empty if the key is missing.
    private static func words(_ key: String, in table: TOMLTable) throws(Problem) -> [String] {
        guard let value = table[key] else { return [] }
        let words = value.array.map { $0.map(\.string) }
        guard let words, !words.contains(nil) else { throw Problem(sentence: "'\(key)' is a list of texts: write \(key) = [\"…\"].") }
        return words.compactMap(\.self)
    }

    /// Rejects unknown keys, because a misspelt key would otherwise have no effect and no message.
    private static func hold(_ table: TOMLTable, to known: [String], in section: String) throws(Problem) {
        for key in table.keys.sorted() where !known.contains(key) {
            throw Problem(
                sentence:
                    "\(section) has '\(key)', which is not a setting; there \(known.count == 1 ? "is" : "are") \(known.joined(separator: ", "))."
            )
        }
    }
}
