/// Writes JSON in pieces. Keys keep the order in which they are written. There are no spaces, and line breaks only on request.
///
/// `JSONEncoder` either sorts keys or orders them randomly, and takes about ten microseconds per object; a report or an export can contain
/// millions. The text is also safe in a terminal, as a single line, and inside a `<script>`: control characters, line separators and marks
/// that reorder a line are escaped, and `</` is written `<\/`.
package struct JSONLine {
    package private(set) var text = ""
    private var needsComma = false

    /// The number of bytes after which a long text is flushed.
    static let portion = 1 << 15

    package init() {}

    /// The number of bytes since the last flush.
    var size: Int { text.utf8.count }

    /// Starts a new text and keeps the allocated memory.
    package mutating func removeAll() {
        text.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Writes the text so far and empties the buffer, for objects that are too long for memory.
    package mutating func flush(to output: inout some TextOutputStream) {
        output.write(text)
        text.removeAll(keepingCapacity: true)
    }

    // MARK: Containers

    /// Writes an object. `onLine` begins a new line, after the comma.
    package mutating func object(onLine: Bool = false, _ fields: (inout JSONLine) -> Void) {
        separate()
        if onLine { text += "\n" }
        needsComma = false
        begin("{")
        fields(&self)
        end("}")
    }

    package mutating func object(_ key: StaticString, _ fields: (inout JSONLine) -> Void) {
        self.key(key)
        object(fields)
    }

    package mutating func array(_ key: StaticString, _ elements: (inout JSONLine) -> Void) {
        begin("[", key)
        elements(&self)
        end("]")
    }

    /// Opens an object or an array, which ``end(_:)`` closes. Use it where a closure does not work.
    ///
    /// `onLine` begins a new line, after the comma.
    package mutating func begin(_ bracket: StaticString, _ key: StaticString? = nil, onLine: Bool = false) {
        separate()
        if onLine { text += "\n" }
        needsComma = false
        if let key { self.key(key) }
        text += bracket.description
        needsComma = false
    }

    package mutating func end(_ bracket: StaticString, onLine: Bool = false) {
        if onLine { text += "\n" }
        text += bracket.description
        needsComma = true
    }

    // MARK: Fields

    // The fields are not generic: another module would call a generic one through its witness tables, a third slower.

    package mutating func field(_ key: StaticString, _ value: String) {
        self.key(key)
        string(value)
    }

    package mutating func field(_ key: StaticString, _ value: Int) {
        self.key(key)
        literal(String(value))
    }

    package mutating func field(_ key: StaticString, _ value: UInt64) {
        self.key(key)
        number(value)
    }

    package mutating func field(_ key: StaticString, _ value: Bool) {
        self.key(key)
        literal(value ? "true" : "false")
    }

    /// Writes a number given in thousandths exactly: `12.345`. For example, a time in nanoseconds becomes microseconds.
    package mutating func field(_ key: StaticString, thousandths: UInt64) {
        self.key(key)
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        literal(rest == 0 ? String(whole) : "\(whole)." + String(rest, digits: 3))
    }

    /// Writes null if the value is nil.
    package mutating func field(_ key: StaticString, orNull value: String?) {
        if let value { field(key, value) } else { null(key) }
    }

    package mutating func field(_ key: StaticString, orNull value: UInt64?) {
        if let value { field(key, value) } else { null(key) }
    }

    package mutating func null(_ key: StaticString) {
        self.key(key)
        literal("null")
    }

    // MARK: Values

    package mutating func number(_ value: UInt64) {
        literal(String(value))
    }

    package mutating func string(_ value: String) {
        separate()
        text += "\""
        appendEscaped(value)
        text += "\""
        needsComma = true
    }

    // MARK: Pieces

    private mutating func key(_ key: StaticString) {
        separate()
        text += "\""
        text += key.description
        text += "\":"
        needsComma = false
    }

    private mutating func literal(_ value: String) {
        separate()
        text += value
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { text += "," }
    }

    private mutating func appendEscaped(_ value: String) {
        if Self.isPlain(value) {
            text += value
            return
        }
        var previous: Unicode.Scalar = " "
        for scalar in value.unicodeScalars {
            switch scalar.value {
            case 0x22: text += "\\\""
            case 0x5C: text += "\\\\"
            case 0x2F where previous == "<": text += "\\/"
            case 0x0A: text += "\\n"
            case 0x0D: text += "\\r"
            case 0x09: text += "\\t"
            case 0x08: text += "\\b"
            case 0x0C: text += "\\f"
            case ..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFFE...0xFFFF:
                text += "\\u" + String(UInt64(scalar.value), digits: 4, radix: 16)
            case _: text.unicodeScalars.append(scalar)
            }
            previous = scalar
        }
    }

    /// Whether every byte is ASCII and needs no escape.
    private static func isPlain(_ value: String) -> Bool {
        var previous = UInt8(ascii: " ")
        for byte in value.utf8 {
            guard byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") else { return false }
            guard byte != UInt8(ascii: "/") || previous != UInt8(ascii: "<") else { return false }
            previous = byte
        }
        return true
    }
}

extension JSONLine {
    /// Writes an object, or null if the value is nil.
    package mutating func object<Value>(_ key: StaticString, orNull value: Value?, _ fields: (inout JSONLine, Value) -> Void) {
        if let value { object(key) { fields(&$0, value) } } else { null(key) }
    }

    /// Writes a list on a new line, with each element as an object on its own line.
    package mutating func list<Element>(
        _ key: StaticString, _ elements: some Sequence<Element>, to output: inout some TextOutputStream,
        _ fields: (inout JSONLine, Element) -> Void
    ) {
        begin("[", key, onLine: true)
        var isEmpty = true
        for element in elements {
            object(onLine: true) { fields(&$0, element) }
            if size >= Self.portion { flush(to: &output) }
            isEmpty = false
        }
        end("]", onLine: !isEmpty)
    }
}
