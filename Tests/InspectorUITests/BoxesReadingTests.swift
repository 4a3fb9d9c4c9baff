import TaskEvents
import TerminalCanvas
import Testing
import TraceLayout
import TraceTestKit

@testable import InspectorUI

/// Follows the lines between boxes on the canvas itself, as a reader does.
@Suite struct BoxesReadingTests {
    @Test(arguments: 1...24 as ClosedRange<UInt64>) func linesOnTheCanvasAreTheGraphsEdges(seed: UInt64) throws {
        var trace = TraceBuilder()
        var random = SeededGenerator(seed: seed)
        var tasks = [trace.root("t1")]
        var edges: Set<[Int]> = []
        for number in 2...24 {
            let newest = tasks.suffix(8)
            if Int.random(in: 0..<4, using: &random) == 0 {
                let inputs = (0..<3).compactMap { _ in newest.randomElement(using: &random) }
                let unique = Array(Set(inputs)).sorted()
                tasks.append(trace.join("t\(number)", of: unique))
                for input in unique { edges.insert([Int(input.rawValue), number]) }
            } else {
                let parent = try #require(newest.randomElement(using: &random))
                tasks.append(trace.continuation("t\(number)", of: parent))
                edges.insert([Int(parent.rawValue), number])
            }
        }
        var session = Session(trace, columns: 520, rows: 200)
        session.press(.character("2"), .home, .character("g"))
        #expect(session.model.graph.boxes.layout.boxes.count == 24)
        #expect(BoxesOnCanvas(session.canvas).edges() == edges, "seed \(seed)")
    }
}

private struct BoxesOnCanvas {
    private let rows: [[Character]]

    init(_ canvas: Canvas) {
        rows = canvas.lines().dropFirst(2).map(Array.init)
    }

    private func glyph(_ column: Int, _ row: Int) -> Character {
        rows.indices.contains(row) && rows[row].indices.contains(column) ? rows[row][column] : " "
    }

    /// The number of the task whose box has its left border at this cell.
    private func task(rightOf column: Int, _ row: Int) -> Int? {
        var row = row
        while glyph(column, row) != "╭", row > 0 { row -= 1 }
        let text = String(rows[row + 1].dropFirst(column).prefix(16))
        return text.split(separator: " ").first { $0.hasPrefix("t") }.flatMap { Int($0.dropFirst()) }
    }

    /// The boxes that can be reached from each tee in a box's right border.
    func edges() -> Set<[Int]> {
        var found: Set<[Int]> = []
        for row in rows.indices {
            for column in rows[row].indices
            where glyph(column, row) == "├" && glyph(column, row - 2) == "╮" && glyph(column, row - 1) == "│" {
                var left = column
                while glyph(left, row - 2) != "╭", left > 0 { left -= 1 }
                guard let from = task(rightOf: left, row) else { continue }
                for to in ends(from: column + 1, row) { found.insert([from, to]) }
            }
        }
        return found
    }

    private func ends(from column: Int, _ row: Int) -> Set<Int> {
        var ends: Set<Int> = []
        var seen: Set<[Int]> = []
        var stack = [(column, row, 1, 0)]
        while let (column, row, right, down) = stack.popLast() {
            guard seen.insert([column, row, right, down]).inserted else { continue }
            func go(_ right: Int, _ down: Int) { stack.append((column + right, row + down, right, down)) }
            switch glyph(column, row) {
            case "▸": if let task = task(rightOf: column + 1, row) { ends.insert(task) }
            case "─": go(right, down)
            // A vertical line passes in front of a horizontal one.
            case "│": go(right, down)
            case "╮": right != 0 ? go(0, 1) : go(-1, 0)
            case "╯": right != 0 ? go(0, -1) : go(-1, 0)
            case "╰": right != 0 ? go(0, -1) : go(1, 0)
            case "╭": right != 0 ? go(0, 1) : go(1, 0)
            case "├": for way in [(1, 0), (0, -1), (0, 1)] where way != (-right, -down) { go(way.0, way.1) }
            case "┤": for way in [(0, -1), (0, 1)] where way != (-right, -down) { go(way.0, way.1) }
            case "┬": for way in [(1, 0), (0, 1)] where way != (-right, -down) { go(way.0, way.1) }
            case "┴": for way in [(1, 0), (0, -1)] where way != (-right, -down) { go(way.0, way.1) }
            case "┼": for way in [(1, 0), (0, -1), (0, 1)] where way != (-right, -down) { go(way.0, way.1) }
            default: Issue.record("A line ends in nothing at column \(column), row \(row).")
            }
        }
        return ends
    }
}
