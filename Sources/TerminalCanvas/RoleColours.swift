/// A role's look in a terminal of 256 colours, by xterm's colour numbers.
///
/// The theme ``Theme/automatic`` keeps the terminal's background, so its foregrounds have a contrast of at least 3.2 against both white
/// and nearly black. The selected row has a background of its own, and lighter foregrounds.
package struct RoleColours: Hashable, Sendable {
    /// Nil for the default foreground.
    package var foreground: UInt8?
    /// The foreground on the selected row.
    package var selected: UInt8?
    /// Nil for the default background.
    package var background: UInt8?
    package var isBold: Bool

    /// `selected` is the same as `foreground` by default.
    package init(_ foreground: UInt8? = nil, selected: UInt8? = nil, on background: UInt8? = nil, isBold: Bool = false) {
        self.foreground = foreground
        self.selected = selected ?? foreground
        self.background = background
        self.isBold = isBold
    }

    static let selection: (foreground: UInt8, background: UInt8) = (255, 237)

    static func of(_ role: Role) -> RoleColours {
        switch role {
        case .text, .header: RoleColours(nil, selected: 255)
        case .dim, .tab: RoleColours(244, selected: 250)
        case .title: RoleColours(nil, selected: 231, isBold: true)
        case .tabSelected: RoleColours(231, on: 25, isBold: true)
        case .columnHeader: RoleColours(67, selected: 110)
        case .key: RoleColours(32, selected: 75, isBold: true)
        case .border: RoleColours(242, selected: 245)
        case .selection: RoleColours(selection.foreground, on: selection.background)
        case .filter: RoleColours(136, selected: 221)
        case .pending: RoleColours(244, selected: 250)
        case .queued: RoleColours(136, selected: 221)
        case .running: RoleColours(33, selected: 75, isBold: true)
        case .suspended: RoleColours(66, selected: 109)
        case .succeeded, .good: RoleColours(28, selected: 114)
        case .faulted: RoleColours(167, selected: 210, isBold: true)
        case .fault: RoleColours(167, selected: 210)
        case .cancelled: RoleColours(137, selected: 180)
        case .skipped: RoleColours(244, selected: 250)
        case .mainHop: RoleColours(170, selected: 213, isBold: true)
        case .hop: RoleColours(103, selected: 146)
        case .warning: RoleColours(166, selected: 215, isBold: true)
        case .bar: RoleColours(32, selected: 75)
        case .barDim: RoleColours(242, selected: 245)
        case .held: RoleColours(231, on: 130, isBold: true)
        case .rail0: RoleColours(32, selected: 75)
        case .rail1: RoleColours(136, selected: 221)
        case .rail2: RoleColours(133, selected: 176)
        case .rail3: RoleColours(30, selected: 80)
        case .rail4: RoleColours(166, selected: 215)
        case .rail5: RoleColours(65, selected: 114)
        case .rail6: RoleColours(98, selected: 141)
        case .rail7: RoleColours(103, selected: 146)
        }
    }
}
