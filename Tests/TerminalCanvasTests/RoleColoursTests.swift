import Foundation
import Testing

@testable import TerminalCanvas

/// Every role's text is legible in every theme.
@Suite struct RoleColoursTests {
    /// Relative luminance, from 0 to 1, of `RRGGBB`. Source: Web Content Accessibility Guidelines 2.2.
    private static func luminance(_ rgb: UInt32) -> Double {
        let weights = [(rgb >> 16, 0.2126), (rgb >> 8, 0.7152), (rgb, 0.0722)]
        return weights.reduce(0) { sum, part in
            let share = Double(part.0 & 0xFF) / 255
            return sum + part.1 * (share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4))
        }
    }

    private static func contrast(_ one: UInt32, _ other: UInt32) -> Double {
        let (dark, light) = (min(luminance(one), luminance(other)), max(luminance(one), luminance(other)))
        return (light + 0.05) / (dark + 0.05)
    }

    @Test("Text is legible on its background, on the selected row, and on its role's background", arguments: Theme.allCases, Role.allCases)
    func isReadable(theme: Theme, role: Role) {
        let palette = RenderingPalette(theme)
        let colours = RoleColours.of(role, in: theme)
        let foreground = colours.foreground.map(RenderingPalette.rgb) ?? palette.defaultForeground
        let selected = colours.selected.map(RenderingPalette.rgb) ?? palette.defaultForeground
        let background = colours.background.map(RenderingPalette.rgb)
        #expect(Self.contrast(foreground, background ?? palette.defaultBackground) >= 3.2)
        #expect(Self.contrast(selected, background ?? RenderingPalette.rgb(palette.selectionBackground)) >= 3.2)
    }

    @Test("Text without a theme is legible on white and on black", arguments: Role.allCases)
    func isReadableAnywhere(role: Role) {
        let colours = RoleColours.of(role, in: .automatic)
        guard let foreground = colours.foreground.map(RenderingPalette.rgb), colours.background == nil else { return }
        #expect(Self.contrast(foreground, 0xFFFFFF) >= 3.2)
        #expect(Self.contrast(foreground, 0x101010) >= 3.2)
    }
}
