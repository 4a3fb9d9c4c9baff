/// What a screen is called, and which digit picks it.
package struct ScreenName: Hashable, Sendable {
    /// The tab's text.
    package let title: String
    /// The tab's text on a narrow terminal.
    let shortTitle: String
    /// The key that picks the screen everywhere; nil for what lies over a screen and has no tab.
    package let digit: Character?

    init(_ title: String, short shortTitle: String? = nil, digit: Character?) {
        self.title = title
        self.shortTitle = shortTitle ?? title
        self.digit = digit
    }
}
