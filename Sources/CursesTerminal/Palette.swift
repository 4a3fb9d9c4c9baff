import CCurses
import TerminalCanvas

/// A style as curses attributes and a colour pair.
struct Look {
    var attributes: UInt16
    var pair: Int16
}

/// The appearance of all styles in one terminal, computed once.
struct Palette {
    private var looks: [Look] = []
    private var pairs: [InkPair: Int16] = [:]

    /// Defines the colour pairs with curses, whose colours must be enabled.
    ///
    /// - Parameter theme: a decided theme.
    init(colours: TerminalCapabilities.Colours, theme: Theme) {
        for role in Role.allCases {
            for emphasis in 0..<UInt8(1 << Emphasis.bits) {
                looks.append(look(Style(role, Emphasis(rawValue: emphasis)), theme, colours))
            }
        }
    }

    subscript(style: Style) -> Look {
        looks[Int(style.role.rawValue) << Emphasis.bits | Int(style.emphasis.rawValue)]
    }

    private mutating func look(_ style: Style, _ theme: Theme, _ colours: TerminalCapabilities.Colours) -> Look {
        let rich = RoleColours.of(style.role, in: theme)
        let isSelected = style.emphasis.contains(.selected)
        var attributes = (rich.isBold ? CURSES_BOLD : 0) | style.emphasis.attributes
        guard let pair = InkPair.of(style.role, isSelected: isSelected, in: theme, colours) else {
            attributes |= Self.attributesWithoutColours(style.role)
            if isSelected || rich.background != nil { attributes |= CURSES_REVERSE }
            return Look(attributes: UInt16(attributes), pair: 0)
        }
        return Look(attributes: UInt16(attributes), pair: number(of: pair))
    }

    private static func attributesWithoutColours(_ role: Role) -> Int {
        switch role {
        case .columnHeader, .filter: CURSES_UNDERLINE
        case .fault: CURSES_BOLD
        case .text, .dim, .title, .header, .tab, .tabSelected, .key, .border, .selection, .pending, .queued, .running, .suspended,
            .succeeded, .faulted, .cancelled, .skipped, .mainHop, .hop, .warning, .good, .bar, .barDim, .held, .rail0, .rail1, .rail2,
            .rail3, .rail4, .rail5, .rail6, .rail7:
            0
        }
    }

    /// The number of a colour pair. Pairs are defined on first use, because a terminal of eight colours has room for 64.
    private mutating func number(of pair: InkPair) -> Int16 {
        if let number = pairs[pair] { return number }
        let number = Int16(pairs.count + 1)
        pairs[pair] = number
        curses_screen_define_pair(Int32(number), Int32(pair.foreground), Int32(pair.background))
        return number
    }
}

extension Emphasis {
    fileprivate static let bits = 6

    fileprivate var attributes: Int {
        (contains(.bold) || contains(.changed) ? CURSES_BOLD : 0) | (contains(.dim) ? CURSES_DIM : 0)
            | (contains(.underline) || contains(.changed) ? CURSES_UNDERLINE : 0) | (contains(.reversed) ? CURSES_REVERSE : 0)
    }
}
