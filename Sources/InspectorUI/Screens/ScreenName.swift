/// A screen's title, and the digit that selects it.
package struct ScreenName: Hashable, Sendable {
    /// The tab's text.
    package let title: String
    /// The tab's text on a narrow terminal.
    let shortTitle: String
    /// The key that selects the screen everywhere. Nil for an overlay, which has no tab.
    package let digit: Character?

    init(_ title: String, short shortTitle: String? = nil, digit: Character?) {
        self.title = title
        self.shortTitle = shortTitle ?? title
        self.digit = digit
    }
}
