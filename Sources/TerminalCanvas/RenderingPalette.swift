/// How a role looks where a canvas is rendered without a terminal: colours of the 256 that terminals number, and attributes.
package struct RenderedInk: Hashable, Sendable {
    /// Nil for the foreground that all text has.
    package var foreground: UInt8?
    /// Nil for the background that all cells have.
    package var background: UInt8?
    package var isBold: Bool

    package init(_ foreground: UInt8? = nil, on background: UInt8? = nil, isBold: Bool = false) {
        self.foreground = foreground
        self.background = background
        self.isBold = isBold
    }
}

/// The looks of all roles, and of the selected row.
package struct RenderingPalette: Sendable {
    private var inks: [Role: RenderedInk]
    /// Behind the selected row; its roles keep their own colours.
    package var selectionBackground: UInt8
    /// `RRGGBB` of what has no colour of its own, where a rendering has to say it.
    package var defaultForeground: UInt32
    package var defaultBackground: UInt32

    package init(
        selectionBackground: UInt8, defaultForeground: UInt32, defaultBackground: UInt32, _ ink: (Role) -> RenderedInk
    ) {
        inks = Dictionary(uniqueKeysWithValues: Role.allCases.map { ($0, ink($0)) })
        self.selectionBackground = selectionBackground
        self.defaultForeground = defaultForeground
        self.defaultBackground = defaultBackground
    }

    package subscript(role: Role) -> RenderedInk {
        inks[role] ?? RenderedInk()
    }

    /// For a dark background: what pictures of the inspector are drawn with.
    package static let dark = RenderingPalette(selectionBackground: 237, defaultForeground: 0xD8D8D8, defaultBackground: 0x16181D) { role in
        switch role {
        case .text, .header: RenderedInk()
        case .dim, .tab, .pending, .skipped: RenderedInk(247)
        case .title: RenderedInk(231, isBold: true)
        case .tabSelected: RenderedInk(231, on: 25, isBold: true)
        case .columnHeader: RenderedInk(110)
        case .key: RenderedInk(75, isBold: true)
        case .border, .barDim: RenderedInk(242)
        case .selection: RenderedInk(255, on: 237)
        case .filter, .queued, .rail1: RenderedInk(221)
        case .running: RenderedInk(75, isBold: true)
        case .suspended: RenderedInk(109)
        case .succeeded, .good: RenderedInk(114)
        case .faulted: RenderedInk(210, isBold: true)
        case .fault: RenderedInk(210)
        case .cancelled: RenderedInk(180)
        case .mainHop: RenderedInk(213, isBold: true)
        case .hop, .rail7: RenderedInk(146)
        case .warning: RenderedInk(215, isBold: true)
        case .bar, .rail0: RenderedInk(75)
        case .held: RenderedInk(231, on: 130, isBold: true)
        case .rail2: RenderedInk(176)
        case .rail3: RenderedInk(80)
        case .rail4: RenderedInk(215)
        case .rail5: RenderedInk(114)
        case .rail6: RenderedInk(141)
        }
    }
}

extension RenderingPalette {
    /// `RRGGBB` of one of the 256 colours, as xterm has them.
    static func rgb(_ colour: UInt8) -> UInt32 {
        let basic: [UInt32] = [
            0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00,
            0x5C5CFF,
            0xFF00FF, 0x00FFFF, 0xFFFFFF,
        ]
        let value = UInt32(colour)
        switch value {
        case ..<16: return basic[Int(value)]
        case ..<232:
            let level = { (step: UInt32) in step == 0 ? 0 : 55 + 40 * step }
            let cube = value - 16
            return level(cube / 36) << 16 | level(cube / 6 % 6) << 8 | level(cube % 6)
        case _:
            return (8 + 10 * (value - 232)) * 0x01_01_01
        }
    }
}
