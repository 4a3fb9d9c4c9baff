import CCurses
import TerminalCanvas

/// A role's looks in every kind of terminal.
///
/// Colours are palette numbers; -1 is the terminal's own. Those of 256 have a contrast of at least 3.2 against a white and against a nearly black background,
/// as the terminal's own background is kept; the selected row has a background of its own and so its own, lighter foregrounds.
struct Ink {
    /// Of 256, on the terminal's background.
    var colour: Int32
    /// Of 256, on the selection's background.
    var selected: Int32
    /// Of 16; above 7 for the bright ones, which a terminal of 8 shows bold.
    var basic: Int32
    /// A background of its own, of 256; with fewer colours it is `HOP_REVERSE`.
    var background: Int32?
    /// In every terminal.
    var always: Int = 0
    /// Where there are less than 256 colours, besides.
    var fewColours: Int = 0
    /// Where there are none, besides.
    var noColours: Int = 0

    static let selection: (foreground: Int32, background: Int32) = (255, 237)

    static func of(_ role: Role) -> Ink {
        switch role {
        case .text, .header: Ink(colour: -1, selected: 255, basic: -1)
        case .dim, .tab: Ink(colour: 244, selected: 250, basic: -1, fewColours: HOP_DIM)
        case .title: Ink(colour: -1, selected: 231, basic: -1, always: HOP_BOLD)
        case .tabSelected: Ink(colour: 231, selected: 231, basic: -1, background: 25, always: HOP_BOLD)
        case .columnHeader: Ink(colour: 67, selected: 110, basic: 6, noColours: HOP_UNDERLINE)
        case .key: Ink(colour: 32, selected: 75, basic: 6, always: HOP_BOLD)
        case .border: Ink(colour: 242, selected: 245, basic: -1, fewColours: HOP_DIM)
        case .selection: Ink(colour: selection.foreground, selected: selection.foreground, basic: -1, background: selection.background)
        case .filter: Ink(colour: 136, selected: 221, basic: 3, noColours: HOP_UNDERLINE)
        case .pending: Ink(colour: 244, selected: 250, basic: -1, fewColours: HOP_DIM)
        case .queued: Ink(colour: 136, selected: 221, basic: 3)
        case .running: Ink(colour: 33, selected: 75, basic: 14, always: HOP_BOLD)
        case .suspended: Ink(colour: 66, selected: 109, basic: 6)
        case .succeeded, .good: Ink(colour: 28, selected: 114, basic: 2)
        case .faulted: Ink(colour: 167, selected: 210, basic: 1, always: HOP_BOLD)
        case .fault: Ink(colour: 167, selected: 210, basic: 1, noColours: HOP_BOLD)
        case .cancelled: Ink(colour: 137, selected: 180, basic: 3, fewColours: HOP_DIM)
        case .skipped: Ink(colour: 244, selected: 250, basic: -1, fewColours: HOP_DIM)
        case .mainHop: Ink(colour: 170, selected: 213, basic: 5, always: HOP_BOLD)
        case .hop: Ink(colour: 103, selected: 146, basic: 4)
        case .warning: Ink(colour: 166, selected: 215, basic: 3, always: HOP_BOLD)
        case .bar: Ink(colour: 32, selected: 75, basic: 6)
        case .barDim: Ink(colour: 242, selected: 245, basic: -1, fewColours: HOP_DIM)
        case .held: Ink(colour: 231, selected: 231, basic: -1, background: 130, always: HOP_BOLD)
        case .rail0: Ink(colour: 32, selected: 75, basic: 12)
        case .rail1: Ink(colour: 136, selected: 221, basic: 3)
        case .rail2: Ink(colour: 133, selected: 176, basic: 5)
        case .rail3: Ink(colour: 30, selected: 80, basic: 6)
        case .rail4: Ink(colour: 166, selected: 215, basic: 11)
        case .rail5: Ink(colour: 65, selected: 114, basic: 2)
        case .rail6: Ink(colour: 98, selected: 141, basic: 13)
        case .rail7: Ink(colour: 103, selected: 146, basic: 14)
        }
    }
}

/// What a style is to curses.
struct Look {
    var attributes: UInt16
    var pair: Int16
}

/// The looks of all styles in one terminal, worked out once.
struct Palette {
    let theme: Theme
    private var looks: [Look] = []
    private var pairs: [ColourPair: Int16] = [:]

    private struct ColourPair: Hashable {
        var foreground: Int32
        var background: Int32
    }

    /// Defines the colour pairs with curses, which has to be ready for colours.
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
        let isSelected = style.emphasis.contains(.selected)
        var attributes = ink.always | style.emphasis.attributes
        if colours < .twoHundredFiftySix {
            attributes |= ink.fewColours
            if isSelected || ink.background != nil { attributes |= HOP_REVERSE }
        }
        var pair = ColourPair(foreground: -1, background: -1)
        switch colours {
        case .none:
            attributes |= ink.noColours
        case .eight where !isSelected:
            pair.foreground = ink.basic > 7 ? ink.basic - 8 : ink.basic
            if ink.basic > 7 { attributes |= HOP_BOLD }
        case .sixteen where !isSelected:
            pair.foreground = ink.basic
        case .eight, .sixteen:
            break
        case .twoHundredFiftySix:
            pair.foreground = isSelected ? ink.selected : ink.colour
            pair.background = ink.background ?? (isSelected ? Ink.selection(in: theme).background : -1)
        }
        return Look(attributes: UInt16(attributes), pair: number(of: pair))
    }

    /// The number of a pair of colours, defined when it is first asked for: a terminal of eight colours has room for 64 pairs.
    private mutating func number(of pair: ColourPair) -> Int16 {
        if pair == ColourPair(foreground: -1, background: -1) { return 0 }
        if let number = pairs[pair] { return number }
        let number = Int16(pairs.count + 1)
        pairs[pair] = number
        hop_screen_define_pair(Int32(number), pair.foreground, pair.background)
        return number
    }
}

extension Emphasis {
    fileprivate static let bits = 5

    fileprivate var attributes: Int {
        (contains(.bold) ? HOP_BOLD : 0) | (contains(.dim) ? HOP_DIM : 0)
            | (contains(.underline) ? HOP_UNDERLINE : 0) | (contains(.reversed) ? HOP_REVERSE : 0)
    }
}
