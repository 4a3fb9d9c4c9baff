import TaskEvents
import Testing
import TraceTestKit

@testable import TraceLayout

/// The boxes show exactly the graph's edges, and no line can be mistaken for another.
@Suite struct BoxesTests {
    @Test func boxEdges() throws {
        try Fuzz.run("boxes: edges", cases: 200) { seed, _ in
            let graph = RandomGraph(seed: seed, count: 10 + Int(seed % 60))
            let boxes = Boxes(graph.tasks, in: graph)
            #expect(boxes.boxes.map(\.task) == graph.tasks)
            let reported = boxes.wires.map(\.edge) + boxes.loops
            #expect(Set(reported.map { RailEdge(from: $0.from, to: $0.to, kind: $0.kind, lane: nil) }) == graph.links, "seed \(seed)")
            #expect(reported.count == graph.links.count, "seed \(seed)")
            expectLines(of: boxes, "seed \(seed)")
            #expect(BoxReader(boxes).edges() == Set(boxes.wires.map { WireEnds($0) }), "seed \(seed)")
        }
    }

    @Test func boxesDoNotTouchOneAnotherOrALine() throws {
        try Fuzz.run("boxes: distance", cases: 60) { seed, _ in
            let graph = RandomGraph(seed: seed, count: 70)
            let boxes = Boxes(graph.tasks, in: graph)
            var taken: Set<BoxCorner> = []
            for box in boxes.boxes {
                #expect(box.column + box.columns <= boxes.columns && box.row + box.rows <= boxes.rows)
                let cells = (box.row..<box.row + box.rows).flatMap { row in
                    (box.column..<box.column + box.columns).map { BoxCorner(column: $0, row: row) }
                }
                // One expectation per box: there are a million cells.
                #expect(cells.allSatisfy { taken.insert($0).inserted }, "seed \(seed), task \(box.task)")
            }
            for wire in boxes.wires {
                #expect(taken.isDisjoint(with: wire.cells), "seed \(seed), \(wire.edge)")
            }
        }
    }

    @Test("Boxes and labels with room of their own width keep the edges, and no box is narrower than it needs")
    func widthsByNeed() throws {
        try Fuzz.run("boxes: widths", cases: 40) { seed, _ in
            let graph = RandomGraph(seed: seed, count: 10 + Int(seed % 40))
            var random = SeededGenerator(seed: seed)
            let usual = Boxes(graph.tasks, in: graph)
            let needs = Boxes.Needs(
                boxes: Dictionary(uniqueKeysWithValues: graph.tasks.map { ($0, Int.random(in: 6...30, using: &random)) }),
                labels: Dictionary(usual.wires.map { ($0.edge, Int.random(in: 0...9, using: &random)) }) { one, _ in one })
            let style = Boxes.Style(boxColumns: 16, labelColumns: 7, boxRows: seed % 2 == 0 ? 4 : 6)
            let boxes = usual.placed(style, needs: needs)
            for box in boxes.boxes {
                #expect((min(16, needs.boxes[box.task] ?? 16)...16).contains(box.columns) && box.rows >= style.boxRows, "seed \(seed)")
            }
            #expect(boxes.columns <= usual.placed(style).columns, "seed \(seed)")
            expectLines(of: boxes, "seed \(seed)")
            #expect(BoxReader(boxes).edges() == Set(boxes.wires.map { WireEnds($0) }), "seed \(seed)")
        }
    }

    @Test func equalGraphsHaveEqualLayouts() {
        let graph = RandomGraph(seed: 5, count: 60)
        #expect(Boxes(graph.tasks, in: graph).wires == Boxes(graph.tasks, in: graph).wires)
    }

    @Test func linksGoToTheRightExceptInCycles() {
        var graph = RandomGraph()
        let outer = graph.addRoot()
        let inner = graph.addContinuation(of: outer)
        graph.setInner(inner, of: outer)
        graph.setInner(inner, of: inner)
        let boxes = Boxes(graph.tasks, in: graph)
        #expect(boxes.wires.map(\.isReversed).sorted { !$0 && $1 } == [false, true])
        #expect(boxes.loops == [BoxEdge(from: inner, to: inner, kind: .inner)])
        let forward = RandomGraph(seed: 7, count: 50)
        let picture = Boxes(forward.tasks, in: forward)
        for wire in picture.wires { #expect(picture.boxes[wire.left].layer < picture.boxes[wire.right].layer) }
    }

    @Test func aChainOfBoxesIsStraight() {
        var graph = RandomGraph()
        var last = graph.addRoot()
        for _ in 0..<5 { last = graph.addContinuation(of: last) }
        let boxes = Boxes(graph.tasks, in: graph)
        #expect(boxes.boxes.map(\.layer) == [0, 1, 2, 3, 4, 5])
        #expect(Set(boxes.boxes.map(\.row)).count == 1, "a chain without forks goes straight")
    }

    private func expectLines(of boxes: Boxes, _ comment: Comment) {
        for wire in boxes.wires {
            let (left, right) = (boxes.boxes[wire.left], boxes.boxes[wire.right])
            #expect(wire.corners.first?.column == left.column + left.columns, comment)
            #expect(wire.corners.last?.column == right.column - 1, comment)
            #expect((right.row..<right.row + right.rows).contains(wire.corners.last?.row ?? -1), comment)
            let pieces = zip(wire.corners, wire.corners.dropFirst())
            #expect(pieces.allSatisfy { $0.column == $1.column || $0.row == $1.row }, comment)
            #expect(pieces.allSatisfy { $0.column <= $1.column }, comment)
        }
    }
}

/// The ends of a line, as a reader who follows it finds them.
struct WireEnds: Hashable {
    var left: Int
    var right: Int
    /// The row in which it arrives.
    var port: Int

    init(left: Int, right: Int, port: Int) {
        self.left = left
        self.right = right
        self.port = port
    }

    init(_ wire: BoxWire) {
        self.init(left: wire.left, right: wire.right, port: wire.corners.last?.row ?? -1)
    }
}

extension BoxWire {
    /// Every cell that the line goes through.
    var cells: [BoxCorner] {
        zip(corners, corners.dropFirst()).flatMap { one, next in
            one.row == next.row
                ? (one.column...next.column).map { BoxCorner(column: $0, row: one.row) }
                : (min(one.row, next.row)...max(one.row, next.row)).map { BoxCorner(column: one.column, row: $0) }
        }
    }
}

/// Follows lines from cell to cell by the drawn connections only: where the lines of two nets meet in a cell, each
/// continues straight.
struct BoxReader {
    private struct Cell {
        /// For each net of wires: whether it goes left, right, up or down.
        var lines: [Int: Set<Int>] = [:]
    }

    private let boxes: Boxes
    private var cells: [BoxCorner: Cell] = [:]

    init(_ boxes: Boxes) {
        self.boxes = boxes
        for wire in boxes.wires {
            for (one, next) in zip(wire.cells, wire.cells.dropFirst()) where one != next {
                cells[one, default: Cell()].lines[wire.net, default: []].insert(Self.direction(from: one, to: next))
                cells[next, default: Cell()].lines[wire.net, default: []].insert(Self.direction(from: next, to: one))
            }
        }
    }

    /// All ends that can be reached from each box.
    func edges() -> Set<WireEnds> {
        var found: Set<WireEnds> = []
        for (left, box) in boxes.boxes.enumerated() {
            let start = BoxCorner(column: box.column + box.columns, row: box.row + 2)
            guard cells[start] != nil else { continue }
            var seen: Set<[Int]> = []
            var stack = [(cell: start, heading: 1)]
            while let (cell, heading) = stack.popLast() {
                guard seen.insert([cell.column, cell.row, heading]).inserted, let here = cells[cell] else { continue }
                if let right = boxes.boxes.firstIndex(where: {
                    $0.column - 1 == cell.column && ($0.row..<$0.row + $0.rows).contains(cell.row)
                }) {
                    found.insert(WireEnds(left: left, right: right, port: cell.row))
                }
                // Where two nets' lines cross, one passes horizontally and the other vertically.
                let ways = here.lines.count == 1 ? here.lines.values.first ?? [] : [heading]
                if here.lines.count > 1 {
                    #expect(here.lines.count == 2 && here.lines.values.allSatisfy { $0 == [0, 1] || $0 == [2, 3] })
                }
                for way in ways where way != heading ^ 1 { stack.append((Self.neighbour(of: cell, way), way)) }
            }
        }
        return found
    }

    private static func direction(from one: BoxCorner, to next: BoxCorner) -> Int {
        if one.row == next.row { return next.column < one.column ? 0 : 1 }
        return next.row < one.row ? 2 : 3
    }

    private static func neighbour(of cell: BoxCorner, _ way: Int) -> BoxCorner {
        switch way {
        case 0: BoxCorner(column: cell.column - 1, row: cell.row)
        case 1: BoxCorner(column: cell.column + 1, row: cell.row)
        case 2: BoxCorner(column: cell.column, row: cell.row - 1)
        default: BoxCorner(column: cell.column, row: cell.row + 1)
        }
    }
}
