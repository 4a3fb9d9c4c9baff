import TerminalCanvas
import Testing
import TraceTestKit

@testable import InspectorUI

/// Keys come faster than frames. What a key does must not depend on whether a frame was drawn before it.
@Suite struct BeforeAFrameTests {
    private static let movements: [Key] = [.up, .down, .pageUp, .pageDown]
    private static let keys: [Key] =
        ",.[]fsgcwmxz+-=<>".map { .character($0) }
        + movements + [.left, .right, .home, .end, .enter, .escape, .tab]

    private static func trace(_ seed: UInt64) -> TraceBuilder { RandomTrace(seed: seed, tasks: 60, isComplete: true).trace }

    @Test("A key does the same before and after the frame for the last key", arguments: ScreenList.names)
    func keysBetweenFrames(screen: ScreenName) {
        var random = SeededGenerator(seed: 9)
        for round in 0..<14 {
            let trace = Self.trace(UInt64(round % 5 + 1))
            var (quick, slow) = (Session(trace, screen: screen), Session(trace, screen: screen))
            let prefix = (0..<Int.random(in: 0...2, using: &random)).map { _ in Self.keys.randomElement(using: &random)! }
            let keys = (0..<3).map { _ in Self.keys.randomElement(using: &random)! }
            for key in prefix {
                quick.press(key)
                slow.press(key)
            }
            for (index, key) in keys.enumerated() {
                quick.send(.key(key))
                // Two movements in a row move the cursor of Events once, by the first one's height of the list.
                if Self.movements.contains(key), Self.movements.contains(keys[min(index + 1, keys.count - 1)]) { quick.frame() }
                slow.send(.key(key))
                slow.frame()
            }
            quick.pass(seconds: 1)
            slow.pass(seconds: 1)
            for _ in 0..<3 {
                quick.frame()
                slow.frame()
            }
            // The footer tells a key that did nothing only if it came after a frame.
            #expect(quick.lines.dropLast() == slow.lines.dropLast(), "\(screen.title), \(prefix), then \(keys)")
        }
    }

    @Test("The mouse meets the rows that the last key has made", arguments: ScreenList.names)
    func mouseBetweenFrames(screen: ScreenName) {
        for row in 2..<22 {
            var session = Session(Self.trace(UInt64(row)), screen: screen)
            for key in [Key.end, .character("/"), .character("1"), .enter, .escape, .character("f"), .character("2")] {
                session.send(.key(key))
                session.send(.mouse(Mouse(.press(.left), at: Point(column: 10, row: row))))
                session.send(.resize(Size(columns: 40 + row, rows: row)))
                session.send(.look(at: row))
            }
            session.frame()
            #expect(session.lines.count == row)
        }
    }
}
