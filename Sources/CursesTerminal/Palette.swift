import CCurses
import TerminalCanvas

/// The appearance of a role in a terminal with fewer than 256 colours. Themes do not apply there: the user sets those colours in the
/// terminal.
struct Ink {
    /// One of 16 colours, or -1 for the terminal's default. Colours above 7 are bright; a terminal with 8 colours shows them bold.
    var basic: Int32
    /// Attributes added if there are fewer than 256 colours.
    var fewColours: Int
    /// Attributes added if there are no colours.
    var noColours: Int

    private init(_ basic: Int32, fewColours: Int = 0, noColours: Int = 0) {
        self.basic = basic
        self.fewColours = fewColours
        self.noColours = noColours
    }

    static func of(_ role: Role, in theme: Theme) -> Ink {
        var ink = of(role)
        if theme == .contrast { ink.fewColours &= ~CURSES_DIM }
        return ink
    }

    private static func of(_ role: Role) -> Ink {
        switch role {
        case .text, .header, .title, .tabSelected, .selection, .held: Ink(-1)
        case .dim, .tab, .border, .pending, .skipped, .barDim: Ink(-1, fewColours: CURSES_DIM)
        case .columnHeader: Ink(6, noColours: CURSES_UNDERLINE)
        case .key, .suspended, .bar, .rail3: Ink(6)
        case .filter: Ink(3, noColours: CURSES_UNDERLINE)
        case .queued, .warning, .rail1: Ink(3)
        case .running, .rail7: Ink(14)
        case .succeeded, .good, .rail5: Ink(2)
        case .faulted: Ink(1)
        case .fault: Ink(1, noColours: CURSES_BOLD)
        case .cancelled: Ink(3, fewColours: CURSES_DIM)
        case .mainHop, .rail2: Ink(5)
        case .hop: Ink(4)
        case .rail0: Ink(12)
        case .rail4: Ink(11)
        case .rail6: Ink(13)
        }
    }
}

/// A style as curses attributes and a colour pair.
struct Look {
    var attributes: UInt16
    var pair: Int16
}

/// The appearance of all styles in one terminal, computed once.
struct Palette {
    let theme: Theme
    private var looks: [Look] = []
    private var pairs: [ColourPair: Int16] = [:]

    private struct ColourPair: Hashable {
        var foreground: Int32
        var background: Int32
    }

    /// Defines the colour pairs with curses, whose colours must be enabled.
    init(colours: TerminalCapabilities.Colours, theme: Theme) {
        self.theme = theme
        for role in Role.allCases {
            for emphasis in 0..<UInt8(1 << Emphasis.bits) {
                looks.append(look(Style(role, Emphasis(rawValue: emphasis)), colours))
            }
        }
    }

    subscript(style: Style) -> Look {
        looks[Int(style.role.rawValue) << Emphasis.bits | Int(style.emphasis.rawValue)]
    }

    private mutating func look(_ style: Style, _ colours: TerminalCapabilities.Colours) -> Look {
        let ink = Ink.of(style.role, in: theme)
        let rich = RoleColours.of(style.role, in: theme)
        let isSelected = style.emphasis.contains(.selected)
        var attributes = (rich.isBold ? CURSES_BOLD : 0) | style.emphasis.attributes
        if colours < .twoHundredFiftySix {
            attributes |= ink.fewColours
            if isSelected || rich.background != nil { attributes |= CURSES_REVERSE }
        }
        var pair = ColourPair(foreground: -1, background: -1)
        switch colours {
        case .none:
            attributes |= ink.noColours
        case .eight where !isSelected:
            pair.foreground = ink.basic > 7 ? ink.basic - 8 : ink.basic
            if ink.basic > 7 { attributes |= CURSES_BOLD }
        case .sixteen where !isSelected:
            pair.foreground = ink.basic
        case .eight, .sixteen:
            break
        case .twoHundredFiftySix:
            let background = rich.background ?? (isSelected ? RoleColours.selection(in: theme).background : nil)
            pair.foreground = (isSelected ? rich.selected : rich.foreground).map(Int32.init) ?? -1
            pair.background = background.map(Int32.init) ?? -1
        }
        return Look(attributes: UInt16(attributes), pair: number(of: pair))
    }

    /// The number of a colour pair. Pairs are defined on first use, because a terminal of eight colours has room for 64.
    private mutating func number(of pair: ColourPair) -> Int16 {
        if pair == ColourPair(foreground: -1, background: -1) { return 0 }
        if let number = pairs[pair] { return number }
        let number = Int16(pairs.count + 1)
        pairs[pair] = number
        curses_screen_define_pair(Int32(number), pair.foreground, pair.background)
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
