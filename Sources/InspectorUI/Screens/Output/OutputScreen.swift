import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The output of the inspected program up to the shown time, and input to the program.
package struct OutputScreen: Layer {
    static let name = ScreenName("Output", short: "Out", shortcut: "8")
    static let modes = [reading, readingOnly, searching, console]
    static let facets = Facets<Self>(
        type: { $0.type($1, $2) },
        absence: { shared in
            shared.program.isHosting ? nil : "There is no output here: 'hopscope run' and 'hopscope demo' show what a program prints."
        },
        commands: processCommands, hide: { ($0.isTyping, $0.isSearching) = (false, false) },
        inherit: { output, other in
            output = other
            output.text.forgetTimes()
        }, receive: { $0.receive($1, &$2) })

    private(set) var text = PrintedText()
    private(set) var pane = ListPane()
    /// The line below the text.
    private(set) var line = Rect.empty
    /// The number of columns scrolled to the right.
    private(set) var pan = 0
    /// Whether the newest line stays visible.
    private(set) var follows = true
    /// Whether the program has ended.
    private(set) var isOver = false
    /// Whether keys go to the program.
    private(set) var isTyping = false
    /// Whether the program reads what is typed.
    private var takesInput = true
    /// The search text; empty without a search.
    private(set) var search = ""
    /// Whether keys go into the search.
    private(set) var isSearching = false
    /// The line of the current match.
    private(set) var found: Int?

    var mode: KeyMode {
        isTyping ? Self.console : isSearching ? Self.searching : takesInput && !isOver ? Self.reading : Self.readingOnly
    }

    /// The size of the program's terminal inside a terminal of that size.
    package static func size(in size: Size) -> Size { areas(FrameAreas(size: size).body).list.size }

    private static func areas(_ body: Rect) -> (list: Rect, line: Rect) {
        let (line, list) = body.split(bottom: 1)
        return (list, line)
    }

    /// One entry per process of the program, if there is a choice.
    @Sendable private static func processCommands(_ shared: SharedState) -> [PaletteEntry] {
        (shared.program.processes.count > 1 ? shared.program.processes : []).map { process in
            let suffix = process.pid == shared.program.shownProcess ? " (this one)" : ""
            let events = CountText.text(Int(clamping: process.eventCount), "event")
            return PaletteEntry(
                text: "process \(process.pid)\(suffix), \(events): \(process.name)", command: .shared { _ in [.show(process)] })
        }
    }

    /// The number of lines printed up to the shown time. Lines are ordered by time.
    func count(_ shared: SharedState) -> Int {
        guard !shared.history.isAtLatest else { return text.lines.count }
        return text.lines.partitioningIndex { $0.time > shared.store.now }
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        let areas = Self.areas(body)
        takesInput = shared.program.takesInput
        line = areas.line
        pane.layOut(in: areas.list, count: count(shared), hasScrollBar: false)
    }

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        if follows { pane.setTop(pane.count) }
    }

    private mutating func receive(_ message: Message, _ shared: inout SharedState) -> [Effect] {
        switch message {
        case .resize(let size) where shared.program.isHosting: return [.resizeOutput(Self.size(in: size))]
        case .printed(let bytes, let time): take(bytes, at: time)
        case .programEnded:
            if isTyping { shared.notice = "The program has ended." }
            (isTyping, isOver) = (false, true)
        case _: break
        }
        return []
    }

    private mutating func take(_ bytes: [UInt8], at time: UInt64) {
        let dropped = text.droppedCount
        text.append(bytes, at: time)
        let newlyDropped = text.droppedCount - dropped
        guard newlyDropped > 0 else { return }
        found = found.flatMap { $0 < newlyDropped ? nil : $0 - newlyDropped }
        if !follows { pane.setTop(pane.top - newlyDropped) }
    }

    // MARK: Keys and mouse

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        let before = seen
        switch movement {
        case .left, .right: pan = max(0, min(PrintedText.longestLine, pan + (movement == .left ? -8 : 8)))
        case .first: scroll(by: -count(shared), &shared)
        case .last: follows = true
        case .up, .down, .pageUp, .pageDown: scroll(by: movement.lines(page: pane.height) ?? 0, &shared)
        }
        return .changed(if: seen != before)
    }

    /// What the keys change.
    var seen: [AnyHashable] { [pan, follows, found, pane.rows] }

    /// Scrolls. A view scrolled up stays in place. At the end, it follows the newest line again.
    mutating func scroll(by rows: Int, _ shared: inout SharedState) {
        pane.setCount(count(shared))
        follows = pane.top + rows + pane.height >= pane.count && rows >= 0
        pane.scroll(by: rows)
    }

    /// Sends further keys to the program, if it reads them.
    mutating func open(_ shared: inout SharedState) -> Answer {
        guard shared.program.takesInput else {
            shared.notice = "A demo reads nothing that is typed."
            return .ignored
        }
        guard !isOver else {
            shared.notice = "The program has ended and no longer reads what is typed."
            return .ignored
        }
        guard shared.history.isAtLatest else {
            shared.notice = "This is the past: End goes to the present, where the program can be typed to."
            return .ignored
        }
        (isTyping, follows) = (true, true)
        return .changed
    }

    /// Drops the search, then follows again.
    mutating func leave(_ shared: inout SharedState) -> Answer {
        guard search.isEmpty else {
            dropSearch()
            return .changed
        }
        defer { follows = true }
        return .changed(if: !follows)
    }

    mutating func leaveConsole() {
        isTyping = false
    }

    mutating func follow() {
        follows = true
    }

    // MARK: Searching

    mutating func beginSearch() {
        dropSearch()
        isSearching = true
    }

    mutating func keepSearch() {
        isSearching = false
    }

    mutating func dropSearch() {
        (isSearching, search, found) = (false, "", nil)
    }

    private mutating func type(_ text: String, _ shared: SharedState) {
        search = search.appending(typed: text)
        findFromHere(shared)
    }

    mutating func eraseCharacter(_ shared: SharedState) {
        guard !search.isEmpty else { return dropSearch() }
        search.removeLast()
        findFromHere(shared)
    }

    /// Finds the latest matching line while the user types the search.
    private mutating func findFromHere(_ shared: SharedState) {
        found = nil
        find(forward: false, shared)
    }

    mutating func find(forward: Bool, _ shared: SharedState) {
        let count = count(shared)
        guard !search.isEmpty, count > 0 else { return }
        let start = found.map { min($0, count - 1) } ?? (forward ? count - 1 : 0)
        let order = (1...count).lazy.map { (start + (forward ? $0 : count - $0)) % count }
        guard let line = order.first(where: matches) else { return }
        found = line
        follows = false
        pane.setCount(count)
        pane.show(line)
    }

    /// Whether a line contains the search text. Case matters only if the search has capital letters.
    func matches(_ line: Int) -> Bool {
        guard !search.isEmpty else { return false }
        let text = text.lines[line].text
        return search.contains(where: \.isUppercase) ? text.contains(search) : text.lowercased().contains(search)
    }
}
