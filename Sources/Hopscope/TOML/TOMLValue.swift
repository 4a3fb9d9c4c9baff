/// A value of a TOML file.
package enum TOMLValue: Equatable, Sendable {
    case string(String)
    case integer(Int)
    /// A number that is not whole or not decimal, as it is written.
    case number(String)
    case boolean(Bool)
    case array([TOMLValue])
    case table(TOMLTable)

    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var integer: Int? { if case .integer(let number) = self { number } else { nil } }
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    package var array: [TOMLValue]? { if case .array(let elements) = self { elements } else { nil } }
    package var table: TOMLTable? { if case .table(let table) = self { table } else { nil } }
}

/// The keys of a table and their values.
package typealias TOMLTable = [String: TOMLValue]

extension TOMLTable {
    /// The value at a path of names.
    func value(at path: ArraySlice<String>) -> TOMLValue? {
        guard let value = path.first.flatMap({ self[$0] }) else { return nil }
        return path.count == 1 ? value : value.table?.value(at: path.dropFirst())
    }

    /// Sets the value at a path, and adds the missing tables on the way; without a value, adds the table itself. Returns false if something
    /// on the way is not a table.
    mutating func set(_ path: ArraySlice<String>, to value: TOMLValue?) -> Bool {
        guard let name = path.first else { return value == nil }
        if path.count == 1, let value {
            self[name] = value
            return true
        }
        guard var table = self[name, default: .table([:])].table, table.set(path.dropFirst(), to: value) else { return false }
        self[name] = .table(table)
        return true
    }
}

/// The reason why a settings file cannot be read, and the position of the error.
package struct TOMLProblem: Error, Equatable, CustomStringConvertible {
    /// The line and the column count from 1. A column is a Unicode scalar.
    package let line: Int
    package let column: Int
    /// A sentence without its full stop. Its subject is the position if the text is TOML.
    package let reason: String
    /// Whether the text is TOML as far as it was read, but uses what settings files do not.
    package var isTOML = false

    package var description: String { "line \(line), column \(column) \(isTOML ? "" : "is not TOML: ")\(reason)." }
}
