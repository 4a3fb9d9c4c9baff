/// A parser for TOML 1.0.
///
/// It replaces a C++ library that ended the program on `[.a]` and on `x=[}`. Every input results in a table or a ``TOMLProblem``.
package struct TOMLParser {
    /// The text as UTF-8, followed by a zero byte that marks the end.
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    private var tables = TOMLTableBuilder()

    /// The maximum nesting depth of arrays and inline tables.
    static let depthLimit = 64

    /// Parses a whole file.
    package static func table(of text: String) throws(TOMLProblem) -> TOMLTable {
        var parser = TOMLParser(text)
        return try parser.document()
    }

    private init(_ text: String) {
        bytes = Array(text.utf8) + [0]
        // Some editors begin a file with a byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    private mutating func document() throws(TOMLProblem) -> TOMLTable {
        while true {
            skipBlanks()
            switch next {
            case UInt8(ascii: "["): try header()
            case UInt8(ascii: "#"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
            case _ where isAtEnd: return tables.result
            case _: try assignment()
            }
            try endOfLine()
        }
    }

    // MARK: Lines

    private mutating func header() throws(TOMLProblem) {
        let start = position
        position += 1
        let isArray = next == UInt8(ascii: "[")
        if isArray { position += 1 }
        let path = try keyPath(for: "a table header")
        try expect("]", isArray ? "']]' after the name of a table in an array" : "']' after the name of a table")
        if isArray { try expect("]", "']]' after the name of a table in an array") }
        if let reason = isArray ? tables.beginElement(path) : tables.begin(path) { throw problem(reason, at: start) }
    }

    private mutating func assignment() throws(TOMLProblem) {
        let start = position
        let path = try keyPath(for: "a line")
        try expect("=", "'=' after a key")
        skipBlanks()
        let value = try value()
        if let reason = tables.set(path, to: value) { throw problem(reason, at: start) }
    }

    /// Skips an optional comment and requires the end of the line or of the text.
    private mutating func endOfLine() throws(TOMLProblem) {
        skipBlanks()
        try skipComment()
        guard !isAtEnd else { return }
        guard try skipLineBreak() else { throw unexpected("the end of the line") }
    }

    // MARK: Keys

    private mutating func keyPath(for owner: String) throws(TOMLProblem) -> [String] {
        var path: [String] = []
        repeat {
            if !path.isEmpty { position += 1 }
            skipBlanks()
            path.append(try key(for: owner))
            skipBlanks()
        } while next == UInt8(ascii: ".")
        return path
    }

    private mutating func key(for owner: String) throws(TOMLProblem) -> String {
        switch next {
        case UInt8(ascii: "\""): return try string(delimiter: UInt8(ascii: "\""), mayBeLong: false)
        case UInt8(ascii: "'"): return try string(delimiter: UInt8(ascii: "'"), mayBeLong: false)
        case _:
            let start = position
            while Self.isBare(next) { position += 1 }
            guard position > start else { throw unexpected("a key in \(owner)") }
            return text(from: start)
        }
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): true
        case _: false
        }
    }

    // MARK: Values

    private mutating func value() throws(TOMLProblem) -> TOMLValue {
        switch next {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string(delimiter: next, mayBeLong: true))
        case UInt8(ascii: "["): return .array(try nested { parser throws(TOMLProblem) in try parser.array() })
        case UInt8(ascii: "{"): return .table(try nested { parser throws(TOMLProblem) in try parser.inlineTable() })
        case _: return try plainValue()
        }
    }

    private mutating func nested<Result>(_ body: (inout TOMLParser) throws(TOMLProblem) -> Result) throws(TOMLProblem) -> Result {
        guard depth < Self.depthLimit else { throw problem("more than \(Self.depthLimit) arrays and tables lie within each other") }
        depth += 1
        defer { depth -= 1 }
        position += 1
        return try body(&self)
    }

    private mutating func array() throws(TOMLProblem) -> [TOMLValue] {
        var elements: [TOMLValue] = []
        while true {
            try skipLines()
            if skip("]") { return elements }
            elements.append(try value())
            try skipLines()
            if skip("]") { return elements }
            try expect(",", "',' or ']' in an array")
        }
    }

    private mutating func inlineTable() throws(TOMLProblem) -> TOMLTable {
        var builder = TOMLTableBuilder()
        skipBlanks()
        if skip("}") { return builder.result }
        while true {
            let start = position
            let path = try keyPath(for: "a table")
            try expect("=", "'=' after a key")
            skipBlanks()
            let value = try value()
            if let reason = builder.set(path, to: value) { throw problem(reason, at: start) }
            skipBlanks()
            if skip("}") { return builder.result }
            try expect(",", "',' or '}' in a table")
        }
    }

    /// A number, a date, `true` or `false`.
    private mutating func plainValue() throws(TOMLProblem) -> TOMLValue {
        let start = position
        skipPlain()
        // A date and its time can be separated by a space.
        if next == UInt8(ascii: " "), TOMLNumber.isDate(text(from: start)), Self.isDigit(bytes[position + 1]) {
            position += 1
            skipPlain()
        }
        guard position > start else { throw unexpected("a value") }
        let word = text(from: start)
        guard let value = TOMLNumber.value(of: word) else { throw problem("'\(word)' is no value", at: start) }
        return value
    }

    private mutating func skipPlain() {
        while Self.isBare(next) || next == UInt8(ascii: "+") || next == UInt8(ascii: ".") || next == UInt8(ascii: ":") { position += 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    // MARK: Strings

    /// `mayBeLong` allows a multi-line string, which begins and ends with three delimiters. Keys cannot be multi-line strings.
    private mutating func string(delimiter: UInt8, mayBeLong: Bool) throws(TOMLProblem) -> String {
        let start = position
        let isLong = bytes[position...].starts(with: [delimiter, delimiter, delimiter])
        guard mayBeLong || !isLong else { throw problem("a key is a string of one line") }
        position += isLong ? 3 : 1
        if isLong { _ = try skipLineBreak() }
        var content: [UInt8] = []
        while true {
            switch next {
            case _ where isAtEnd: throw problem("the string that begins here has no end", at: start)
            case delimiter:
                if !isLong {
                    position += 1
                    return String(decoding: content, as: UTF8.self)
                }
                if let quotes = skipLongEnd(delimiter) {
                    content += repeatElement(delimiter, count: quotes)
                    return String(decoding: content, as: UTF8.self)
                }
                content.append(delimiter)
                position += 1
            case UInt8(ascii: "\\") where delimiter == UInt8(ascii: "\""): try escape(isLong: isLong, into: &content)
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                guard isLong else { throw problem("the string that begins here has no end on its line", at: start) }
                guard try skipLineBreak() else { continue }
                content.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "\t"), 0x20...0x7E, 0x80...:
                content.append(next)
                position += 1
            case _: throw unexpected("a character of a string")
            }
        }
    }

    /// Skips the end of a multi-line string. Returns the number of delimiters before the end that belong to the string, at most two. Nil if
    /// the string does not end here.
    private mutating func skipLongEnd(_ delimiter: UInt8) -> Int? {
        let count = bytes[position...].prefix(5).prefix { $0 == delimiter }.count
        guard count >= 3 else { return nil }
        position += count
        return count - 3
    }

    private mutating func escape(isLong: Bool, into content: inout [UInt8]) throws(TOMLProblem) {
        let start = position
        position += 1
        let byte = next
        position += isAtEnd ? 0 : 1
        switch byte {
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): content.append(byte)
        case UInt8(ascii: "u"): try scalar(digits: 4, at: start, into: &content)
        case UInt8(ascii: "U"): try scalar(digits: 8, at: start, into: &content)
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            // A backslash at the end of a line removes the white space up to the next word.
            position -= 1
            skipBlanks()
            guard isLong, try skipLineBreak() else { throw problem("'\\' begins no escape", at: start) }
            repeat { skipBlanks() } while try skipLineBreak()
        case _: throw problem("'\\' begins no escape", at: start)
        }
    }

    private mutating func scalar(digits: Int, at start: Int, into content: inout [UInt8]) throws(TOMLProblem) {
        let first = position
        while position < first + digits, Self.isHexadecimal(next) { position += 1 }
        guard position == first + digits, let number = UInt32(text(from: first), radix: 16), let scalar = Unicode.Scalar(number) else {
            throw problem("'\\u' takes four hexadecimal digits and '\\U' eight, which name a character", at: start)
        }
        content += Array(String(Character(scalar)).utf8)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    // MARK: Characters

    private var isAtEnd: Bool { position >= bytes.count - 1 }

    /// The byte at the position. Zero at the end.
    private var next: UInt8 { bytes[position] }

    private func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

    private mutating func skipBlanks() {
        while next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { position += 1 }
    }

    /// Skips blanks, line breaks and comments, which can appear anywhere in an array.
    private mutating func skipLines() throws(TOMLProblem) {
        repeat {
            skipBlanks()
            try skipComment()
        } while try skipLineBreak()
    }

    private mutating func skipComment() throws(TOMLProblem) {
        guard next == UInt8(ascii: "#") else { return }
        while !isAtEnd, next != UInt8(ascii: "\n"), next != UInt8(ascii: "\r") {
            guard next >= 0x20 && next != 0x7F || next == UInt8(ascii: "\t") else { throw unexpected("a character of a comment") }
            position += 1
        }
    }

    private mutating func skipLineBreak() throws(TOMLProblem) -> Bool {
        if next == UInt8(ascii: "\r") {
            guard bytes[position + 1] == UInt8(ascii: "\n") else { throw unexpected("a line break") }
            position += 1
        }
        return skip("\n")
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character), !isAtEnd else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar, _ what: String) throws(TOMLProblem) {
        guard skip(character) else { throw unexpected(what) }
    }

    // MARK: Problems

    private func unexpected(_ expected: String) -> TOMLProblem {
        guard !isAtEnd else { return problem("\(expected) is missing at the end of the file") }
        switch next {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return problem("\(expected) is missing at the end of the line")
        case 0x20...0x7E: return problem("\(expected) was expected instead of '\(Unicode.Scalar(next))'")
        case 0x80...: return problem("\(expected) was expected instead of a character that is not ASCII")
        case _: return problem("\(expected) was expected instead of a control character")
        }
    }

    private func problem(_ reason: String, at offset: Int? = nil) -> TOMLProblem {
        let before = bytes[..<(offset ?? position)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // Continuation bytes of a UTF-8 character do not count as columns.
        let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        return TOMLProblem(line: line, column: column, reason: reason)
    }
}
