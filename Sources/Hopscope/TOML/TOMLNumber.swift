/// Parses the TOML values that have no delimiters: numbers, dates, `true` and `false`.
enum TOMLNumber {
    /// Nil if the word is not a value.
    static func value(of word: String) -> TOMLValue? {
        switch word {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "inf", "+inf": return .float(.infinity)
        case "-inf": return .float(-.infinity)
        case "nan", "+nan", "-nan": return .float(.nan)
        case _: break
        }
        if let integer = integer(word) { return .integer(integer) }
        if let float = float(word) { return .float(float) }
        return isDate(word) || isTime(word) || isDateAndTime(word) ? .date(word) : nil
    }

    private static func integer(_ word: String) -> Int? {
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.hasPrefix(prefix) {
            guard let digits = withoutUnderscores(word.dropFirst(2)), digits.first != "-", digits.first != "+" else { return nil }
            return Int(digits, radix: radix)
        }
        guard let digits = withoutUnderscores(word.drop { $0 == "+" || $0 == "-" }), digits.allSatisfy(isDigit) else { return nil }
        guard !hasLeadingZero(digits), signs(of: word) <= 1 else { return nil }
        return Int((word.hasPrefix("-") ? "-" : "") + digits)
    }

    private static func float(_ word: String) -> Double? {
        let unsigned = word.drop { $0 == "+" || $0 == "-" }
        guard signs(of: word) <= 1, let separator = unsigned.firstIndex(where: { $0 == "." || $0 == "e" || $0 == "E" }) else { return nil }
        guard let whole = withoutUnderscores(unsigned[..<separator]), whole.allSatisfy(isDigit), !hasLeadingZero(whole) else { return nil }
        var rest = unsigned[separator...]
        var text = whole
        if rest.first == "." {
            let fraction = rest.dropFirst().prefix { $0 != "e" && $0 != "E" }
            guard let digits = withoutUnderscores(fraction), digits.allSatisfy(isDigit) else { return nil }
            text += ".\(digits)"
            rest = rest.dropFirst(1 + fraction.count)
        }
        if !rest.isEmpty {
            let exponent = rest.dropFirst()
            guard let digits = withoutUnderscores(exponent.drop { $0 == "+" || $0 == "-" }), digits.allSatisfy(isDigit) else { return nil }
            guard signs(of: String(exponent)) <= 1 else { return nil }
            text += "e\(exponent.hasPrefix("-") ? "-" : "")\(digits)"
        }
        return Double((word.hasPrefix("-") ? "-" : "") + text)
    }

    // MARK: Dates

    static func isDate(_ word: String) -> Bool {
        guard let numbers = numbers(of: word, "dddd-dd-dd") else { return false }
        return (1...12).contains(numbers[1]) && (1...31).contains(numbers[2])
    }

    private static func isTime(_ word: String) -> Bool {
        let parts = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let numbers = numbers(of: String(parts[0]), "dd:dd:dd") else { return false }
        guard parts.count == 1 || !parts[1].isEmpty && parts[1].allSatisfy(isDigit) else { return false }
        return numbers[0] <= 23 && numbers[1] <= 59 && numbers[2] <= 60
    }

    private static func isDateAndTime(_ word: String) -> Bool {
        guard word.utf8.count > 11, isDate(String(word.prefix(10))) else { return false }
        let between = word[word.index(word.startIndex, offsetBy: 10)]
        guard "Tt ".contains(between) else { return false }
        var time = String(word.dropFirst(11))
        if time.hasSuffix("Z") || time.hasSuffix("z") {
            time.removeLast()
        } else if let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) {
            guard let offset = numbers(of: String(time[time.index(after: sign)...]), "dd:dd") else { return false }
            guard offset[0] <= 23, offset[1] <= 59 else { return false }
            time = String(time[..<sign])
        }
        return isTime(time)
    }

    /// The numbers in a word that matches the pattern, in which `d` means a digit. Nil if the word does not match.
    private static func numbers(of word: String, _ pattern: String) -> [Int]? {
        guard word.utf8.count == pattern.utf8.count else { return nil }
        let matches = zip(word, pattern).allSatisfy { $1 == "d" ? isDigit($0) : $0 == $1 }
        return matches ? word.split { !isDigit($0) }.compactMap { Int($0) } : nil
    }

    // MARK: Digits

    /// Removes underscores. Nil if the text is empty or an underscore has no digit on one of its sides.
    private static func withoutUnderscores(_ text: some StringProtocol) -> String? {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        return parts.contains(where: \.isEmpty) ? nil : parts.joined()
    }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

    private static func hasLeadingZero(_ digits: String) -> Bool { digits.count > 1 && digits.hasPrefix("0") }

    private static func signs(of word: String) -> Int { word.prefix { $0 == "+" || $0 == "-" }.count }
}
