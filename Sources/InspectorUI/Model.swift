import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

/// All that the inspector knows. Drawing is a function of it, ``update(_:_:)`` its only writer.
///
/// It owns the shared state, the screens, and what lies over them, and hands the first to the others. What a screen shows belongs to the screen.
package struct Model {
    package internal(set) var shared: SharedState
    /// One of each, in the order of the tabs.
    var screens = ScreenList.tabs
    /// Which of them is shown.
    var shown = 0
    /// What lies over the screen, the lowest first: at most one of each.
    var overlays: [any Screen] = []
    /// The time of the latest frame.
    var time: UInt64 = 0
    /// Whether the user has done anything yet.
    package internal(set) var isTouched = false

    /// - Parameters:
    ///   - program: the inspected program's name.
    ///   - glyphs: what the terminal can show.
    ///   - settings: what the user wants to be warned of.
    package init(history: TraceHistory, program: String, size: Size, glyphs: GlyphSet, settings: WarningSettings = WarningSettings()) {
        shared = SharedState(history: history, program: program, size: size, glyphs: glyphs, warnings: settings)
        screens[shown].layOut(in: areas.body, shared)
    }

    /// Another process of the program is shown, with what the user has chosen until now and what the program has printed.
    init(showing process: ProgramProcess, insteadOf other: Model) {
        let old = other.shared
        self.init(history: TraceHistory(), program: process.name, size: old.size, glyphs: old.glyphs, settings: old.findings.settings)
        shared.settings = old.settings
        shared.isHosting = old.isHosting
        shared.processes = old.processes
        shared.shownProcess = process.pid
        isTouched = other.isTouched
        shown = other.shown
        for index in screens.indices { screens[index].inherit(from: other.screens[index]) }
        screens[shown].layOut(in: areas.body, shared)
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

    /// The screen that is shown.
    package var screen: ScreenName { type(of: screens[shown]).name }

    /// The screens that there is something for.
    var names: [ScreenName] { screens.filter { $0.absence(shared) == nil }.map { type(of: $0).name } }

    /// The keys that work, and how.
    var mode: KeyMode { overlays.last?.mode ?? screens[shown].mode }

    /// Whether every key, Ctrl-C among them, goes to the inspected program.
    package var isTypingToProgram: Bool { mode.typing == .program }

    /// Whether a visible list has not caught up with the store, so that another frame is needed although no event comes.
    package var isArranging: Bool {
        if !shared.findings.isSettled(shared.history, isOver: shared.isOver) { return true }
        return visible.contains { !$0.isSettled(shared) }
    }

    /// The screen and overlays to draw, the lowest first.
    var visible: ArraySlice<any Screen> {
        let all = [screens[shown]] + overlays
        return all[(all.lastIndex { $0.coversScreen } ?? 0)...]
    }

    var areas: FrameAreas { FrameAreas(size: size) }
}
