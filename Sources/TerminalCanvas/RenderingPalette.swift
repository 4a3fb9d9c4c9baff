/// The colours of all roles for rendering a canvas without a terminal.
package struct RenderingPalette: Sendable {
    private var colours: [Role: RoleColours]
    package var selectionBackground: UInt8
    /// `RRGGBB` of text without a colour of its own.
    package var defaultForeground: UInt32
    package var defaultBackground: UInt32
    /// Default text and the ground by xterm's colour numbers, for ANSI text. Nil leaves both to the terminal.
    package var ground: (foreground: UInt8, background: UInt8)?

    package init(
        selectionBackground: UInt8, defaultForeground: UInt32, defaultBackground: UInt32, _ colours: (Role) -> RoleColours
    ) {
        self.colours = Dictionary(uniqueKeysWithValues: Role.allCases.map { ($0, colours($0)) })
        self.selectionBackground = selectionBackground
        self.defaultForeground = defaultForeground
        self.defaultBackground = defaultBackground
    }

    /// The palette of a theme, on the theme's ground.
    package init(_ theme: Theme) {
        let ground = theme.ground
        self.init(
            selectionBackground: theme.selection.background, defaultForeground: Self.rgb(ground.foreground),
            defaultBackground: Self.rgb(ground.background)
        ) { .of($0, in: theme) }
        self.ground = ground
    }

    package subscript(role: Role) -> RoleColours {
        colours[role] ?? RoleColours()
    }
}

extension RenderingPalette {
    /// `RRGGBB` of one of xterm's 256 colours.
    static func rgb(_ colour: UInt8) -> UInt32 {
        let basic: [UInt32] = [
            0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00,
            0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
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
