import TaskEvents
import TerminalCanvas
import TraceAnalysis

/// A screen with a tab, or an overlay above the screens: its state, its keys, their effects, and its drawing.
///
/// Each layer has its own folder. ``ScreenList`` lists the layers, and no other target changes for a new one. A layer uses ``SharedState``
/// and itself, but never the ``Model``. The model passes inputs to the topmost layer, and does what the layer answers. Only visible layers
/// are laid out, updated and drawn. A layer that becomes visible catches up by itself. It belongs to the session's thread.
protocol Layer: SendableMetatype {
    static var name: ScreenName { get }
    /// The keys of each input mode, the usual mode first.
    static var modes: [KeyMode] { get }
    /// What this layer does beyond the requirements below.
    static var facets: Facets<Self> { get }

    /// The current input mode.
    var mode: KeyMode { get }

    /// Computes all areas, for drawing and for hit tests. Called when it becomes visible, when the size changes, and before each frame.
    mutating func layOut(in body: Rect, _ shared: SharedState)
    /// Updates the displayed data by a bounded amount of work. The rest follows in the next frames, until ``isSettled(_:)``.
    mutating func refresh(_ shared: inout SharedState, at time: UInt64)
    /// Whether another frame would show the same, as long as no event comes.
    func isSettled(_ shared: SharedState) -> Bool
    func draw(_ shared: SharedState, on canvas: inout Canvas)

    /// Shows the selected task. Called when the layer becomes visible and when another task is selected.
    mutating func show(_ shared: inout SharedState)
    /// The shown time has changed. The next frame updates even the data that is otherwise updated at intervals.
    mutating func restart(_ shared: SharedState)

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer
    mutating func open(_ shared: inout SharedState) -> Answer
    /// Goes one step back. By default, an overlay closes, and a screen has no step back.
    mutating func leave(_ shared: inout SharedState) -> Answer
    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer
    mutating func scroll(by rows: Int, _ shared: inout SharedState)
    /// Scrolls the list at a point. By default, the layer's only list.
    mutating func scroll(by rows: Int, at point: Point, _ shared: inout SharedState)
}

/// The answer of a layer to a key or to the mouse.
enum Answer {
    /// Nothing has changed. The footer says so, unless the layer has set another notice.
    case ignored
    case changed
    case effects([Effect])
    /// The layer closes. The command that follows is for the layers below.
    case close(then: PaletteEntry? = nil)
    /// Another layer opens above. It replaces the layer of its name, if there is one.
    case push(any Layer)

    /// For an input that sometimes changes nothing.
    static func changed(if hasChanged: Bool) -> Answer { hasChanged ? .changed : .ignored }
}

/// What only some layers do. A layer without a facet leaves it at its default.
struct Facets<Owner>: Sendable {
    /// The keys of the layer that work above every screen.
    var keysEverywhere: [KeyRow] = []
    /// Opens an overlay above the given layer, with a text to begin with.
    var opening: (@Sendable (any Layer, Below, String, inout SharedState) -> Answer)?
    /// The part of the body that the layer covers.
    var extent = Extent.body
    /// Takes text in a mode for typing.
    var type: (@Sendable (inout Owner, String, inout SharedState) -> Void)?
    var drag: Drag?
    var search: Search?
    /// The detail beside the screen.
    var detail: Detail?
    /// The task, job or executor that `w` explains. By default the selected task.
    var waiting: (@Sendable (Owner, SharedState) -> WaitChain.Subject?)?
    /// The task and the text that `y` copies while the overlay is open.
    var copied: (@Sendable (Owner) -> (task: TaskID, lines: [String]))?
    /// Called for an overlay on top after each input and in each frame, with the layer below.
    var follow: (@Sendable (inout Owner, inout any Layer, Below, inout SharedState) -> Void)?
    /// Whether the screen's own keys move the time cursor. The footer offers them first.
    var movesTime = false
    /// The reason why a screen cannot be shown, as a sentence. Nil if it can.
    var absence: (@Sendable (SharedState) -> String?)?
    /// Commands without a key, for the palette.
    var commands: (@Sendable (SharedState) -> [PaletteEntry])?
    /// Goes to a place that another layer leads to. False if the screen does not show it.
    var arrive: (@Sendable (inout Owner, SharedState.Target, inout SharedState) -> Bool)?
    /// The site that `v` opens, such as `App/File.swift:12`. By default that of the selected task's wait, or of its creation.
    var site: (@Sendable (Owner, SharedState) -> String?)?
    /// Another screen takes the place of this one.
    var hide: (@Sendable (inout Owner) -> Void)?
    /// Takes over the state that stays valid when the inspector shows another process of the program.
    var inherit: (@Sendable (inout Owner, Owner) -> Void)?
    /// The number of steps that Esc takes inside the screen before it leaves it: out of a filter, a walk or an inner list.
    var depth: (@Sendable (Owner, SharedState) -> Int)?
    /// The keys that can do nothing now. The footer does not offer them.
    var idleKeys: (@Sendable (Owner, SharedState) -> [Key])?
    /// Takes a message other than input: the program's output, a new size, or the program's end.
    var receive: (@Sendable (inout Owner, Message, inout SharedState) -> [Effect])?

    /// The mouse after a click, while its left button is down.
    struct Drag: Sendable {
        var move: @Sendable (inout Owner, Point, inout SharedState) -> Void
        var release: @Sendable (inout Owner, inout SharedState) -> Answer
    }

    /// The rows that `/` searches. Without them, it searches the tasks.
    struct Search: Sendable {
        var rows: @Sendable (Owner, SharedState) -> SearchedRows
        /// Selects a row that a search has found.
        var select: @Sendable (inout Owner, Int, inout SharedState) -> Void
    }

    /// A wide terminal shows the detail of the screen's task beside the screen.
    struct Detail: Sendable {
        /// The rows that the screen needs. Given, the detail stands below the screen if there is room.
        var rowsAbove: (@Sendable (Owner) -> Int)?
        var isShown: @Sendable (Owner) -> Bool = { _ in true }
        var task: @Sendable (Owner, SharedState) -> TaskID? = { $1.selection }
        /// The sentence that stands there without a task.
        var textWithoutTask = "Select a task: its detail stands here."
    }
}

/// The part of the body that a layer covers.
enum Extent: Sendable {
    /// The whole body. The layers below are not drawn.
    case body
    /// A part of the body, above the layers below.
    case box
    /// A line below the body. A click elsewhere closes it, and counts.
    case line
}

/// The usual behaviour.
extension Layer {
    static var facets: Facets<Self> { Facets() }
    var mode: KeyMode { Self.modes[0] }
    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {}
    func isSettled(_ shared: SharedState) -> Bool { true }
    mutating func show(_ shared: inout SharedState) {}
    mutating func restart(_ shared: SharedState) {}
    mutating func open(_ shared: inout SharedState) -> Answer { .ignored }
    mutating func leave(_ shared: inout SharedState) -> Answer { .close() }
    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer { .ignored }
    mutating func scroll(by rows: Int, _ shared: inout SharedState) {}
    mutating func scroll(by rows: Int, at point: Point, _ shared: inout SharedState) { scroll(by: rows, &shared) }
}

/// The facets of a layer whose type is not known.
extension Layer {
    static var extent: Extent { facets.extent }
    static var keysEverywhere: [KeyRow] { facets.keysEverywhere }
    static var movesTime: Bool { facets.movesTime }
    static func absence(_ shared: SharedState) -> String? { facets.absence?(shared) }
    static func commands(_ shared: SharedState) -> [PaletteEntry] { facets.commands?(shared) ?? [] }
    static func open(above layer: any Layer, _ below: Below, _ text: String, _ shared: inout SharedState) -> Answer {
        facets.opening?(layer, below, text, &shared) ?? .ignored
    }

    /// Nil while the screen shows no detail beside itself.
    var detail: Facets<Self>.Detail? { Self.facets.detail.flatMap { $0.isShown(self) ? $0 : nil } }
    var hasDetail: Bool { detail != nil }
    /// The rows that the screen needs above its detail. Nil if the detail stands beside it.
    var rowsAboveDetail: Int? { detail?.rowsAbove?(self) }
    func detailTask(_ shared: SharedState) -> TaskID? { detail?.task(self, shared) }
    var textWithoutDetail: String { detail?.textWithoutTask ?? "" }
    var followsBelow: Bool { Self.facets.follow != nil }
    var copied: (task: TaskID, lines: [String])? { Self.facets.copied?(self) }
    func waiting(_ shared: SharedState) -> WaitChain.Subject? {
        if let waiting = Self.facets.waiting { waiting(self, shared) } else { shared.selection.map { .task($0) } }
    }
    func site(_ shared: SharedState) -> String? {
        if let site = Self.facets.site { site(self, shared) } else { shared.subject.flatMap { shared.site(of: $0) } }
    }
    func depth(_ shared: SharedState) -> Int { Self.facets.depth?(self, shared) ?? 0 }
    func idleKeys(_ shared: SharedState) -> [Key] { Self.facets.idleKeys?(self, shared) ?? [] }
    func searched(_ shared: SharedState) -> SearchedRows? { Self.facets.search?.rows(self, shared) }

    mutating func select(found row: Int, _ shared: inout SharedState) { Self.facets.search?.select(&self, row, &shared) }
    mutating func type(_ text: String, _ shared: inout SharedState) { Self.facets.type?(&self, text, &shared) }
    mutating func drag(to point: Point, _ shared: inout SharedState) { Self.facets.drag?.move(&self, point, &shared) }
    mutating func release(_ shared: inout SharedState) -> Answer { Self.facets.drag?.release(&self, &shared) ?? .ignored }
    mutating func arrive(at target: SharedState.Target, _ shared: inout SharedState) -> Bool {
        Self.facets.arrive?(&self, target, &shared) ?? false
    }
    mutating func follow(_ lower: inout any Layer, _ below: Below, _ shared: inout SharedState) {
        Self.facets.follow?(&self, &lower, below, &shared)
    }
    mutating func hide() { Self.facets.hide?(&self) }
    mutating func inherit(from other: any Layer) {
        if let other = other as? Self { Self.facets.inherit?(&self, other) }
    }
    mutating func receive(_ message: Message, _ shared: inout SharedState) -> [Effect] {
        Self.facets.receive?(&self, message, &shared) ?? []
    }
}
