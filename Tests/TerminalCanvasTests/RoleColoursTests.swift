import Foundation
import Testing

@testable import TerminalCanvas

/// Every role is legible in every theme and in every number of colours.
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

    /// The least contrast: of text, and of lines and bars. Source: success criteria 1.4.3 and 1.4.11.
    private static func least(_ role: Role) -> Double {
        switch role {
        case .border, .bar, .barDim, .rail0, .rail1, .rail2, .rail3, .rail4, .rail5, .rail6, .rail7: 3
        case .text, .dim, .title, .header, .tab, .tabSelected, .columnHeader, .key, .selection, .filter, .pending, .queued, .running,
            .suspended, .succeeded, .faulted, .cancelled, .skipped, .fault, .mainHop, .hop, .warning, .good, .held:
            4.5
        }
    }

    @Test("The formula gives the guidelines' values") func formula() {
        #expect(abs(Self.contrast(0x000000, 0xFFFFFF) - 21) < 0.001)
        #expect(abs(Self.contrast(0x767676, 0xFFFFFF) - 4.54) < 0.005)
    }

    @Test(
        "Text has a contrast of at least 4.5, and lines at least 3, plain and on the selected row", arguments: Theme.allCases,
        [.eight, .sixteen, .twoHundredFiftySix, .direct] as [TerminalCapabilities.Colours])
    func isLegible(theme: Theme, colours: TerminalCapabilities.Colours) throws {
        func rgb(_ colour: Int) -> UInt32 { colours == .direct ? UInt32(colour) : RenderingPalette.rgb(UInt8(colour)) }
        for hint in ["", "0;15", "15;0"] {
            for role in Role.allCases {
                for isSelected in [false, true] {
                    let pair = try #require(InkPair.of(role, isSelected: isSelected, in: theme.decided(by: hint), colours))
                    #expect(pair.foreground < colours.rawValue && pair.background < colours.rawValue)
                    let contrast = Self.contrast(rgb(pair.foreground), rgb(pair.background))
                    #expect(contrast >= Self.least(role), "\(role)\(isSelected ? ", selected" : ""): \(pair)")
                }
            }
        }
    }

    @Test("Pictures have the same contrast", arguments: Theme.allCases, Role.allCases)
    func picturesAreLegible(theme: Theme, role: Role) {
        let palette = RenderingPalette(theme)
        let colours = palette[role]
        let ground = colours.background.map(RenderingPalette.rgb)
        let foreground = colours.foreground.map(RenderingPalette.rgb) ?? palette.defaultForeground
        #expect(Self.contrast(foreground, ground ?? palette.defaultBackground) >= Self.least(role))
        let selected = colours.selected.map(RenderingPalette.rgb) ?? palette.defaultForeground
        #expect(Self.contrast(selected, ground ?? RenderingPalette.rgb(palette.selectionBackground)) >= Self.least(role))
    }

    @Test("The selected row differs from the ground", arguments: Theme.allCases) func selectionIsSeen(theme: Theme) {
        #expect(theme.selection.background != theme.ground.background)
        #expect(Self.contrast(RenderingPalette.rgb(theme.selection.background), RenderingPalette.rgb(theme.ground.background)) > 1.2)
    }

    @Test("auto is light where the terminal says that its ground is") func automatic() {
        #expect(Theme.automatic.decided(by: "0;15") == .light && Theme.automatic.decided(by: "0;default;7") == .light)
        for hint in [nil, "", "15;0", "7;8", "nonsense", "0;default", "0;300"] { #expect(Theme.automatic.decided(by: hint) == .dark) }
        for theme in Theme.allCases where theme != .automatic { #expect(theme.decided(by: "0;15") == theme) }
    }

    @Test(
        "auto follows the terminal's answer before the hint",
        arguments: [
            ("rgb:ffff/ffff/ffff", Theme.light), ("rgb:f/f/f", .light), ("rgb:fd/f6/e3", .light), ("rgba:eeee/eeee/eeee/8000", .light),
            ("rgb:0000/0000/0000", .dark), ("rgb:00/2b/36", .dark), ("rgb:2020/2020/2020", .dark),
        ]) func answers(text: String, theme: Theme) throws
    {
        let answer = try #require(GroundColour(answer: text))
        for hint in ["0;15", "15;0", nil] { #expect(Theme.automatic.decided(by: hint, answer: answer) == theme) }
        #expect(Theme.contrast.decided(by: nil, answer: answer) == .contrast)
    }

    @Test(
        "What is no colour is no answer",
        arguments: [
            "", "?", "rgb:", "rgb:ff/ff", "rgb:ff/ff/ff/ff/ff", "rgb:fffff/0/0", "rgb:-1/0/0", "cmyk:0/0/0/0", "rgb:gg/0/0", "ff/ff/ff",
        ])
    func noAnswers(text: String) {
        #expect(GroundColour(answer: text) == nil)
    }

    @Test("A terminal without colours gets none") func noColours() {
        #expect(InkPair.of(.faulted, isSelected: false, in: .dark, .none) == nil)
    }

    @Test("Direct colours are never the numbers of a palette's colours", arguments: Theme.allCases, Role.allCases)
    func directColours(theme: Theme, role: Role) throws {
        for isSelected in [false, true] {
            let pair = try #require(InkPair.of(role, isSelected: isSelected, in: theme, .direct))
            #expect(pair.foreground > 255 && pair.background > 255)
        }
    }
}
