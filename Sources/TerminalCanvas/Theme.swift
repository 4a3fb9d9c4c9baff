/// The colours of the roles.
package enum Theme: String, CaseIterable, Sendable {
    /// ``light`` where the terminal or the environment says that the terminal's ground is light, otherwise ``dark``.
    case automatic = "auto"
    case dark, light
    /// Bright text on black; nothing is dim.
    case contrast
    /// Colours that remain distinct with the common kinds of colour blindness. Source: Okabe, Ito, "Color Universal Design", 2008.
    case colourBlind = "colour-blind"
}

extension Theme {
    /// The theme with ``automatic`` decided.
    ///
    /// - Parameters:
    ///   - hint: the value of `COLORFGBG`, in which some terminals tell their two colours, such as `0;15`. Its last number is the ground's.
    ///   - answer: the ground's colour, as the terminal itself answers. It counts before the hint, which other terminals may have inherited.
    package func decided(by hint: String?, answer: GroundColour? = nil) -> Theme {
        guard self == .automatic else { return self }
        if let answer { return answer.isLight ? .light : .dark }
        let ground = hint?.split(separator: ";").last.flatMap { UInt8($0) }
        return ground == 7 || ground == 15 ? .light : .dark
    }

    /// Default text and the ground below everything, by xterm's colour numbers. A theme paints its ground, because its colours are legible
    /// on that ground and need not be on the terminal's.
    package var ground: (foreground: UInt8, background: UInt8) {
        switch self {
        case .automatic, .dark, .colourBlind: (252, 233)
        case .light: (235, 231)
        case .contrast: (231, 16)
        }
    }

    /// The selected row's text and ground.
    package var selection: (foreground: UInt8, background: UInt8) {
        switch self {
        case .automatic, .dark, .colourBlind: (255, 236)
        case .light: (16, 254)
        case .contrast: (231, 18)
        }
    }
}
