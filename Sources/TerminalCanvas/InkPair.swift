/// The two colours of a style in a terminal: of 8, 16 or 256 colours by their numbers, of direct colours as `RRGGBB`.
package struct InkPair: Hashable, Sendable {
    package var foreground: Int
    package var background: Int

    package init(_ foreground: Int, on background: Int) {
        self.foreground = foreground
        self.background = background
    }

    /// Nil in a terminal without colours.
    ///
    /// - Parameter theme: a decided theme; see ``Theme/decided(by:)``.
    package static func of(_ role: Role, isSelected: Bool, in theme: Theme, _ colours: TerminalCapabilities.Colours) -> InkPair? {
        switch colours {
        case .none: return nil
        case .eight: return few(eight(role, isLight: theme == .light), isSelected)
        case .sixteen: return few(sixteen(role, isLight: theme == .light), isSelected)
        case .twoHundredFiftySix: return many(role, isSelected, theme)
        case .direct:
            let pair = many(role, isSelected, theme)
            return InkPair(direct(pair.foreground), on: direct(pair.background))
        }
    }

    private static func many(_ role: Role, _ isSelected: Bool, _ theme: Theme) -> InkPair {
        let rich = RoleColours.of(role, in: theme)
        let ground = isSelected ? theme.selection : theme.ground
        return InkPair(
            Int((isSelected ? rich.selected : rich.foreground) ?? ground.foreground), on: Int(rich.background ?? ground.background))
    }

    /// Terminals of direct colours take the numbers below 256 for the numbers of their palette.
    private static func direct(_ colour: Int) -> Int {
        let rgb = Int(RenderingPalette.rgb(UInt8(truncatingIfNeeded: colour)))
        return rgb < 0x10000 ? rgb | 0x010100 : rgb
    }

    /// The selected row has its colours exchanged.
    private static func few(_ pair: InkPair, _ isSelected: Bool) -> InkPair {
        isSelected ? InkPair(pair.background, on: pair.foreground) : pair
    }

    /// Three of the eight colours, red, blue and magenta, are too dark for text on black, so they are grounds there. Most of the eight are
    /// too bright for text on white.
    private static func eight(_ role: Role, isLight: Bool) -> InkPair {
        let ground = isLight ? 7 : 0
        switch role {
        case .text, .header, .title, .dim, .tab, .border, .pending, .skipped, .barDim, .cancelled, .rail7:
            return InkPair(7 - ground, on: ground)
        case .tabSelected, .selection, .held: return InkPair(ground, on: 7 - ground)
        case .faulted, .fault: return isLight ? InkPair(1, on: 7) : InkPair(7, on: 1)
        case .mainHop: return InkPair(7, on: 4)
        case .filter, .queued, .warning, .rail1, .rail4: return InkPair(isLight ? 0 : 3, on: ground)
        case .succeeded, .good, .rail5: return InkPair(isLight ? 0 : 2, on: ground)
        case .columnHeader, .key, .suspended, .bar, .running, .hop, .rail0, .rail2, .rail3, .rail6:
            return InkPair(isLight ? 4 : 6, on: ground)
        }
    }

    private static func sixteen(_ role: Role, isLight: Bool) -> InkPair {
        let ground = isLight ? 15 : 0
        func pair(_ dark: Int, _ light: Int) -> InkPair { InkPair(isLight ? light : dark, on: ground) }
        switch role {
        case .text, .header: return pair(7, 0)
        case .title, .rail7: return pair(15, 0)
        case .dim, .tab, .border, .pending, .skipped, .barDim: return pair(8, 0)
        case .tabSelected, .selection, .held: return InkPair(ground, on: isLight ? 0 : 15)
        case .columnHeader, .key, .bar, .rail3: return pair(6, 4)
        case .suspended, .hop, .rail0: return pair(6, 12)
        case .running: return pair(14, 4)
        case .filter, .queued, .rail1: return pair(3, 0)
        case .warning, .rail4: return pair(11, 1)
        case .cancelled: return pair(3, 0)
        case .succeeded, .good, .rail5: return pair(10, 0)
        case .faulted, .fault: return pair(9, 1)
        case .mainHop, .rail2, .rail6: return pair(13, 5)
        }
    }
}
