import TerminalCanvas
import TraceLayout

/// Lines as cells, each with its directions. Where two lines cross, the vertical one is in front.
struct WireMesh {
    struct Cell {
        /// The directions of the cell's lines: left 1, right 2, up 4, down 8.
        var ways: UInt8 = 0
        /// The net of the wires that the cell belongs to.
        var net = -1
        var style = Style(.border)

        var glyph: Glyph {
            switch ways {
            case 1, 2, 3: .horizontal
            case 4, 8, 12: style.role == .skipped ? .dotted : .vertical
            case 10: .topLeft
            case 9: .topRight
            case 6: .bottomLeft
            case 5: .bottomRight
            case 14: .teeRight
            case 13: .teeLeft
            case 11: .teeDown
            case 7: .teeUp
            default: .cross
            }
        }
    }

    private let origin: BoxCorner
    private let size: Size
    private(set) var cells: [Cell]

    /// - Parameter origin: the place in the picture of the window's top left.
    init(origin: BoxCorner, size: Size) {
        self.origin = origin
        self.size = size
        cells = Array(repeating: Cell(), count: size.columns * size.rows)
    }

    mutating func add(_ wire: BoxWire, style: Style) {
        for (one, next) in zip(wire.corners, wire.corners.dropFirst()) where one != next {
            let isSideways = one.row == next.row
            let (low, high) = isSideways ? (one.column, next.column) : (min(one.row, next.row), max(one.row, next.row))
            // Only visible wires are followed.
            let sight = isSideways ? origin.column..<origin.column + size.columns : origin.row..<origin.row + size.rows
            for index in max(low, sight.lowerBound)..<max(low, sight.lowerBound, min(high + 1, sight.upperBound)) {
                let (before, behind): (UInt8, UInt8) = isSideways ? (1, 2) : (4, 8)
                let ways = (index > low ? before : 0) | (index < high ? behind : 0)
                let corner = isSideways ? BoxCorner(column: index, row: one.row) : BoxCorner(column: one.column, row: index)
                draw(corner, ways, net: wire.net, style: style)
            }
        }
    }

    private mutating func draw(_ corner: BoxCorner, _ ways: UInt8, net: Int, style: Style) {
        let (column, row) = (corner.column - origin.column, corner.row - origin.row)
        guard (0..<size.columns).contains(column), (0..<size.rows).contains(row) else { return }
        let index = row * size.columns + column
        if cells[index].ways == 0 || cells[index].net == net {
            cells[index].ways |= ways
            cells[index].net = net
            // If two lines share a cell, the more prominent style wins.
            if cells[index].style.role == .border || style.emphasis.contains(.bold) { cells[index].style = style }
        } else if ways & 12 != 0 {
            cells[index] = Cell(ways: ways, net: net, style: style)
        }
    }
}
