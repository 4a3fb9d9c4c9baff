import TerminalCanvas

/// A screen of the inspector, or what lies over one: its state, its keys, what they do, and how it looks.
///
/// One folder a screen. ``ScreenList`` names them all, and no other place knows of a new one. A screen knows ``SharedState`` and itself, never
/// another screen or the ``Model``. Only what is shown is laid out, arranged and drawn; a screen that comes into sight catches up by itself.
/// It belongs to the thread of the session.
protocol Screen: SendableMetatype {
    static var name: ScreenName { get }
    /// Its keys, by the modes that it can be in; the usual mode first.
    static var modes: [KeyMode] { get }
    /// Its keys that work on every screen.
    static var keysEverywhere: [KeyRow] { get }

    /// The mode that it is in.
    var mode: KeyMode { get }
    /// Whether it covers what lies below it.
    var coversScreen: Bool { get }

    /// Why it cannot be shown, as a sentence; nil if it can.
    func absence(_ shared: SharedState) -> String?
    /// Commands without a key, for the palette.
    func commands(_ shared: SharedState) -> [PaletteEntry]

    /// Computes where everything stands, for drawing and for hit tests: when it comes into sight, when the size changes, and before each frame.
    mutating func layOut(in body: Rect, _ shared: SharedState)
    /// Brings what it shows up to date, by a bounded amount of work: the rest follows with the next frames, until ``isSettled(_:)``.
    mutating func arrange(_ shared: inout SharedState, at time: UInt64)
    /// Whether another frame would show the same, as long as no event comes.
    func isSettled(_ shared: SharedState) -> Bool
    func draw(_ shared: SharedState, on canvas: inout Canvas)

    /// It comes into sight, or another task has been selected: brings that task into sight.
    mutating func show(_ shared: inout SharedState)
    /// Another screen takes its place.
    mutating func hide()
    /// The state is that of another time: whatever is derived at a calm pace is derived with the next frame.
    mutating func restart(_ shared: SharedState)
    /// The inspector shows another process of the program: takes over what stays.
    mutating func inherit(from other: any Screen)
    /// Takes a message that is no input: what the program printed, another size, the program's end.
    mutating func receive(_ message: Message, _ shared: inout SharedState) -> [Effect]

    mutating func move(_ movement: Movement, _ shared: inout SharedState)
    mutating func open(_ shared: inout SharedState)
    /// Goes one step back; false if there is none.
    mutating func leave(_ shared: inout SharedState) -> Bool
    mutating func click(_ point: Point, _ shared: inout SharedState) -> [Effect]
    mutating func scroll(by rows: Int, _ shared: inout SharedState)
    /// Takes text, in a mode for typing.
    mutating func type(_ text: String, _ shared: inout SharedState)
}

/// What most screens do: nothing.
extension Screen {
    static var keysEverywhere: [KeyRow] { [] }
    var mode: KeyMode { Self.modes[0] }
    var coversScreen: Bool { false }
    func absence(_ shared: SharedState) -> String? { nil }
    func commands(_ shared: SharedState) -> [PaletteEntry] { [] }
    func isSettled(_ shared: SharedState) -> Bool { true }
    mutating func show(_ shared: inout SharedState) {}
    mutating func hide() {}
    mutating func restart(_ shared: SharedState) {}
    mutating func inherit(from other: any Screen) {}
    mutating func receive(_ message: Message, _ shared: inout SharedState) -> [Effect] { [] }
    mutating func open(_ shared: inout SharedState) {}
    mutating func leave(_ shared: inout SharedState) -> Bool { false }
    mutating func click(_ point: Point, _ shared: inout SharedState) -> [Effect] { [] }
    mutating func type(_ text: String, _ shared: inout SharedState) {}
}

/// What a key does on one screen alone.
private struct ScreenAction<Owner: Screen>: Sendable {
    let run: @Sendable (inout Owner, inout SharedState) -> [Effect]
}

extension Screen {
    /// A command that this screen carries out, also when another is shown.
    static func command(_ run: @escaping @Sendable (inout Self, inout SharedState) -> Void) -> Command {
        effects { screen, shared in
            run(&screen, &shared)
            return []
        }
    }

    /// Such a command with effects.
    static func effects(_ run: @escaping @Sendable (inout Self, inout SharedState) -> [Effect]) -> Command {
        .screen(name, action: ScreenAction<Self>(run: run))
    }

    /// Carries out a command that ``command(_:)`` has made for this type.
    mutating func perform(_ action: any Sendable, _ shared: inout SharedState) -> [Effect] {
        guard let action = action as? ScreenAction<Self> else { preconditionFailure("\(Self.name.title) was asked for \(action)") }
        return action.run(&self, &shared)
    }
}
