/// Which colours the roles have. No meaning hangs on colour alone, so all of them say the same.
package enum Theme: String, CaseIterable, Sendable {
    /// Readable on a dark and on a light background, as the terminal's own is kept.
    case automatic = "auto"
    case dark, light
    /// Bright text on nearly black and nothing dim.
    case contrast
    /// Colours that people with any of the common colour blindnesses tell apart. Source: Okabe, Ito, "Color Universal Design", 2008.
    case colourBlind = "colour-blind"
}
