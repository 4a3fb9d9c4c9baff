/// The colours of the roles.
package enum Theme: String, CaseIterable, Sendable {
    /// Keeps the terminal's background, and is readable on a dark and on a light one.
    case automatic = "auto"
    case dark, light
    /// Bright text on nearly black; nothing is dim.
    case contrast
    /// Colours that remain distinct with the common kinds of colour blindness. Source: Okabe, Ito, "Color Universal Design", 2008.
    case colourBlind = "colour-blind"
}
