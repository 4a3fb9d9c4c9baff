/// A role's look in a terminal of 256 colours, by xterm's colour numbers.
///
/// Text has a contrast of at least 4.5 against its ground, the selected row's included, and lines and bars at least 3. Source: Web Content
/// Accessibility Guidelines 2.2, success criteria 1.4.3 and 1.4.11.
package struct RoleColours: Hashable, Sendable {
    /// Nil for the theme's default text.
    package var foreground: UInt8?
    /// The foreground on the selected row. Nil for that row's default text.
    package var selected: UInt8?
    /// Nil for the theme's ground.
    package var background: UInt8?
    package var isBold: Bool

    /// `selected` is the same as `foreground` by default.
    package init(_ foreground: UInt8? = nil, selected: UInt8? = nil, on background: UInt8? = nil, isBold: Bool = false) {
        self.foreground = foreground
        self.selected = selected ?? foreground
        self.background = background
        self.isBold = isBold
    }

    /// The colours on a dark ground.
    static func of(_ role: Role) -> RoleColours {
        switch role {
        case .text, .header: RoleColours()
        case .dim, .tab, .pending, .skipped: RoleColours(246, selected: 250)
        case .title: RoleColours(231, isBold: true)
        case .tabSelected: RoleColours(231, on: 25, isBold: true)
        case .columnHeader: RoleColours(110)
        case .key: RoleColours(75, isBold: true)
        case .border, .barDim: RoleColours(245)
        case .selection: RoleColours(255, on: 236)
        case .filter: RoleColours(221)
        case .queued: RoleColours(221)
        case .running: RoleColours(75, isBold: true)
        case .suspended: RoleColours(109)
        case .succeeded, .good: RoleColours(114)
        case .faulted: RoleColours(210, isBold: true)
        case .fault: RoleColours(210)
        case .cancelled: RoleColours(180)
        case .mainHop: RoleColours(213, isBold: true)
        case .hop: RoleColours(146)
        case .warning: RoleColours(215, isBold: true)
        case .bar: RoleColours(75)
        case .held: RoleColours(231, on: 130, isBold: true)
        case .rail0: RoleColours(75)
        case .rail1: RoleColours(221)
        case .rail2: RoleColours(176)
        case .rail3: RoleColours(80)
        case .rail4: RoleColours(215)
        case .rail5: RoleColours(114)
        case .rail6: RoleColours(141)
        case .rail7: RoleColours(146)
        }
    }
}
