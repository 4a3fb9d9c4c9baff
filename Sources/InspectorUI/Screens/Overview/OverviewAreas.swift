import TerminalCanvas

/// The areas of the overview. On a wide terminal, the executors stand beside the other parts.
struct OverviewAreas {
    private(set) var body = Rect.empty
    private(set) var findingsTitle = Rect.empty
    private(set) var findings = Rect.empty
    private(set) var panelsTitle = Rect.empty
    /// The line of main, if it has no panel.
    private(set) var main = Rect.empty
    private(set) var panels = Rect.empty
    /// The lines of the other executors that have no panel.
    private(set) var quiet = Rect.empty
    private(set) var eventsTitle = Rect.empty
    private(set) var events = Rect.empty
    /// The column of the line between both sides.
    private(set) var rule: Rect?
    private(set) var panelRows = OverviewAreas.pictureRows
    /// The lines of the findings, from the top: the finding, and the index of the line in it.
    private(set) var findingLines: [(finding: Int, line: Int)] = []

    /// The numbers of main executors that have a line, of executors that have panels, and of others that have lines.
    typealias Executors = (main: Int, waited: Int, quiet: Int)

    /// Room for a heading, two rows of a picture, and its axis.
    static let pictureRows = 4
    /// Room for a heading and a line of facts, if not all panels have room for a picture. A roomy one has another line.
    private static let (leastRows, roomyRows) = (2, 3)
    private static let mostPanelRows = 16
    private static let mostFindingRows = 5
    /// A heading and four events.
    private static let leastEventRows = 5

    init() {}

    private static func isWide(_ body: Rect) -> Bool { body.columns >= FrameAreas.wideColumns }
    private static func leftColumns(_ body: Rect) -> Int { isWide(body) ? body.columns * 9 / 20 : body.columns }
    /// The room for a line of a finding's sentence.
    static func findingColumns(_ body: Rect) -> Int { leftColumns(body) - 4 }

    func firstLine(ofFinding finding: Int) -> Int? { findingLines.firstIndex { $0.finding == finding } }

    /// The number of lines of a finding.
    func lineCount(ofFinding finding: Int) -> Int { findingLines.reduce(0) { $0 + ($1.finding == finding ? 1 : 0) } }

    /// - Parameter lines: the number of lines that each finding needs.
    init(_ body: Rect, findings lines: [Int], executors: Executors) {
        self.body = body
        guard Self.isWide(body) else {
            stack(body, findings: lines, executors: executors)
            return
        }
        let (left, rest) = body.split(left: Self.leftColumns(body))
        let (rule, right) = rest.split(left: 1)
        self.rule = rule
        let below = placeFindings(lines, in: left, most: max(1, left.rows / 2))
        (eventsTitle, events) = below.split(top: 1).rest.split(top: 1)
        placeExecutors(executors, in: right)
    }

    /// Whole panels below the findings, with a blank row below each if all fit, and the events in the rest.
    private mutating func stack(_ body: Rect, findings lines: [Int], executors: Executors) {
        let most = max(1, body.rows / 3)
        var below = placeFindings(lines, in: body, most: most)
        var left = below.rows - 1 - Self.rows(of: executors, in: below.rows - 1)
        if left < Self.leastEventRows {
            // So few events would only repeat the strip. Findings that are cut get the room, and then the panels.
            below = placeFindings(lines, in: body, most: most + max(0, left))
            left = 0
        }
        let (bottom, middle) = below.split(bottom: left)
        placeExecutors(executors, in: middle)
        if left > 0 { (eventsTitle, events) = bottom.split(top: 1) }
    }

    /// Each finding gets the lines that it needs, as far as all have room, and then the worst ones. If not all have room, the worst one may
    /// take all but two lines. Returns the area below.
    private mutating func placeFindings(_ lines: [Int], in body: Rect, most: Int) -> Rect {
        func total(_ limit: Int) -> Int { lines.reduce(0) { $0 + min($1, limit) } }
        let limit = (1...Self.mostFindingRows).last { total($0) <= most } ?? 1
        let first = max(limit, min(Self.mostFindingRows, most - 2))
        var spare = max(0, most - total(limit) - max(0, min(lines.first ?? 0, first) - limit))
        findingLines = lines.enumerated().flatMap { finding, lines in
            let least = min(lines, finding == 0 ? first : limit)
            let more = min(spare, max(0, min(lines, Self.mostFindingRows) - least))
            spare -= more
            return (0..<least + more).map { (finding, $0) }
        }
        let (top, below) = body.split(top: 1 + min(max(1, findingLines.count), most))
        (findingsTitle, findings) = top.split(top: 1)
        return below
    }

    // MARK: Executors

    /// The rows that the executors need of `room`. A list of panels that do not all fit has a line with their numbers.
    private static func rows(of executors: Executors, in rows: Int) -> Int {
        let room = rows - executors.main
        let quiet = quietRows(executors, in: room)
        guard executors.waited > 0 else { return max(1, executors.main + quiet) }
        let lines = executors.main + quiet
        let least = leastRows(of: executors, in: room)
        let roomy = executors.waited * (least < pictureRows ? roomyRows : pictureRows + 1)
        if roomy + quiet <= room { return roomy + lines }
        let fitting = fitting(executors.waited, of: least, in: room - quiet)
        return fitting * least + (fitting < executors.waited ? 1 : 0) + lines
    }

    /// The rows of a panel: with a picture if all panels have room for one.
    private static func leastRows(of executors: Executors, in room: Int) -> Int {
        executors.waited * pictureRows + min(executors.quiet, room / 4) <= room ? pictureRows : leastRows
    }

    /// The lines are all in sight as far as the panels leave room, or a quarter of the room.
    private static func quietRows(_ executors: Executors, in room: Int) -> Int {
        min(executors.quiet, max(room - executors.waited * leastRows(of: executors, in: room), room / 4, 0))
    }

    /// The number of panels of the least height that fit.
    private static func fitting(_ executors: Int, of rows: Int, in room: Int) -> Int {
        executors * rows <= room ? max(1, executors) : max(1, (room - 1) / rows)
    }

    private mutating func placeExecutors(_ executors: Executors, in rect: Rect) {
        var below: Rect
        (panelsTitle, below) = rect.split(top: 1)
        (main, below) = below.split(top: executors.main)
        let quietRows = Self.quietRows(executors, in: below.rows)
        let least = Self.leastRows(of: executors, in: below.rows)
        guard executors.waited > 0 else {
            quiet = below
            return
        }
        let room = below.rows - quietRows
        let fitting = Self.fitting(executors.waited, of: least, in: room)
        let free = room - (fitting < executors.waited ? 1 : 0)
        panelRows = max(least, min(least < Self.pictureRows ? Self.roomyRows : Self.mostPanelRows, free / fitting))
        // If all panels fit, the lines follow the last one at once.
        let used = fitting < executors.waited ? room : min(room, fitting * panelRows)
        (panels, quiet) = below.split(top: used)
    }
}
