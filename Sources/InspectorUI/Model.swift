import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

/// The inspector's whole state. Drawing is a function of it, and ``update(_:_:)`` is its only writer.
///
/// It owns the shared state, the screens and the overlays, and passes the shared state to them. State that only one screen needs belongs to
/// the screen.
package struct Model {
    package internal(set) var shared: SharedState
    /// One instance of each screen, in the order of the tabs.
    var screens = ScreenList.tabs
    /// The index of the shown screen.
    var shown = 0
    /// The overlays above the screen, the lowest first. At most one of each type.
    var overlays: [any Screen] = []
    /// The detail of the task at the screen's cursor, beside the list. Nil without room for it, or without a task.
    var beside: DetailScreen?
    /// The time of the latest frame.
    var time: UInt64 = 0
    /// The picture before the last steps through time. Frames mark the cells that the steps have changed. Nil after any other key.
    var stepBase: Canvas?
    /// Whether a frame has been laid out since ``stepBase`` was drawn.
    var isStepShown = true
    /// Whether the rows of the screens are those that the next frame shows.
    var arrangement = Arrangement.stale
    /// Whether the user has pressed a key or used the mouse.
    package internal(set) var isTouched = false

    /// - Parameters:
    ///   - program: the inspected program's name.
    ///   - glyphs: the glyphs that the terminal can show.
    ///   - settings: the settings for warnings.
    package init(history: TraceHistory, program: String, size: Size, glyphs: GlyphSet, settings: WarningSettings = WarningSettings()) {
        shared = SharedState(history: history, program: program, size: size, glyphs: glyphs, warnings: settings)
        screens[shown].layOut(in: screenArea, shared)
    }

    /// Shows another process of the program. Keeps the user's choices and the program's output.
    init(showing process: ProgramProcess, insteadOf other: Model) {
        let old = other.shared
        self.init(history: TraceHistory(), program: process.name, size: old.size, glyphs: old.glyphs, settings: old.findings.settings)
        shared.settings = old.settings
        shared.isHosting = old.isHosting
        shared.takesInput = old.takesInput
        shared.controlRefusal = old.controlRefusal
        shared.processes = old.processes
        shared.shownProcess = process.pid
        isTouched = other.isTouched
        shown = other.shown
        for index in screens.indices { screens[index].inherit(from: other.screens[index]) }
        screens[shown].layOut(in: screenArea, shared)
    }

    package var history: TraceHistory { shared.history }
    package var store: TraceStore { shared.store }
    package var size: Size { shared.size }
    package var glyphs: GlyphSet { shared.glyphs }

    package var settings: InspectorSettings {
        get { shared.settings }
        set {
            shared.settings = newValue
            for index in screens.indices { screens[index].restart(shared) }
        }
    }

    /// The shown screen.
    package var screen: ScreenName { type(of: screens[shown]).name }

    /// The screens that can be shown.
    var names: [ScreenName] {
        screens.enumerated().filter { $0 == shown || $1.absence(shared) == nil }.map { type(of: $1).name }
    }

    /// The current input mode with its keys.
    var mode: KeyMode { overlays.last?.mode ?? screens[shown].mode }

    /// Whether every key, including Ctrl-C, goes to the inspected program.
    package var isTypingToProgram: Bool { mode.typing == .program }

    /// Whether a visible list has not caught up with the store, so that another frame is needed even without an event.
    package var isArranging: Bool {
        if shared.stepping != nil || shared.history.goal != nil || !shared.findings.isSettled(shared.history, isOver: shared.isOver) {
            return true
        }
        return visible.contains { !$0.isSettled(shared) }
    }

    /// The screen and the overlays to draw, the lowest first.
    var visible: ArraySlice<any Screen> {
        let all = [screens[shown]] + overlays
        return all[(all.lastIndex { $0.coversScreen } ?? 0)...]
    }

    /// The areas of the list and of the detail beside it. Nil if the screen has the whole width.
    var besideAreas: (list: Rect, rule: Rect, detail: Rect)? { screens[shown].hasDetailBeside ? areas.beside : nil }

    /// The shown screen's area.
    var screenArea: Rect { besideAreas?.list ?? areas.body }

    /// A panel above the screen needs the room of the scene's lines.
    private var sceneRows: Int { overlays.contains { $0.coversScreen } ? 0 : SceneLines.rows(shared) }

    var areas: FrameAreas {
        FrameAreas(
            size: size, stripRows: EventStrip.rows(shared), sceneRows: sceneRows, searchRows: search == nil ? 0 : 1)
    }
}
