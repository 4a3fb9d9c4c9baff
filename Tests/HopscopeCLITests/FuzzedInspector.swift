import InspectorUI
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

/// An inspector without a terminal that receives random messages, and draws after each.
struct FuzzedInspector {
    private var model: Model
    private var time: UInt64 = 0
    private(set) var frameCount = 0

    private static let characters: [Key] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,.[]{}<>+-=/:?! ~`'\"\\|@#$%^&*();_é名".map { .character($0) }
    private static let others: [Key] = [
        .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .enter, .escape, .tab, .backTab, .backspace, .delete, .insert,
        .function(1), .function(12), .control("b"), .control("f"), .control("l"), .control("u"), .control("]"),
    ]

    init(_ history: TraceHistory, _ random: inout SeededGenerator) {
        model = Model(
            history: history, program: "fuzzed", size: Self.size(&random), glyphs: Bool.random(using: &random) ? .unicode : .ascii,
            settings: WarningSettings())
    }

    private static func size(_ random: inout SeededGenerator) -> Size {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: Size(columns: 80, rows: 24)
        case 1: Size(columns: Int.random(in: 0...30, using: &random), rows: Int.random(in: 0...20, using: &random))
        case 2: Size(columns: Int.random(in: 60...240, using: &random), rows: Int.random(in: 16...70, using: &random))
        default: Size(columns: Int.random(in: 0...400, using: &random), rows: Int.random(in: 0...120, using: &random))
        }
    }

    mutating func send(_ message: Message) {
        for effect in update(&model, message) {
            // The program's answers to commands.
            if case .control(let control) = effect { _ = update(&model, .answered(control, .done("Done."))) }
        }
    }

    /// Draws frames.
    mutating func frames(_ count: Int) {
        for _ in 0..<count {
            time += 40_000_000
            send(.frame(at: time))
            var canvas = Canvas(size: model.size, glyphs: model.glyphs)
            Frame.draw(model, on: &canvas)
            frameCount += 1
        }
    }

    /// Types a text after some keys, one character or all at once, and leaves by Escape.
    mutating func type(_ text: String, after keys: [Key]) {
        for key in keys { send(.key(key)) }
        if text.count % 2 == 0 { send(.paste(text)) } else { for character in text { send(.key(.character(character))) } }
        frames(2)
        send(.key(.enter))
        frames(2)
        for _ in 0..<3 { send(.key(.escape)) }
        frames(1)
    }

    /// One random thing that a user, a terminal or a program does.
    mutating func act(_ random: inout SeededGenerator) {
        switch Int.random(in: 0..<24, using: &random) {
        case 0: send(.resize(Self.size(&random)))
        case 1, 2: send(.mouse(mouse(&random)))
        case 3: send(.paste(HostileText.make(["state:", "faulted", "save", "run to "], &random)))
        case 4: send(.printed(Array(HostileText.make(["line\n", "\u{1B}[31m", "\r"], &random).utf8), at: time))
        case 5: send(.processes([ProgramProcess(pid: 7, name: "p", eventCount: UInt64.random(in: 0...9, using: &random))]))
        case 6: send(.named)
        case 7 where Int.random(in: 0..<6, using: &random) == 0: send(.ended)
        case 8: send(.look(at: Bool.random(using: &random) ? nil : Int.random(in: 0...400, using: &random)))
        case 9: model.history.advance(to: time)
        case 10..<15: send(.key(Self.others.randomElement(using: &random)!))
        default: send(.key(Self.characters.randomElement(using: &random)!))
        }
        frames(Int.random(in: 0...2, using: &random))
    }

    /// Brings the inspector to one of its screens, and there to an overlay, a filter or a place in time. Then draws.
    mutating func settle(_ random: inout SeededGenerator) {
        send(.key(.character("0123456789".randomElement(using: &random)!)))
        frames(2)
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let keys: [Key] = [
                .enter, .enter, .end, .pageDown, .down, .left, .character("w"), .character("?"), .character(":"), .character("/"),
                .character("f"), .character("f"), .character(","), .character("m"), .character("g"), .character("a"), .character("e"),
            ]
            send(.key(keys.randomElement(using: &random)!))
            frames(1)
        }
        frames(1)
    }

    /// Several things that a user does before the next frame.
    mutating func burst(_ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 2...5, using: &random) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: send(.resize(Self.size(&random)))
            case 1, 2, 3: send(.mouse(mouse(&random)))
            case 4: send(.look(at: Bool.random(using: &random) ? nil : Int.random(in: 0...400, using: &random)))
            case 5, 6, 7: send(.key(Self.others.randomElement(using: &random)!))
            default: send(.key(Self.characters.randomElement(using: &random)!))
            }
        }
        frames(1)
    }

    private func mouse(_ random: inout SeededGenerator) -> Mouse {
        let (columns, rows) = (max(1, model.size.columns), max(1, model.size.rows))
        let point = Point(column: Int.random(in: -2...columns + 2, using: &random), row: Int.random(in: -2...rows + 2, using: &random))
        let actions: [Mouse.Action] = [.press(.left), .press(.left), .press(.right), .drag, .release(.left), .wheelUp, .wheelDown]
        return Mouse(actions.randomElement(using: &random)!, at: point)
    }
}
