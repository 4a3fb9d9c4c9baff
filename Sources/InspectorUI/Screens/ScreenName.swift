/// A layer's title, and the key that selects a screen.
package struct ScreenName: Hashable, Sendable {
    /// The tab's text.
    package let title: String
    /// The tab's text on a narrow terminal.
    let shortTitle: String
    /// The digit or letter that selects the screen everywhere. Nil for an overlay, which has no tab.
    package let shortcut: Character?

    init(_ title: String, short shortTitle: String? = nil, shortcut: Character? = nil) {
        self.title = title
        self.shortTitle = shortTitle ?? title
        self.shortcut = shortcut
    }
}
