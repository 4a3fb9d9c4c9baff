import TerminalCanvas

/// The sections of the picker, each a list of things to look at.
package struct PickerContents: Hashable, Sendable {
    package struct Section: Hashable, Sendable {
        package var title: String
        /// Said in place of entries.
        package var emptyNote: String
        package var entries: [Entry]
        /// Whether one row stands for all entries until the user opens it or filters.
        package var isFolded: Bool

        package init(_ title: String, emptyNote: String, entries: [Entry], isFolded: Bool = false) {
            self.isFolded = isFolded
            self.title = title
            self.emptyNote = emptyNote
            self.entries = entries
        }
    }

    package struct Entry: Hashable, Sendable {
        package var name: String
        package var facts: String
        /// Said in full while the entry is selected.
        package var sentence: String
        /// The arguments of `hopscope` that open it. They also tell entries apart. Empty for the row of a folded section.
        package var arguments: [String]

        package init(_ name: String, facts: String, sentence: String, arguments: [String]) {
            self.name = name
            self.facts = facts
            self.sentence = sentence
            self.arguments = arguments
        }
    }

    package var sections: [Section]

    package init(_ sections: [Section]) {
        self.sections = sections
    }
}

/// The state of the picker, the list that `hopscope` alone shows. Drawing is a function of it, and ``press(_:)`` and ``point(_:)`` change
/// it.
package struct Picker {
    /// The user's choice.
    package enum Outcome: Hashable, Sendable {
        case open(arguments: [String])
        case quit
    }

    enum Row: Hashable {
        case title(section: Int)
        case note(section: Int)
        case entry(PickerContents.Entry, section: Int)
        case blank
    }

    private(set) var contents = PickerContents([])
    private(set) var rows: [Row] = []
    private(set) var pane = ListPane()
    private(set) var size: Size
    let glyphs: GlyphSet
    private(set) var filter = ""
    private(set) var isTyping = false
    /// Said in place of the selected entry's sentence, until the next key.
    private(set) var notice: String?
    /// The arguments of the selected entry.
    private var selection: [String]?
    /// The folded sections that the user has opened, by title.
    private var unfolded: Set<String> = []

    package init(size: Size, glyphs: GlyphSet) {
        self.size = size
        self.glyphs = glyphs
    }

    var selected: PickerContents.Entry? {
        guard let row = pane.selected, case .entry(let entry, _) = rows[row] else { return nil }
        return entry
    }

    /// Takes what there is now. The selection stays with its entry.
    package mutating func take(_ contents: PickerContents) {
        guard contents != self.contents else { return }
        self.contents = contents
        findRows()
    }

    package mutating func resize(to size: Size) {
        self.size = size
        layOut()
    }

    private mutating func findRows() {
        let words = SearchWords(filter)
        rows = []
        for (number, section) in contents.sections.enumerated() {
            let entries = section.entries.filter { words.match("\($0.name) \($0.facts) \($0.sentence)") }
            // A filter hides the sections without a match.
            guard filter.isEmpty || !entries.isEmpty else { continue }
            rows += (rows.isEmpty ? [] : [.blank]) + [.title(section: number)]
            let isFolded = section.isFolded && filter.isEmpty && !unfolded.contains(section.title) && !entries.isEmpty
            let shown = isFolded ? [Self.fold(of: entries.count)] : entries
            rows += shown.isEmpty ? [.note(section: number)] : shown.map { .entry($0, section: number) }
        }
        layOut()
        let old = rows.firstIndex { if case .entry(let entry, _) = $0 { entry.arguments == selection } else { false } }
        select(old ?? next(from: -1, step: 1))
    }

    private static func fold(of count: Int) -> PickerContents.Entry {
        .init("\(count) demos", facts: "Enter lists them", sentence: "Enter lists these demos; / finds one by a word.", arguments: [])
    }

    private mutating func layOut() {
        pane.layOut(in: PickerAreas(size: size, isFiltered: isTyping || !filter.isEmpty).list, count: rows.count)
    }

    private mutating func select(_ row: Int?) {
        selection = nil
        pane.select(row)
        guard let row, case .entry(let entry, let section) = rows[row] else { return }
        selection = entry.arguments
        // A section's title is shown together with its first entry.
        if rows[row - 1] == .title(section: section) { pane.show(row - 1) }
        pane.show(row)
    }

    /// The next row with an entry.
    private func next(from row: Int, step: Int) -> Int? {
        var row = row + step
        while rows.indices.contains(row) {
            if case .entry = rows[row] { return row }
            row += step
        }
        return nil
    }

    // MARK: Input

    package mutating func press(_ key: Key) -> Outcome? {
        notice = nil
        if key == .control("c") { return .quit }
        if isTyping, type(key) { return nil }
        switch key {
        case .up, .character("k"): move(.up)
        case .down, .character("j"): move(.down)
        case .pageUp, .control("b"): move(.pageUp)
        case .pageDown, .control("f"): move(.pageDown)
        case .home, .character("g"): move(.first)
        case .end, .character("G"): move(.last)
        case .tab: goToSection(after: true)
        case .backTab: goToSection(after: false)
        case .enter: return open()
        case .character("/"): isTyping = true
        case .character("?"): notice = Self.help
        case .character("q"): return .quit
        case .escape where filter.isEmpty: notice = "There is nothing to go back from; q quits."
        case .escape: change("")
        case .character, .left, .right, .backspace, .delete, .insert, .function, .control: notice = "That is no key here: ? names the keys."
        }
        layOut()
        return nil
    }

    static let help = """
        Arrows, j k, PgUp PgDn, Home and End select, Tab goes to the next part, / narrows the list, Enter opens what is selected. \
        'hopscope --help' names the other commands, such as run, record, report and check.
        """

    /// A key while the user types the filter. False for the keys that work as otherwise.
    private mutating func type(_ key: Key) -> Bool {
        switch key {
        case .character(let character): change(filter.appending(typed: String(character)))
        case .backspace where filter.isEmpty: isTyping = false
        case .backspace: change(String(filter.dropLast()))
        case .escape:
            isTyping = false
            change("")
        case .up, .down, .pageUp, .pageDown, .home, .end, .tab, .backTab, .enter: return false
        case .left, .right, .delete, .insert, .function, .control: break
        }
        layOut()
        return true
    }

    /// Types a pasted text into the filter. Does nothing elsewhere.
    package mutating func paste(_ text: String) {
        guard isTyping else { return }
        notice = nil
        change(filter.appending(typed: text))
    }

    private mutating func change(_ filter: String) {
        self.filter = filter
        findRows()
    }

    private mutating func move(_ movement: Movement) {
        guard let row = pane.selected, let target = pane.target(of: movement) else {
            notice = filter.isEmpty ? "There is nothing to select." : "Nothing matches. Esc drops the filter."
            return
        }
        let isUp = target < row || movement == .first
        let step = isUp ? -1 : 1
        let found = next(from: target - step, step: step) ?? next(from: target, step: -step)
        if found == row { notice = isUp ? "There is nothing above." : "There is nothing below." }
        select(found)
    }

    private mutating func goToSection(after isAfter: Bool) {
        let starts = rows.indices.filter { row in
            if row > 0, case .entry = rows[row], case .title = rows[row - 1] { true } else { false }
        }
        guard let row = pane.selected, let last = starts.last, let first = starts.first, first != last else {
            notice = "There is no other part with something to pick."
            return
        }
        select(isAfter ? starts.first { $0 > row } ?? first : starts.last { $0 < row } ?? last)
    }

    private mutating func open() -> Outcome? {
        guard let selected else {
            notice = "There is nothing here to open."
            return nil
        }
        guard selected.arguments.isEmpty, let row = pane.selected, case .entry(_, let section) = rows[row] else {
            return .open(arguments: selected.arguments)
        }
        unfolded.insert(contents.sections[section].title)
        findRows()
        select(row)
        return nil
    }

    package mutating func point(_ mouse: Mouse) -> Outcome? {
        switch mouse.action {
        case .wheelUp: pane.scroll(by: -3)
        case .wheelDown: pane.scroll(by: 3)
        case .press(.left):
            let footer = PickerAreas(size: size, isFiltered: false).footer
            if let key = PickerFooter.key(at: mouse.point, in: footer, glyphs) { return press(key) }
            guard let row = pane.row(at: mouse.point), case .entry = rows[row] else { return nil }
            if row == pane.selected { return open() }
            notice = nil
            select(row)
        case .press, .release, .drag: break
        }
        return nil
    }
}
