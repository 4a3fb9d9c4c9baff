/// A value of a TOML file.
package enum TOMLValue: Equatable, Sendable {
    case string(String)
    case integer(Int)
    case float(Double)
    case boolean(Bool)
    /// A date, a time or both, spelled as in the file.
    case date(String)
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

/// The reason why a text is not TOML, and the position of the error.
package struct TOMLProblem: Error, Equatable, CustomStringConvertible {
    /// The line and the column count from 1. A column is a Unicode scalar.
    package let line: Int
    package let column: Int
    /// A sentence without its full stop.
    package let reason: String

    package var description: String { "line \(line), column \(column) is not TOML: \(reason)." }
}
