import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The inspector's whole state. Drawing is a function of it, and ``update(_:_:)`` is its only writer.
///
/// It owns the shared state and the layers, and passes the one to the others. State that only one layer needs belongs to the layer.
package struct Model {
    package internal(set) var shared: SharedState
    var layers: LayerStack
    /// The time of the latest frame.
    var time: UInt64 = 0
    /// The picture before the last steps through time. Frames mark the cells that the steps have changed. Nil after any other key.
    var stepBase: Canvas?
    /// Whether a frame has been laid out since ``stepBase`` was drawn.
    var isStepShown = true
    /// How far the layers are from what the next frame shows.
    var freshness = Freshness.stale
    /// Whether the user has pressed a key or used the mouse.
    package internal(set) var isTouched = false

    enum Freshness {
        /// As the last frame.
        case framed
        /// Only movements have come since.
        case moved
        case stale
    }

    /// - Parameters:
    ///   - program: the inspected program's name.
    ///   - glyphs: the glyphs that the terminal can show.
    ///   - settings: the settings for warnings.
    package init(history: TraceHistory, program: String, size: Size, glyphs: GlyphSet, settings: WarningSettings = WarningSettings()) {
        self.init(history: history, program: program, size: size, glyphs: glyphs, settings: settings, list: .standard)
    }

    init(history: TraceHistory, program: String, size: Size, glyphs: GlyphSet, settings: WarningSettings, list: ScreenList) {
        shared = SharedState(history: history, program: program, size: size, glyphs: glyphs, warnings: settings)
        layers = LayerStack(list)
        layers.layOut(shared)
    }

    /// Shows another process of the program. Keeps the user's choices and the program's output.
    init(showing process: ProgramProcess, insteadOf other: Model) {
        let old = other.shared
        self.init(
            history: TraceHistory(), program: process.name, size: old.size, glyphs: old.glyphs, settings: old.findings.settings,
            list: other.layers.list)
        shared.findings.settingsInForce = old.findings.settingsInForce
        shared.settings = old.settings
        shared.hasColours = old.hasColours
        shared.program.isHosting = old.program.isHosting
        shared.program.takesInput = old.program.takesInput
        shared.program.hasProgramEnded = old.program.hasProgramEnded
        shared.control.refusal = old.control.refusal
        shared.program.processes = old.program.processes
        shared.program.shownProcess = process.pid
        shared.sources = old.sources
        isTouched = other.isTouched
        layers.inherit(from: other.layers)
        layers.layOut(shared)
    }

    package var history: TraceHistory { shared.history }
    package var store: TraceStore { shared.store }
    package var size: Size { shared.size }
    package var glyphs: GlyphSet { shared.glyphs }

    package mutating func useColours(_ hasColours: Bool) { shared.hasColours = hasColours }

    package var settings: InspectorSettings {
        get { shared.settings }
        set {
            shared.settings = newValue
            layers.restart(shared)
        }
    }

    /// The shown screen.
    package var screen: ScreenName { type(of: layers.screen).name }

    /// Shows a screen even if it has nothing to show. It then says why.
    package mutating func show(_ name: ScreenName) {
        layers.show(name, &shared)
    }

    /// The screens that can be shown.
    var names: [ScreenName] { layers.names(shared) }

    var areas: FrameAreas { layers.areas(shared) }

    var keys: KeyTable { layers.list.keys }

    /// The current input mode with its keys.
    var mode: KeyMode { layers.top.mode }

    /// Whether every key, including Ctrl-C, goes to the inspected program.
    package var isTypingToProgram: Bool { mode.typing == .program }

    /// Whether a visible list has not caught up with the store, so that another frame is needed even without an event.
    package var isArranging: Bool {
        if shared.stepping != nil || shared.history.goal != nil || !shared.findings.isSettled(shared.history, isOver: shared.isOver) {
            return true
        }
        return layers.visible.contains { !$0.isSettled(shared) }
    }
}
