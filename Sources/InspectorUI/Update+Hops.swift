import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// What keys and mouse do on the Hops screen.
extension Model {
    mutating func perform(_ command: HopsCommand) {
        switch command {
        case .sort:
            hops.isByWait.toggle()
            hops.listHops()
            if let row = hops.hopRow { showHop(row) }
        case .mainQueue:
            if hops.part == .stalls {
                hops.part = .matrix
            } else if !hops.stalls.isEmpty {
                hops.part = .stalls
                if hops.stallRow == nil, let longest = hops.stalls.indices.max(by: { hops.stalls[$0].duration < hops.stalls[$1].duration })
                {
                    select(stallAt: longest)
                }
            }
        }
    }

    /// Brings the matrix and its lists up to date. The cell that is selected for its many hops is in sight, whichever that comes to be.
    mutating func arrangeHops(at now: UInt64) {
        hops.arrange(store, at: now)
        if hops.selection == nil, let ends = hops.ends { showCell(ends) }
    }

    mutating func moveInHops(_ movement: Movement) {
        switch hops.part {
        case .matrix:
            moveInMatrix(movement)
        case .hops:
            let row = movement.row(from: hops.hopRow ?? -1, count: hops.hops.count, page: HopsScreen.areas(self).hops.rows)
            if let row, !hops.hops.isEmpty { select(hopAt: row) }
        case .stalls:
            let row = movement.row(from: hops.stallRow ?? -1, count: hops.stalls.count, page: HopsScreen.areas(self).stalls.rows)
            if let row, !hops.stalls.isEmpty { select(stallAt: row) }
        }
    }

    /// From the matrix into the list, from a list into the task.
    mutating func openInHops() {
        switch hops.part {
        case .matrix:
            guard !hops.hops.isEmpty else { return }
            hops.part = .hops
            select(hopAt: hops.hopRow ?? 0)
        case .hops:
            if let hop = hops.hop { open(hop.task) }
        case .stalls:
            if let row = hops.stallRow, hops.stalls[row].task != .none { open(hops.stalls[row].task) }
        }
    }

    mutating func leaveHops() {
        if hops.part == .matrix { hops.selection = nil }
        hops.part = .matrix
        hops.hop = nil
    }

    mutating func scrollHops(by rows: Int) {
        let areas = HopsScreen.areas(self)
        if hops.part == .stalls {
            hops.stallWindow.setTop(hops.stallWindow.top + rows, count: hops.stalls.count, height: areas.stalls.rows)
        } else {
            hops.hopWindow.setTop(hops.hopWindow.top + rows, count: hops.hops.count, height: areas.hops.rows)
        }
    }

    mutating func clickHops(_ point: Point) {
        let areas = HopsScreen.areas(self)
        if let ends = HopMatrixPanel.ends(at: point, in: areas.matrix, self) {
            hops.part = .matrix
            select(ends)
        } else if areas.hops.contains(point) {
            let row = hops.hopWindow.top + point.row - areas.hops.top
            guard row < hops.hops.count else { return }
            hops.part = .hops
            if row == hops.hopRow { openInHops() }
            select(hopAt: row)
        } else if areas.stalls.contains(point) {
            let row = hops.stallWindow.top + point.row - areas.stalls.top
            guard row < hops.stalls.count else { return }
            hops.part = .stalls
            if row == hops.stallRow { openInHops() }
            select(stallAt: row)
        }
    }

    private mutating func moveInMatrix(_ movement: Movement) {
        let sources = hops.matrix.sources(in: store)
        let targets = hops.matrix.targets(in: store)
        guard let ends = hops.ends, !sources.isEmpty, !targets.isEmpty else { return }
        var row = sources.firstIndex(of: ends.from) ?? 0
        var column = targets.firstIndex(of: ends.to) ?? 0
        switch movement {
        case .left: column = max(0, column - 1)
        case .right: column = min(targets.count - 1, column + 1)
        case .up, .down, .pageUp, .pageDown, .first, .last:
            row = movement.row(from: row, count: sources.count, page: HopsScreen.areas(self).matrix.rows) ?? row
        }
        select(HopEnds(from: sources[row], to: targets[column]))
    }

    private mutating func select(_ ends: HopEnds) {
        hops.selection = ends
        hops.hop = nil
        hops.hopWindow = ListWindow()
        hops.listHops()
        showCell(ends)
    }

    private mutating func showCell(_ ends: HopEnds) {
        let areas = HopsScreen.areas(self)
        let sources = hops.matrix.sources(in: store)
        if let row = sources.firstIndex(of: ends.from) { hops.matrixWindow.show(row, count: sources.count, height: areas.matrix.rows) }
        if let column = hops.matrix.targets(in: store).firstIndex(of: ends.to) {
            let shown = HopMatrixPanel.columnsShown(areas.matrix.columns)
            hops.firstColumn = max(0, min(max(hops.firstColumn, column - shown + 1), column))
        }
    }

    private mutating func select(hopAt row: Int) {
        hops.hop = hops.hops[row].hop
        showHop(row)
        follow(hops.hops[row].hop.task)
    }

    private mutating func showHop(_ row: Int) {
        hops.hopWindow.show(row, count: hops.hops.count, height: HopsScreen.areas(self).hops.rows)
    }

    private mutating func select(stallAt row: Int) {
        hops.stall = hops.stalls[row].since
        hops.stallWindow.show(row, count: hops.stalls.count, height: HopsScreen.areas(self).stalls.rows)
        if hops.stalls[row].task != .none { follow(hops.stalls[row].task) }
    }
}
