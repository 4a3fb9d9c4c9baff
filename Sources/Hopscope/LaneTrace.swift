import InspectorUI
import TaskEvents
import TraceStore
import TraceTransport

/// The events that lanes receive while the inspector shows them. The lanes belong to this process or to another one.
package final class LaneTrace: TraceSource {
    private let lanes: any LaneSource
    private let collector: TraceCollector
    private let writerHasEnded: () -> Bool
    private let programHasEnded: () -> Bool
    private var isOver = false
    private var namesTaken = 0
    package let completeSince: UInt64
    package var outside: (any OutsideLook)?
    private let words: () -> String?

    /// Starts reading, with the events that the lanes still hold. `writerHasEnded` is called once per frame until it returns true.
    /// Throws if the system makes no more threads.
    ///
    /// `programHasEnded` is asked after that: false for a program that runs on and no longer publishes.
    ///
    /// `route` describes the way in which the lanes get the events, if the program does not emit them itself.
    package init(
        _ lanes: any LaneSource, completeSince: UInt64 = 0, pace: DrainPace = .prompt, route: @escaping () -> String? = { nil },
        until writerHasEnded: @escaping () -> Bool = { false }, exit programHasEnded: @escaping () -> Bool = { true }
    ) throws(TraceProblem) {
        words = route
        self.lanes = lanes
        self.completeSince = completeSince
        self.writerHasEnded = writerHasEnded
        self.programHasEnded = programHasEnded
        collector = TraceCollector(source: lanes, pace: pace)
        try collector.start()
    }

    /// Reads another process's lanes until the process ends or stops publishing.
    package convenience init(_ region: RegionFile) throws(TraceProblem) {
        try self.init(
            region, completeSince: region.kept().completeSince, until: { region.writer == .ended || region.writer == .withdrawn },
            exit: { region.writer == .ended })
    }

    package var now: UInt64 { lanes.now }

    package var route: String? { words() }

    package var holdsJobs: Bool { lanes.holdsJobs }

    package func take() -> [TraceBatch] {
        collector.take()
    }

    package func takeNames() -> TraceBatch? {
        let found = lanes.namesFound
        guard found != namesTaken else { return nil }
        namesTaken = found
        return TraceBatch(source: lanes)
    }

    package var isFindingNames: Bool { lanes.isFindingNames || lanes.namesFound != namesTaken }

    package var sawExit: Bool { programHasEnded() }

    package var hasEnded: Bool {
        guard !isOver, writerHasEnded() else { return isOver }
        stop()
        isOver = true
        return true
    }

    /// Reads the remaining events and stops. Call it once.
    package func stop() {
        collector.finish()
    }
}
