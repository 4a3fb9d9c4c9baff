import TerminalCanvas

extension Key {
    /// The bytes that a terminal sends for the key. Source: "PC-style function keys" in xterm's control sequences.
    var bytes: [UInt8] {
        switch self {
        case .character(let character): Array(String(character).utf8)
        case .control(let character): character.asciiValue.map { [$0 & 0x1F] } ?? []
        case .enter: [0x0D]
        case .escape: [0x1B]
        case .tab: [0x09]
        case .backspace: [0x7F]
        case .up: Self.sequence("[A")
        case .down: Self.sequence("[B")
        case .right: Self.sequence("[C")
        case .left: Self.sequence("[D")
        case .home: Self.sequence("[H")
        case .end: Self.sequence("[F")
        case .backTab: Self.sequence("[Z")
        case .insert: Self.sequence("[2~")
        case .delete: Self.sequence("[3~")
        case .pageUp: Self.sequence("[5~")
        case .pageDown: Self.sequence("[6~")
        case .function(let number): Self.functionKey(number)
        }
    }

    private static func functionKey(_ number: Int) -> [UInt8] {
        let letters = ["OP", "OQ", "OR", "OS"]
        let numbers = [15, 17, 18, 19, 20, 21, 23, 24]
        if (1...4).contains(number) { return sequence(letters[number - 1]) }
        return (5...12).contains(number) ? sequence("[\(numbers[number - 5])~") : []
    }

    private static func sequence(_ text: String) -> [UInt8] { [0x1B] + Array(text.utf8) }
}
