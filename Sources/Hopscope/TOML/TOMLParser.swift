/// Reads the part of TOML 1.0 that settings files use: tables with a header, dotted keys, texts of one line, numbers, `true`, `false`, and
/// lists of these.
///
/// Every input results in a table or a ``TOMLProblem``. What TOML has besides is refused with a sentence that says so.
package struct TOMLParser {
    /// The text, followed by a zero that marks the end.
    private let text: [Unicode.Scalar]
    private var position = 0
    private var result: TOMLTable = [:]
    /// The table of the last header.
    private var header: [String] = []
    private var section = 0
    /// The section that began each table, with a header or with dotted keys.
    private var sections: [[String]: Int] = [:]

    /// Parses a whole file.
    package static func table(of text: String) throws(TOMLProblem) -> TOMLTable {
        var parser = TOMLParser(text)
        while !parser.isAtEnd { try parser.line() }
        return parser.result
    }

    private init(_ text: String) {
        self.text = Array(text.unicodeScalars) + ["\0"]
        // Some editors begin a file with a byte order mark.
        if next == "\u{FEFF}" { position = 1 }
    }

    // MARK: Lines

    private mutating func line() throws(TOMLProblem) {
        skipBlanks()
        switch next {
        case "[": try beginTable()
        case "#", "\n", "\r": break
        case _: if !isAtEnd { try assign() }
        }
        skipBlanks()
        try skipComment()
        if !isAtEnd, try !skipLineBreak() { throw unexpected("the end of the line") }
    }

    private mutating func beginTable() throws(TOMLProblem) {
        let start = position
        position += 1
        if next == "[" { throw unsupported("an array of tables", at: start) }
        header = try keyPath(for: "a table header")
        try expect("]", "']' after the name of a table")
        section += 1
        guard sections[header] == nil else { throw problem("the table '\(Self.name(header))' is defined a second time", at: start) }
        sections[header] = section
        guard result.set(header[...], to: nil) else { throw isTaken(header, at: start) }
    }

    private mutating func assign() throws(TOMLProblem) {
        let start = position
        let key = try keyPath(for: "a line")
        try expect("=", "'=' after a key")
        skipBlanks()
        let value = try value()
        for count in 1..<key.count {
            // Dotted keys cannot extend a table that an earlier section defined.
            let table = header + key.prefix(count)
            guard sections[table, default: section] == section else { throw isTaken(key, at: start) }
            sections[table] = section
        }
        let path = header + key
        guard result.value(at: path[...]) == nil else { throw problem("'\(Self.name(key))' is set a second time", at: start) }
        guard result.set(path[...], to: value) else { throw isTaken(key, at: start) }
    }

    // MARK: Keys

    private mutating func keyPath(for owner: String) throws(TOMLProblem) -> [String] {
        var path: [String] = []
        repeat {
            if !path.isEmpty { position += 1 }
            skipBlanks()
            path.append(try key(for: owner))
            skipBlanks()
        } while next == "."
        return path
    }

    private mutating func key(for owner: String) throws(TOMLProblem) -> String {
        if next == "\"" || next == "'" { return try string() }
        let key = word { Self.isBare($0) }
        if key.isEmpty { throw unexpected("a key in \(owner)") }
        return key
    }

    private static func name(_ path: [String]) -> String { path.joined(separator: ".") }

    private static func isBare(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        case _: false
        }
    }

    // MARK: Values

    private mutating func value() throws(TOMLProblem) -> TOMLValue {
        switch next {
        case "\"", "'": return .string(try string())
        case "[": return .array(try list())
        case "{": throw unsupported("a table in braces")
        case _: return try plainValue()
        }
    }

    private mutating func list() throws(TOMLProblem) -> [TOMLValue] {
        var elements: [TOMLValue] = []
        repeat {
            position += 1
            try skipLines()
            if next == "[" { throw unsupported("a list in a list") }
            if next != "]" { elements.append(try value()) }
            try skipLines()
        } while next == ","
        try expect("]", "',' or ']' in an array")
        return elements
    }

    /// A number, `true` or `false`.
    private mutating func plainValue() throws(TOMLProblem) -> TOMLValue {
        let start = position
        let word = word { Self.isBare($0) || "+.:".unicodeScalars.contains($0) }
        if word.isEmpty { throw unexpected("a value") }
        if word == "true" || word == "false" { return .boolean(word == "true") }
        let digits = word.first == "+" || word.first == "-" ? word.dropFirst() : word[...]
        if ["inf", "nan"].contains(digits) { return .number(word) }
        if digits.contains(":") || digits.dropFirst(4).first == "-" { throw unsupported("a date", at: start) }
        let whole = digits.filter { $0 != "_" }
        guard let first = whole.first, first.isWholeNumber else { throw problem("'\(word)' is no value", at: start) }
        guard whole.allSatisfy(\.isWholeNumber) else { return .number(word) }
        guard whole.count == 1 || first != "0", let number = Int((word.first == "-" ? "-" : "") + whole) else {
            throw problem("'\(word)' is no value", at: start)
        }
        return .integer(number)
    }

    private mutating func string() throws(TOMLProblem) -> String {
        let (start, delimiter) = (position, next)
        if text[position...].starts(with: [delimiter, delimiter, delimiter]) { throw unsupported("a text of several lines") }
        position += 1
        var content = String.UnicodeScalarView()
        while isAtEnd || next != delimiter {
            switch next {
            case _ where isAtEnd: throw problem("the string that begins here has no end", at: start)
            case "\n", "\r": throw problem("the string that begins here has no end on its line", at: start)
            case "\\" where delimiter == "\"": content.append(try escape())
            case "\t", " "..."~", "\u{80}"...: content.append(take())
            case _: throw unexpected("a character of a string")
            }
        }
        position += 1
        return String(content)
    }

    private mutating func escape() throws(TOMLProblem) -> Unicode.Scalar {
        let start = position
        let letter = text[position + 1]
        let known: [Unicode.Scalar: Unicode.Scalar] = [
            "b": "\u{8}", "t": "\t", "n": "\n", "f": "\u{C}", "r": "\r", "\"": "\"", "\\": "\\",
        ]
        if let scalar = known[letter] {
            position += 2
            return scalar
        }
        guard letter == "u" || letter == "U" else { throw problem("'\\' begins no escape", at: start) }
        let count = letter == "u" ? 4 : 8
        let digits = text[(position + 2)...].prefix(count).prefix { $0.properties.isASCIIHexDigit }.map(String.init).joined()
        guard digits.utf8.count == count, let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) else {
            throw problem("'\\u' takes four hexadecimal digits and '\\U' eight, which name a character", at: start)
        }
        position += 2 + count
        return scalar
    }

    // MARK: Characters

    private var isAtEnd: Bool { position == text.count - 1 }

    /// The character at the position. Zero at the end.
    private var next: Unicode.Scalar { text[position] }

    private mutating func take() -> Unicode.Scalar {
        defer { position += 1 }
        return next
    }

    private mutating func word(_ belongs: (Unicode.Scalar) -> Bool) -> String {
        var word = String.UnicodeScalarView()
        while belongs(next) { word.append(take()) }
        return String(word)
    }

    private mutating func skipBlanks() {
        while next == " " || next == "\t" { position += 1 }
    }

    /// Skips blanks, line breaks and comments, which can appear anywhere in a list.
    private mutating func skipLines() throws(TOMLProblem) {
        repeat {
            skipBlanks()
            try skipComment()
        } while try skipLineBreak()
    }

    private mutating func skipComment() throws(TOMLProblem) {
        guard next == "#" else { return }
        while !isAtEnd, next != "\n", next != "\r" {
            guard next >= " " && next != "\u{7F}" || next == "\t" else { throw unexpected("a character of a comment") }
            position += 1
        }
    }

    private mutating func skipLineBreak() throws(TOMLProblem) -> Bool {
        if next == "\r" {
            guard text[position + 1] == "\n" else { throw unexpected("a line break") }
            position += 1
        }
        guard next == "\n" else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ scalar: Unicode.Scalar, _ what: String) throws(TOMLProblem) {
        guard next == scalar else { throw unexpected(what) }
        position += 1
    }

    // MARK: Problems

    private func isTaken(_ path: [String], at offset: Int) -> TOMLProblem {
        problem("'\(Self.name(path))' names what is defined as something else", at: offset)
    }

    private func unexpected(_ expected: String) -> TOMLProblem {
        guard !isAtEnd else { return problem("\(expected) is missing at the end of the file") }
        switch next {
        case "\n", "\r": return problem("\(expected) is missing at the end of the line")
        case " "..."~": return problem("\(expected) was expected instead of '\(next)'")
        case "\u{80}"...: return problem("\(expected) was expected instead of a character that is not ASCII")
        case _: return problem("\(expected) was expected instead of a control character")
        }
    }

    private func unsupported(_ what: String, at offset: Int? = nil) -> TOMLProblem {
        problem("has \(what), which no settings file uses", at: offset, isTOML: true)
    }

    private func problem(_ reason: String, at offset: Int? = nil, isTOML: Bool = false) -> TOMLProblem {
        let before = text[..<(offset ?? position)]
        let start = before.lastIndex(of: "\n").map { $0 + 1 } ?? 0
        let line = before.count { $0 == "\n" } + 1
        return TOMLProblem(line: line, column: before.count - start + 1, reason: reason, isTOML: isTOML)
    }
}
