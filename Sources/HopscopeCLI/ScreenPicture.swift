import InspectorUI
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// A screen of the inspector as it would be drawn, without anybody to draw it for: the same model, the same update, the same drawing.
struct ScreenPicture {
    private let history: TraceHistory
    private let program: String
    private let hasEnded: Bool
    private let size: Size
    private let settings: WarningSettings

    init(of history: TraceHistory, program: String, hasEnded: Bool, size: Size, settings: WarningSettings) {
        self.history = history
        self.program = program
        self.hasEnded = hasEnded
        self.size = size
        self.settings = settings
    }

    /// The screen at an event, or after all of them, once these keys have been pressed on it. What a key would ask of the world beyond the
    /// screen is not done.
    func draw(_ screen: ScreenName, at event: Int?, pressing keys: [Key] = []) -> Canvas {
        let glyphs: GlyphSet = StandardOutput.showsUnicode ? .unicode : .ascii
        var model = Model(history: history, program: program, size: size, glyphs: glyphs, settings: settings)
        _ = update(&model, .look(at: event))
        if hasEnded { _ = update(&model, .ended) }
        var time: UInt64 = 0
        for key in (screen.digit.map { [.character($0)] } ?? []) + keys {
            _ = update(&model, .key(key))
            // Lists are brought up to date a portion a frame.
            repeat {
                time += InspectorSession.framePeriod
                _ = update(&model, .frame(at: time))
            } while model.isArranging
        }
        var canvas = Canvas(size: size, glyphs: glyphs)
        Frame.draw(model, on: &canvas)
        return canvas
    }
}
