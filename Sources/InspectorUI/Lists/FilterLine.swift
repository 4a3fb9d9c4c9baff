import TerminalCanvas

/// A list's filter as the user types it, and its line below the list.
struct FilterLine: Hashable, Sendable {
    private(set) var text = ""
    /// Whether keys go into the filter.
    private(set) var isTyping = false
    private(set) var area = Rect.empty

    var isShown: Bool { isTyping || !text.isEmpty }

    /// Lays the line out below a list. Returns the list's area.
    mutating func layOut(below rect: Rect) -> Rect {
        let (line, list) = rect.split(bottom: isShown ? 1 : 0)
        area = line
        return list
    }

    mutating func begin() { isTyping = true }
    mutating func keep() { isTyping = false }
    mutating func type(_ typed: String) { text = text.appending(typed: typed) }
    mutating func erase() { text = String(text.dropLast()) }
    mutating func change(to text: String) { self.text = text }

    mutating func drop() {
        isTyping = false
        text = ""
    }

    /// - Parameters:
    ///   - count: the number of rows that match, in words.
    ///   - hint: completions, or the problem in the filter.
    func draw(count: String, hint: (text: String, isProblem: Bool)?, on canvas: inout Canvas) {
        guard isShown else { return }
        canvas.fill(area, style: Style(.filter))
        let end = area.right - count.count - 3
        let column = canvas.write([Span(" /" + text, .filter, isTyping ? .bold : [])], at: area.origin, end: end)
        if let hint {
            canvas.write([Span(hint.text, hint.isProblem ? .warning : .dim)], at: Point(column: column + 3, row: area.top), end: end - 1)
        }
        if isTyping { canvas.write(" ", at: Point(column: min(column, end), row: area.top), style: Style(.filter, .reversed)) }
        canvas.write(count, at: Point(column: area.right - count.count - 1, row: area.top), style: Style(.filter))
    }
}

/// A screen whose list has a filter.
protocol FilteredScreen: Layer {
    var filter: FilterLine { get set }
    /// The filter's text or its last word's state has changed.
    mutating func filterChanged(_ shared: inout SharedState)
    /// The filter with its last word completed. Nil if there is no completion.
    func completed(_ shared: SharedState) -> String?
}

extension FilteredScreen {
    func completed(_ shared: SharedState) -> String? { nil }

    mutating func typeFilter(_ text: String, _ shared: inout SharedState) {
        change(&shared) { $0.type(text) }
    }

    mutating func setFilter(_ text: String, _ shared: inout SharedState) {
        change(&shared) {
            $0.change(to: text)
            $0.keep()
        }
    }

    /// False without a filter.
    @discardableResult
    mutating func dropFilter(_ shared: inout SharedState) -> Bool {
        let wasShown = filter.isShown
        change(&shared) { $0.drop() }
        return wasShown
    }

    /// Changes the filter, and tells the screen if the filter now matches other rows.
    private mutating func change(_ shared: inout SharedState, _ change: (inout FilterLine) -> Void) {
        let before = filter
        change(&filter)
        if filter.text != before.text || filter.isTyping != before.isTyping && !filter.text.isEmpty { filterChanged(&shared) }
    }

    /// The key that begins a filter.
    static func filterKey(_ help: String) -> KeyRow {
        KeyRow(.character("/"), shown: "/", footer: "filter", help: help, command { screen, _ in screen.filter.begin() })
    }

    /// The keys while the user types.
    static func filterMode(_ title: String) -> KeyMode {
        KeyMode(
            title, typing: .text,
            [
                KeyRow(
                    .enter, shown: "Enter", footer: "keep", help: "keep the filter",
                    command { screen, shared in screen.change(&shared) { $0.keep() } }),
                KeyRow(.escape, shown: "Esc", footer: "drop", help: "drop the filter", command { _ = $0.dropFilter(&$1) }),
                KeyRow(
                    .tab, shown: "Tab", footer: "complete", help: "take the first completion",
                    command { screen, shared in
                        if let text = screen.completed(shared) { screen.change(&shared) { $0.change(to: text) } }
                    }),
                KeyRow(
                    .backspace, shown: "Backspace", footer: "erase", help: "erase a character",
                    command { screen, shared in screen.change(&shared) { $0.erase() } }),
            ])
    }
}
