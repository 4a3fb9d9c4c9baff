/// Builds the tables of a file during parsing, and checks that no table or key is defined twice.
struct TOMLTableBuilder {
    private final class Node {
        var entries: [String: Entry] = [:]
        /// The section whose header or dotted keys defined the table. Nil if only headers of inner tables have mentioned it.
        var section: Int?
        var isHeader = false
    }

    private enum Entry {
        case value(TOMLValue)
        case table(Node)
        case tables([Node])
    }

    private let root = Node()
    private var current: Node
    /// The number of headers read so far.
    private var section = 0

    init() {
        current = root
    }

    /// Begins the table `[path]`. Returns an error text if TOML does not allow it here.
    mutating func begin(_ path: [String]) -> String? {
        section += 1
        guard let parent = parent(of: path) else { return Self.isTaken(path) }
        let name = path[path.count - 1]
        switch parent.entries[name] {
        case nil: current = add(name, to: parent)
        case .table(let table)? where table.section == nil: current = table
        case .table?: return "the table '\(path.joined(separator: "."))' is defined a second time"
        case .value?, .tables?: return Self.isTaken(path)
        }
        current.section = section
        current.isHeader = true
        return nil
    }

    /// Begins an element of the array `[[path]]`. Returns an error text if TOML does not allow it here.
    mutating func beginElement(_ path: [String]) -> String? {
        section += 1
        guard let parent = parent(of: path) else { return Self.isTaken(path) }
        let name = path[path.count - 1]
        let element = Node()
        element.section = section
        element.isHeader = true
        switch parent.entries[name] {
        case nil: parent.entries[name] = .tables([element])
        case .tables(let tables)?: parent.entries[name] = .tables(tables + [element])
        case .value?, .table?: return Self.isTaken(path)
        }
        current = element
        return nil
    }

    /// Sets `path = value` in the current table. Returns an error text if TOML does not allow it here.
    mutating func set(_ path: [String], to value: TOMLValue) -> String? {
        var table = current
        for name in path.dropLast() {
            switch table.entries[name] {
            case nil:
                table = add(name, to: table)
                table.section = section
            // Dotted keys cannot extend a table that an earlier section defined.
            case .table(let inner)? where !inner.isHeader && inner.section ?? section == section:
                table = inner
                table.section = section
            case _?: return Self.isTaken(path)
            }
        }
        let name = path[path.count - 1]
        guard table.entries[name] == nil else { return "'\(path.joined(separator: "."))' is set a second time" }
        table.entries[name] = .value(value)
        return nil
    }

    /// The table of everything read so far.
    var result: TOMLTable { Self.table(root) }

    // MARK: Inside

    /// The table that contains the last name of a header's path. Creates missing tables. Nil if a name on the path is not a table.
    private func parent(of path: [String]) -> Node? {
        var table = root
        for name in path.dropLast() {
            switch table.entries[name] {
            case nil: table = add(name, to: table)
            case .table(let inner)?: table = inner
            case .tables(let tables)?: table = tables[tables.count - 1]
            case .value?: return nil
            }
        }
        return table
    }

    private func add(_ name: String, to table: Node) -> Node {
        let inner = Node()
        table.entries[name] = .table(inner)
        return inner
    }

    private static func isTaken(_ path: [String]) -> String {
        "'\(path.joined(separator: "."))' names what is defined as something else"
    }

    private static func table(_ node: Node) -> TOMLTable {
        node.entries.mapValues { entry in
            switch entry {
            case .value(let value): value
            case .table(let inner): .table(table(inner))
            case .tables(let inner): .array(inner.map { .table(table($0)) })
            }
        }
    }
}
