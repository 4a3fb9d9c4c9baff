import ArgumentParser
import InspectorUI
import TerminalCanvas
import TraceStore

/// `hopscope screen`: prints a screen of the inspector without a terminal.
struct ScreenCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen",
        abstract: "Prints a screen of the inspector without a terminal, as text, with colours, or as SVG.",
        discussion: "The screens: \(ScreenList.names.map(\.word).joined(separator: ", ")).")

    @OptionGroup var trace: TraceArgument

    @Option(help: ArgumentHelp("Which screen.", valueName: "name"))
    var view: ScreenName

    @Option(help: ArgumentHelp("Its size in columns and rows.", valueName: "columns x rows"))
    var size = ScreenSize(columns: 120, rows: 36)

    @Option(
        name: .customLong("at"),
        help: ArgumentHelp("Show the state just after the event with this number (default: the last event).", valueName: "event"))
    var event: Int?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Keys to press first: n, Enter, Down, or any other that the screen knows.", valueName: "key"))
    var press: [String] = []

    @Option(name: .customLong("to"), help: "text, ansi or svg.")
    var format = ScreenFormat.text

    @Option(
        help: ArgumentHelp(
            "The colours of ansi and svg; auto means dark.", valueName: "name"))
    var theme = Theme.dark

    @Option(name: .shortAndLong, help: ArgumentHelp("A file to write to, instead of standard output.", valueName: "file"))
    var output: String?

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    mutating func validate() throws {
        press = trace.takeTrace(from: press)
        for key in press where ScreenKey(argument: key) == nil { throw ValidationError(ScreenKey.sentence(key)) }
        guard event ?? 0 >= 0 else { throw ValidationError("--at takes the number of an event, from 0.") }
    }

    func perform() throws {
        let settings = try warnings.settings()
        let trace = try trace.open()
        var output = try ResultOutput(output)
        let timeline = trace.read(time: clock).history
        if let event, event > timeline.eventCount {
            throw UserError("There is no event \(event): the trace has \(timeline.eventCount).", .wrongUsage)
        }
        let end: TraceEnd = !trace.isOver ? .open : trace.sawExit ? .exit : .cut
        let picture = ScreenPicture(of: timeline, program: trace.program, end: end, size: size.size, settings: settings)
        let keys = press.compactMap { ScreenKey(argument: $0)?.key }
        let canvas = picture.draw(view, at: event, pressing: keys, hasColours: format != .text)
        let rendering = CanvasRendering(canvas, palette: RenderingPalette(theme))
        switch format {
        case .text: rendering.writeText(to: &output)
        case .ansi: rendering.writeANSI(to: &output)
        case .svg: rendering.writeSVG(to: &output, title: "\(view.title) of \(ListedTrace.name(trace.program))")
        }
        try output.finish()
    }
}

/// The format of a printed screen.
enum ScreenFormat: String, ExpressibleByArgument, CaseIterable {
    case text, ansi, svg
}

extension Theme: ExpressibleByArgument {}

/// A key, written as a name such as `Enter` or `Down`, or as the character that it types.
struct ScreenKey {
    let key: Key

    private static let named: [String: Key] = [
        "enter": .enter, "esc": .escape, "tab": .tab, "space": .character(" "), "up": .up, "down": .down, "left": .left, "right": .right,
        "home": .home, "end": .end, "pgup": .pageUp, "pgdn": .pageDown, "backspace": .backspace,
    ]

    /// The error for a text that is no key.
    static func sentence(_ text: String) -> String {
        "There is no key '\(text)': --press takes a character, or one of \(named.keys.sorted().joined(separator: ", "))."
    }

    init?(argument: String) {
        if let key = Self.named[argument.lowercased()] {
            self.key = key
        } else if argument.count == 1, let character = argument.first {
            key = .character(character)
        } else {
            return nil
        }
    }
}

/// A screen size such as `120x36`.
struct ScreenSize: ExpressibleByArgument, CustomStringConvertible {
    let size: Size

    init(columns: Int, rows: Int) {
        size = Size(columns: columns, rows: rows)
    }

    init?(argument: String) {
        let numbers = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let columns = numbers[0], let rows = numbers[1] else { return nil }
        guard (1...1000).contains(columns), (1...1000).contains(rows) else { return nil }
        self.init(columns: columns, rows: rows)
    }

    var description: String { "\(size.columns)x\(size.rows)" }
}

extension ScreenName: ExpressibleByArgument {
    /// The spelling on the command line.
    var word: String { title.lowercased() }

    public init?(argument: String) {
        guard let screen = ScreenList.names.first(where: { $0.word == argument.lowercased() }) else { return nil }
        self = screen
    }

    public static var allValueStrings: [String] { ScreenList.names.map(\.word) }

    public var defaultValueDescription: String { word }
}
