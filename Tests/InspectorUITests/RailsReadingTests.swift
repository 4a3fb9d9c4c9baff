import TaskEvents
import TerminalCanvas
import Testing
import TraceTestKit

@testable import InspectorUI

/// Follows the rails on the canvas itself, as a reader does.
@Suite struct RailsReadingTests {
    @Test(arguments: 1...60 as ClosedRange<UInt64>) func railsOnTheCanvasAreTheGraphsEdges(seed: UInt64) throws {
        var trace = TraceBuilder()
        var random = SeededGenerator(seed: seed)
        var tasks = [trace.root("t1")]
        var edges: Set<[Int]> = []
        for number in 2...40 {
            let newest = tasks.suffix(8)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<2:
                tasks.append(trace.root("t\(number)"))
            case 2..<4:
                let inputs = Set((0..<3).compactMap { _ in newest.randomElement(using: &random) }).sorted()
                tasks.append(trace.join("t\(number)", of: inputs))
                for input in inputs { edges.insert([Int(input.rawValue), number]) }
            default:
                let parent = try #require(newest.randomElement(using: &random))
                tasks.append(trace.continuation("t\(number)", of: parent))
                edges.insert([Int(parent.rawValue), number])
            }
        }
        var session = Session(trace, columns: 130, rows: 60)
        session.press(.character("2"), .home)
        #expect(session.model.graph.rails.rows.count == 40)
        #expect(RailsOnCanvas(session.canvas).edges() == edges, "seed \(seed)\n\(session.lines.joined(separator: "\n"))")
    }
}

/// The Graph screen's cells and their meaning.
private struct RailsOnCanvas {
    private struct Row {
        var cells: [Character]
        var task: Int
        /// A name further to the right means that the task continues another one.
        var isIndented: Bool
        var node: Int
    }

    /// A line on its way down, with the tasks that it connects.
    private struct Line {
        var tasks: [Int]
        /// The line leaves its first task downwards, and the connected tasks continue that task. Otherwise the line leads to the task at
        /// its end.
        var isTrunk: Bool
    }

    private var rows: [Row] = []
    private var found: Set<[Int]> = []

    init(_ canvas: Canvas) {
        // Without the header and the tabs, the event strip and the footer.
        let lines = canvas.lines().dropFirst(2).dropLast(2).map(Array.init)
        let starts = lines.compactMap { cells in Self.name(in: cells)?.column }
        let start = starts.min() ?? 0
        for cells in lines {
            guard let name = Self.name(in: cells), let node = cells[..<name.column].firstIndex(of: "●") else { continue }
            rows.append(Row(cells: Array(cells[..<name.column]), task: name.task, isIndented: name.column > start, node: node))
        }
    }

    private static func name(in cells: [Character]) -> (column: Int, task: Int)? {
        for column in cells.indices.dropLast() where cells[column] == "t" && (column == 0 || cells[column - 1] == " ") {
            if let task = Int(String(cells[(column + 1)...].prefix { $0.isNumber })) { return (column, task) }
        }
        return nil
    }

    func edges() -> Set<[Int]> {
        var reading = self
        var lines: [Int: Line] = [:]
        for (index, row) in rows.enumerated() { reading.read(row, above: index > 0 ? rows[index - 1] : nil, &lines) }
        for line in lines.values { reading.end(line) }
        return reading.found
    }

    private mutating func read(_ row: Row, above: Row?, _ lines: inout [Int: Line]) {
        func glyph(_ column: Int) -> Character { row.cells.indices.contains(column) ? row.cells[column] : " " }
        var next: [Int: Line] = [:]
        var continuesByTie = false
        for column in row.cells.indices where "├┤╮╭╯╰".contains(glyph(column)) {
            if "╮╭".contains(glyph(column)) {
                next[column] = Line(tasks: [row.task], isTrunk: false)
            } else if var line = lines[column] {
                line.tasks.append(row.task)
                if line.isTrunk { continuesByTie = true }
                if "├┤".contains(glyph(column)) { next[column] = line } else { end(line) }
            }
        }
        for column in row.cells.indices where "│┊".contains(glyph(column)) && column != row.node { next[column] = lines[column] }
        if var line = lines[row.node] {
            // A line that continues below a node is the trunk of the node's continuations, whichever lines end at the node.
            let isOfAnother = line.isTrunk && line.tasks.count == 1 && (!row.isIndented || continuesByTie)
            line.tasks.append(row.task)
            if !isOfAnother { end(line) }
        }
        next[row.node] = Line(tasks: [row.task], isTrunk: true)
        lines = next
    }

    /// The line has reached its end.
    private mutating func end(_ line: Line) {
        guard line.tasks.count > 1, let first = line.tasks.first, let last = line.tasks.last else { return }
        if line.isTrunk {
            for task in line.tasks.dropFirst() { found.insert([first, task]) }
        } else {
            for task in line.tasks.dropLast() { found.insert([task, last]) }
        }
    }
}
