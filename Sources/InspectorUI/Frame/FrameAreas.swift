import TerminalCanvas

/// The areas of each part of a frame.
struct FrameAreas {
    let header: Rect
    let tabs: Rect
    let body: Rect
    let footer: Rect

    /// The smallest size at which every screen is usable.
    static let smallestSize = Size(columns: 60, rows: 16)

    static func fit(_ size: Size) -> Bool { size.columns >= smallestSize.columns && size.rows >= smallestSize.rows }

    init(size: Size) {
        let whole = Rect(column: 0, row: 0, columns: size.columns, rows: size.rows)
        let (header, belowHeader) = whole.split(top: 1)
        let (tabs, belowTabs) = belowHeader.split(top: 1)
        let (footer, body) = belowTabs.split(bottom: 1)
        self.header = header
        self.tabs = tabs
        self.body = body
        self.footer = footer
    }
}
