import TaskEvents
import TraceAnalysis
import TraceStore

/// The user's choices on the Hops screen, and the matrix they are made in.
package struct HopsState {
    /// Tasks that a frame looks at for the matrix.
    static let portion = 8192
    /// Nanoseconds between two passes.
    static let pause: UInt64 = 500_000_000
    /// Stalls that can be scrolled through.
    static let stallLimit = 1024

    /// What the keys move in.
    package enum Part: Hashable, Sendable {
        case matrix, hops, stalls
    }

    package internal(set) var part = Part.matrix
    package internal(set) var matrix = HopMatrix()
    /// The cell whose hops are listed; it stays with its executors. Nil for the one with most hops.
    package internal(set) var selection: HopEnds?
    /// Whether the longest waits come first, and not the latest hops.
    package internal(set) var isByWait = false
    package internal(set) var hops: [ClassedHop] = []
    package internal(set) var hop: Hop?
    package internal(set) var stalls: [MainQueue.Stall] = []
    /// The stall that is looked at, by its beginning.
    package internal(set) var stall: UInt64?
    var matrixWindow = ListWindow()
    /// The first column of the matrix in sight.
    var firstColumn = 0
    var hopWindow = ListWindow()
    var stallWindow = ListWindow()

    private var pass: HopPass?
    /// The events that the matrix knows of.
    private(set) var eventCount = -1
    private var lastEnd: UInt64?
    private var listed: (ends: HopEnds?, isByWait: Bool)?

    /// Whether a pass is on its way.
    var isBusy: Bool { pass != nil }

    /// The cell whose hops are listed.
    var ends: HopEnds? {
        if let selection { return selection }
        return matrix.cells.max { ($0.value.count, $1.key.from, $1.key.to) < ($1.value.count, $0.key.from, $0.key.to) }?.key
    }

    /// The state is that of another time: the next frame begins to look again.
    mutating func restart() {
        pass = nil
        lastEnd = nil
        eventCount = -1
    }

    mutating func arrange(_ store: TraceStore, at now: UInt64) {
        if pass == nil, eventCount != store.eventCount, lastEnd.map({ now >= $0 + Self.pause }) ?? true { pass = HopPass(store) }
        if let done = pass?.advance(store, portion: Self.portion) {
            matrix = done
            eventCount = pass?.eventCount ?? -1
            lastEnd = now
            pass = nil
            listed = nil
        }
        listHops()
        stalls = MainQueue(store).stalls(limit: Self.stallLimit)
    }

    /// The hops of the cell in their order.
    mutating func listHops() {
        let ends = ends
        if let listed, listed == (ends, isByWait) { return }
        listed = (ends, isByWait)
        let cell = ends.flatMap { matrix.cells[$0] }
        if isByWait {
            hops = (cell?.hops ?? []).sorted { ($1.hop.wait ?? .max, $0.hop.at) < ($0.hop.wait ?? .max, $1.hop.at) }
        } else {
            hops = (cell?.hops ?? []).sorted { ($1.hop.at, $1.hop.task) < ($0.hop.at, $0.hop.task) }
        }
    }

    var hopRow: Int? { hop.flatMap { hop in hops.firstIndex { $0.hop.task == hop.task && $0.hop.at == hop.at } } }

    var stallRow: Int? { stall.flatMap { stall in stalls.firstIndex { $0.since == stall } } }
}
