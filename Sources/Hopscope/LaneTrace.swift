import InspectorUI
import TaskEvents
import TraceFile
import TraceStore
import TraceTransport

/// What lanes get while it is looked at, be they this process's or another's.
package final class LaneTrace: TraceSource {
    private let lanes: any LaneSource
    private let collector: TraceCollector
    private let writerHasEnded: () -> Bool
    private var isOver = false
    private var namesTaken = 0
    package let completeSince: UInt64

    /// Begins to read, with what the lanes still hold. `writerHasEnded` is asked a frame at a time until it says so.
    package init(_ lanes: any LaneSource, completeSince: UInt64 = 0, until writerHasEnded: @escaping () -> Bool = { false }) {
        self.lanes = lanes
        self.completeSince = completeSince
        self.writerHasEnded = writerHasEnded
        collector = TraceCollector(source: lanes)
        collector.start()
    }

    /// Another process's lanes, until it ends or publishes them no more.
    package convenience init(_ region: RegionFile) {
        self.init(region, completeSince: region.kept().completeSince, until: { region.writer == .ended || region.writer == .withdrawn })
    }

    package var now: UInt64 { lanes.now }

    package func take() -> [TraceBatch] {
        collector.take()
    }

    package func takeNames() -> TraceBatch? {
        let found = lanes.namesFound
        guard found != namesTaken else { return nil }
        namesTaken = found
        return TraceBatch(source: lanes)
    }

    package var hasEnded: Bool {
        guard !isOver, writerHasEnded() else { return isOver }
        stop()
        isOver = true
        return true
    }

    /// Reads what there is and no more. Once.
    package func stop() {
        collector.finish()
    }
}
