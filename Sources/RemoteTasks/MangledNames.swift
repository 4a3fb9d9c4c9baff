/// The mangled names of types in another process.
extension TypeNames {
    private enum Bytes {
        static let longest: UInt64 = 128
        /// Bytes that refer to something by the four, or the eight, bytes behind them.
        static let near: ClosedRange<UInt8> = 0x01...0x17
        static let far: ClosedRange<UInt8> = 0x18...0x1f
    }

    /// The characters that replace references in a mangled name: to a class, to a structure, and to something else.
    static let classMark = "\u{1}", structureMark = "\u{2}"
    private static let otherMark = "\u{3}"
    private static let structureKind: UInt32 = 17

    /// The mangled name of a type, without what its control characters refer to.
    func mangledName(_ address: UInt64) -> String? {
        var bytes: [UInt8] = []
        var next = address
        while next < address &+ Bytes.longest {
            guard let word = reader.half(next & ~3) else { return nil }
            let byte = UInt8(truncatingIfNeeded: word >> (UInt32(next & 3) * 8))
            if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
            if byte >= 0x20 {
                bytes.append(byte)
            } else {
                let kind = descriptor(symbol: next).flatMap { reader.half($0) }.map { $0 & ClassLayout.kindMask }
                let isStructure = kind == Self.structureKind
                bytes += (kind == ClassLayout.classKind ? Self.classMark : isStructure ? Self.structureMark : Self.otherMark).utf8
            }
            next += Bytes.near ~= byte ? 5 : Bytes.far ~= byte ? 9 : 1
        }
        return nil
    }

    /// The descriptor that the symbol in a mangled name refers to: a byte of 1, or of 2 if there is a pointer between, and the distance.
    /// Nil if the mangled name begins with something else.
    func descriptor(symbol: UInt64) -> UInt64? {
        guard let first = reader.half(symbol & ~3), let target = relative(symbol &+ 1) else { return nil }
        switch first >> (UInt32(symbol & 3) * 8) & 0xff {
        case 1: return target
        case 2: return reader.word(target)
        case _: return nil
        }
    }

    /// Numbers with 64 bits that are no addresses.
    private static let numbers: Set<String> = ["Swift.Int64", "Swift.UInt64"]

    /// Whether a mangled name is that of a tuple whose elements are all of the same type of numbers, with labels or without.
    ///
    /// - Parameter declared: The name of the type to which the first byte of the mangled name refers.
    func isTupleOfNumbers(_ name: String, _ declared: String?) -> Bool {
        guard name.hasSuffix("t"), name.hasPrefix(Self.structureMark), declared.map(Self.numbers.contains) ?? false else { return false }
        var rest = name.dropFirst().dropLast()
        while let first = rest.first {
            if first == "_" {
                rest = rest.dropFirst()
            } else if first.isNumber {
                rest = Self.afterLabel(rest)
            } else if rest.hasPrefix("AA") {
                // The first type once more.
                rest = rest.dropFirst(2)
            } else {
                return false
            }
        }
        return true
    }

    /// What follows a label: its length and its characters. In a label that begins with a 0, letters are words of earlier ones, and the last
    /// one of these is a capital.
    private static func afterLabel(_ name: Substring) -> Substring {
        var rest = name
        var hasWords = rest.first == "0"
        if hasWords { rest = rest.dropFirst() }
        repeat {
            while hasWords, let word = rest.first, word.isLetter {
                rest = rest.dropFirst()
                hasWords = word.isLowercase
            }
            if rest.first == "0" { return rest.dropFirst() }
            guard let length = Int(rest.prefix { $0.isNumber }) else { return rest }
            rest = rest.drop { $0.isNumber }.dropFirst(length)
        } while hasWords && !rest.isEmpty
        return rest
    }
}
