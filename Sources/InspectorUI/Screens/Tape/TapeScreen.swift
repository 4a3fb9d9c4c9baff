import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The choices of an order of `hopscope explore` as a tape, one cell each: what ran next, and where the order deviates from first come, first
/// served. Below it stands what could have run at the choice under the cursor, which is the time cursor. A second tape shows another order.
struct TapeScreen: Layer {
    static let name = ScreenName("Tape", shortcut: "T")
    static let modes = [
        KeyMode(
            "Tape",
            KeyRow.sideways("choice", "to the choice before or after (or h l, or a click)")
                + KeyRow.upAndDown("what could run", "among what could have run there (or j k, or a click)")
                + [
                    KeyRow(
                        .character("o"), shown: "o", footer: "the other one here",
                        help: "run the order again with the selected one here, and show both tapes",
                        answer { $0.runOther(&$1) }),
                    KeyRow(
                        .character("d"), shown: "d D", footer: "deviation", help: "to the next deviation, or the one before",
                        answer { $0.goToDeviation(by: 1, &$1) }),
                    KeyRow(.character("D"), shown: "d D", answer { $0.goToDeviation(by: -1, &$1) }),
                ] + KeyRow.pages + KeyRow.ends + [.opensTask, .escape("one tape", "drop the other tape")],
            glossary: (
                "Words of the tape",
                [
                    ("choice", "a moment at which several could run; hopscope explore chose what ran next"),
                    ("deviation", "a choice of another one than the one that came first: lit, in a capital letter"),
                    ("a b c", "what ran next, in the order of first appearance; ~ is a timer that fired early"),
                    ("dots", "it could have run there"),
                ]
            ))
    ]
    static let facets = Facets<Self>(
        movesTime: true,
        absence: { shared in
            shared.history.latest.choiceCount > 0 ? nil : "This trace has no choices: 'hopscope explore --record' records them."
        },
        site: { $0.site($1) }, depth: { screen, _ in screen.other == nil ? 0 : 1 },
        idleKeys: { screen, shared in
            (screen.tape.choices.isEmpty ? [.left, .up, .enter, .character("d")] : [])
                + (shared.program.orderEnding == nil ? [.character("o")] : []) + (screen.other == nil ? [.escape] : [])
        },
        receive: { $0.receive($1, &$2) })

    private(set) var tape = ChoiceTape()
    private(set) var letters = TapeLetters()
    /// The order with another one at a choice.
    private(set) var other: OtherOrder?
    /// The choice for which another order runs.
    private(set) var isRunning = false
    /// The index of the shown choice.
    private(set) var index: Int?
    /// What could have run there.
    private(set) var pane = ListPane()
    private(set) var rolls: [TapeRoll] = []
    private(set) var areas = TapeAreas(.empty, cells: 0, strands: [], counts: [])
    private(set) var body = Rect.empty
    /// The first visible row of cells.
    private(set) var top = 0
    /// The time cursor of the last frame.
    private var position: Int?
    /// Whether a choice has been shown. At first, a recording is shown at its first deviation.
    private var hasBegun = false

    /// The number of events that a frame reads.
    private static let portion = 1 << 17

    /// The shown order, and the other one.
    var tapes: [ChoiceTape] { [tape] + (other.map { [$0.tape] } ?? []) }
    var choice: ChoiceTape.Choice? { index.map { tape.choices[$0] } }
    var candidate: ChoiceTape.Candidate? {
        guard let choice, let row = pane.selected, choice.candidates.indices.contains(row) else { return nil }
        return choice.candidates[row]
    }
    /// The row of cells of the shown choice.
    var row: Int { (index ?? 0) / areas.columns }
    /// The index of the choice at which the two orders part.
    var parting: Int { other.flatMap { $0.tape.parting(from: tape) } ?? 0 }

    // MARK: State

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        self.body = body
        let tapes = tapes
        let columns = TapeAreas(body, cells: 0, strands: [0], counts: []).columns
        let cells = (index ?? 0) / columns * columns..<((index ?? 0) / columns + 1) * columns
        rolls = tapes.map { TapeRoll($0.choices[cells.clamped(to: $0.choices.indices)], letters) }
        areas = TapeAreas(
            body, cells: tapes.map(\.choices.count).max() ?? 0, strands: rolls.map(\.strands.count),
            counts: tapes.map { tape in index.flatMap { tape.choice(at: $0) }?.candidates.count ?? 0 })
        pane.layOut(in: areas.candidates[0], count: choice?.candidates.count ?? 0)
        top = max(min(top, row), row - areas.rows + 1, 0)
    }

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        if !tape.isComplete(shared.history) {
            let known = tape.choices.count
            tape.readOn(shared.history, limit: Self.portion)
            for choice in tape.choices[known...] { letters.add(choice) }
        }
        begin(&shared)
        let cursor = shared.history.goal ?? shared.history.position
        if position != cursor || index == nil { show(tape.index(upTo: cursor)) }
        position = cursor
        layOut(in: body, shared)
    }

    /// Goes to the first deviation of a recording that is opened.
    private mutating func begin(_ shared: inout SharedState) {
        guard !hasBegun, !tape.choices.isEmpty, tape.isComplete(shared.history) else { return }
        hasBegun = true
        guard shared.history.recording != nil, shared.history.isAtLatest else { return }
        shared.look(at: (tape.choices.first(where: \.deviates) ?? tape.choices[0]).event)
    }

    private mutating func show(_ index: Int?) {
        guard index != self.index else { return }
        self.index = index
        pane.setCount(choice?.candidates.count ?? 0)
        pane.select(index == nil ? nil : 0)
    }

    func isSettled(_ shared: SharedState) -> Bool { tape.isComplete(shared.history) && (hasBegun || tape.choices.isEmpty) }

    mutating func restart(_ shared: SharedState) { position = nil }

    /// The place where the selected candidate goes on.
    private func site(_ shared: SharedState) -> String? { candidate.flatMap { shared.words(of: $0).site } }

    // MARK: Keys and mouse

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        guard !tape.choices.isEmpty else { return .ignored }
        switch movement {
        case .up, .down: return .changed(if: pane.move(movement))
        case .left: return go(to: (index ?? 0) - 1, &shared)
        case .right: return go(to: (index ?? -1) + 1, &shared)
        case .pageUp: return go(to: max(0, (index ?? 0) - areas.columns), &shared)
        case .pageDown: return go(to: min(tape.choices.count - 1, (index ?? 0) + areas.columns), &shared)
        case .first: return go(to: 0, &shared)
        case .last: return go(to: tape.choices.count - 1, &shared)
        }
    }

    /// Moves the time cursor to a choice.
    private mutating func go(to target: Int, _ shared: inout SharedState) -> Answer {
        guard tape.choices.indices.contains(target) else {
            shared.notice = target < 0 ? "This is the first choice." : "This is the last choice."
            return .ignored
        }
        guard target != index else { return .ignored }
        hasBegun = true
        show(target)
        shared.look(at: tape.choices[target].event)
        position = shared.history.goal ?? shared.history.position
        return .changed
    }

    private mutating func goToDeviation(by direction: Int, _ shared: inout SharedState) -> Answer {
        let here = index ?? -1
        let target =
            direction > 0
            ? tape.choices.indices.first { $0 > here && tape.choices[$0].deviates }
            : tape.choices.indices.last { $0 < here && tape.choices[$0].deviates }
        guard let target else {
            shared.notice = "There is no deviation \(direction > 0 ? "after" : "before") this choice."
            return .ignored
        }
        return go(to: target, &shared)
    }

    mutating func open(_ shared: inout SharedState) -> Answer {
        guard let candidate else { return .ignored }
        guard candidate.task != .none else {
            shared.notice = "This is no task, so it has no detail."
            return .ignored
        }
        shared.follow(candidate.task)
        return .detail(of: candidate.task)
    }

    mutating func leave(_ shared: inout SharedState) -> Answer {
        guard other != nil else { return .ignored }
        other = nil
        return .changed
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        if let cell = areas.cell(at: point, top: top, row: row) {
            return tape.choices.indices.contains(cell) ? go(to: cell, &shared) : .ignored
        }
        guard let row = pane.row(at: point) else { return .ignored }
        if row == pane.selected { return open(&shared) }
        pane.select(row)
        return .changed
    }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) { pane.scroll(by: rows) }

    // MARK: The other one here

    /// Asks for the order with the selected one at the shown choice. Of two, the one that does not run is meant.
    private mutating func runOther(_ shared: inout SharedState) -> Answer {
        guard shared.program.orderEnding != nil else {
            shared.notice = "This needs the program: 'hopscope explore' shows an order that it has found, and can run others."
            return .ignored
        }
        guard let choice, let candidate else { return .ignored }
        let wanted = candidate.manner.isChosen && choice.candidates.count == 2 ? choice.candidates[1] : candidate
        guard !wanted.manner.isChosen else {
            shared.notice = "This one runs here already: select another one."
            return .ignored
        }
        guard wanted.strand != 0 else {
            shared.notice = "These are several, of which the recording has no names."
            return .ignored
        }
        isRunning = true
        return .effects([.runOrder(choice: choice.number, strand: wanted.strand)])
    }

    private mutating func receive(_ message: Message, _ shared: inout SharedState) -> [Effect] {
        guard case .ordered(let answer) = message else { return [] }
        isRunning = false
        switch answer {
        case .ended(let order):
            for choice in order.tape.choices { letters.add(choice) }
            other = order
        case .refused(let reason): shared.notice = reason
        }
        return []
    }
}
