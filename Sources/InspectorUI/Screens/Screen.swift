import TaskEvents
import TerminalCanvas
import TraceAnalysis

/// A screen or an overlay of the inspector: its state, its keys, their effects, and its drawing.
///
/// Each screen has its own folder. ``ScreenList`` lists the screens, and no other place changes for a new one. A screen uses
/// ``SharedState`` and itself, but never another screen or the ``Model``. Only visible screens are laid out, arranged and drawn. A screen
/// that becomes visible catches up by itself. It belongs to the session's thread.
protocol Screen: SendableMetatype {
    static var name: ScreenName { get }
    /// The keys of each input mode, the usual mode first.
    static var modes: [KeyMode] { get }
    /// The screen's keys that work on every screen.
    static var keysEverywhere: [KeyRow] { get }

    /// The current input mode.
    var mode: KeyMode { get }
    /// Whether it covers the screen below.
    var coversScreen: Bool { get }

    /// Whether a wide terminal shows the detail of its task beside it.
    var hasDetailBeside: Bool { get }
    /// The sentence that stands there without a task.
    var textWithoutDetail: String { get }
    /// The task at the screen's cursor.
    func taskAtCursor(_ shared: SharedState) -> TaskID?

    /// The reason why it cannot be shown, as a sentence. Nil if it can.
    func absence(_ shared: SharedState) -> String?
    /// Commands without a key, for the palette.
    func commands(_ shared: SharedState) -> [PaletteEntry]

    /// Computes all places, for drawing and for hit tests. Called when it becomes visible, when the size changes, and before each frame.
    mutating func layOut(in body: Rect, _ shared: SharedState)
    /// Updates the displayed data by a bounded amount of work. The rest follows in the next frames, until ``isSettled(_:)``.
    mutating func arrange(_ shared: inout SharedState, at time: UInt64)
    /// Whether another frame would show the same, as long as no event comes.
    func isSettled(_ shared: SharedState) -> Bool
    func draw(_ shared: SharedState, on canvas: inout Canvas)

    /// Scrolls to the selected task. Called when the screen becomes visible and when another task is selected.
    mutating func show(_ shared: inout SharedState)
    /// Called when another screen takes its place.
    mutating func hide()
    /// The shown time has changed. The next frame updates even the data that is otherwise updated at intervals.
    mutating func restart(_ shared: SharedState)
    /// The inspector shows another process of the program. Takes over the state that stays valid.
    mutating func inherit(from other: any Screen)
    /// Takes a message other than input: the program's output, a new size, or the program's end.
    mutating func receive(_ message: Message, _ shared: inout SharedState) -> [Effect]

    mutating func move(_ movement: Movement, _ shared: inout SharedState)
    mutating func open(_ shared: inout SharedState)
    /// Selects a place that another screen leads to. False if the screen does not show such places.
    mutating func select(_ place: SharedState.Place, _ shared: inout SharedState) -> Bool
    /// Goes one step back. False if there is none.
    mutating func leave(_ shared: inout SharedState) -> Bool
    mutating func click(_ point: Point, _ shared: inout SharedState) -> [Effect]
    /// The mouse has moved with its left button down. Follows ``click(_:_:)``, where the button was pressed.
    mutating func drag(to point: Point, _ shared: inout SharedState)
    /// The left button was released.
    mutating func letGo(at point: Point, _ shared: inout SharedState)
    mutating func scroll(by rows: Int, _ shared: inout SharedState)
    /// The task, job or executor that `w` explains. Nil if nothing is selected.
    func waiting(_ shared: SharedState) -> WaitChain.Subject?
    /// The rows that `/` searches. Nil if it searches the tasks.
    func searched(_ shared: SharedState) -> SearchedRows?
    /// Selects a row that a search has found.
    mutating func select(found row: Int, _ shared: inout SharedState)
    /// The selected row, for a screen on which keys select rows at once and the rest follows with the next frame. Nil otherwise.
    var rowAhead: Int? { get }
    /// Takes text in a mode for typing.
    mutating func type(_ text: String, _ shared: inout SharedState)
}

/// The defaults, which do nothing.
extension Screen {
    static var keysEverywhere: [KeyRow] { [] }
    var mode: KeyMode { Self.modes[0] }
    var coversScreen: Bool { false }
    var hasDetailBeside: Bool { false }
    var textWithoutDetail: String { "Select a task: its detail stands here." }
    func taskAtCursor(_ shared: SharedState) -> TaskID? { shared.selection }
    func absence(_ shared: SharedState) -> String? { nil }
    func commands(_ shared: SharedState) -> [PaletteEntry] { [] }
    func isSettled(_ shared: SharedState) -> Bool { true }
    mutating func show(_ shared: inout SharedState) {}
    mutating func hide() {}
    mutating func restart(_ shared: SharedState) {}
    mutating func inherit(from other: any Screen) {}
    mutating func receive(_ message: Message, _ shared: inout SharedState) -> [Effect] { [] }
    mutating func open(_ shared: inout SharedState) {}
    mutating func select(_ place: SharedState.Place, _ shared: inout SharedState) -> Bool { false }
    mutating func leave(_ shared: inout SharedState) -> Bool { false }
    mutating func click(_ point: Point, _ shared: inout SharedState) -> [Effect] { [] }
    mutating func drag(to point: Point, _ shared: inout SharedState) {}
    mutating func letGo(at point: Point, _ shared: inout SharedState) {}
    mutating func type(_ text: String, _ shared: inout SharedState) {}
    var rowAhead: Int? { nil }
    func searched(_ shared: SharedState) -> SearchedRows? { nil }
    mutating func select(found row: Int, _ shared: inout SharedState) {}
    func waiting(_ shared: SharedState) -> WaitChain.Subject? { shared.selection.map { .task($0) } }
}

/// An action of one type of screen.
private struct ScreenAction<Owner: Screen>: Sendable {
    let run: @Sendable (inout Owner, inout SharedState) -> [Effect]
}

extension Screen {
    /// A command for this screen, also while another screen is shown.
    static func command(_ run: @escaping @Sendable (inout Self, inout SharedState) -> Void) -> Command {
        effects { screen, shared in
            run(&screen, &shared)
            return []
        }
    }

    /// The same for a command with effects.
    static func effects(_ run: @escaping @Sendable (inout Self, inout SharedState) -> [Effect]) -> Command {
        .screen(name, action: ScreenAction<Self>(run: run))
    }

    /// Runs an action that ``command(_:)`` made for this type.
    mutating func perform(_ action: any Sendable, _ shared: inout SharedState) -> [Effect] {
        guard let action = action as? ScreenAction<Self> else { preconditionFailure("\(Self.name.title) was asked for \(action)") }
        return action.run(&self, &shared)
    }
}
