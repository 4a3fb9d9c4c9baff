import InspectorUI
import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Draws a screen of the inspector without a terminal. It uses the inspector's own model, update and drawing.
struct ScreenPicture {
    private let history: TraceHistory
    private let program: String
    private let end: TraceEnd
    private let size: Size
    private let settings: WarningSettings

    init(of history: TraceHistory, program: String, end: TraceEnd, size: Size, settings: WarningSettings) {
        self.history = history
        self.program = program
        self.end = end
        self.size = size
        self.settings = settings
    }

    /// Draws the screen at an event, or after the last event if `event` is nil, after the given keys. Effects that a key would have beyond
    /// the screen are not carried out.
    func draw(_ screen: ScreenName, at event: Int?, pressing keys: [Key] = [], hasColours: Bool = false) -> Canvas {
        let glyphs: GlyphSet = StandardOutput.showsUnicode ? .unicode : .ascii
        var model = Model(history: history, program: program, size: size, glyphs: glyphs, settings: settings)
        model.useColours(hasColours)
        for remark in history.remarks { _ = update(&model, .scene(history.latest.entries.text(remark.label), at: remark.time)) }
        _ = update(&model, .look(at: event))
        if end != .open { _ = update(&model, end == .exit ? .ended : .cut) }
        model.show(screen)
        var time: UInt64 = 0
        func refresh() {
            // The model updates its lists in portions, one per frame.
            repeat {
                time += InspectorSession.framePeriod
                _ = update(&model, .frame(at: time))
            } while model.isArranging
        }
        refresh()
        for key in keys {
            _ = update(&model, .key(key))
            refresh()
        }
        var canvas = Canvas(size: size, glyphs: glyphs)
        Frame.draw(model, on: &canvas)
        return canvas
    }
}
