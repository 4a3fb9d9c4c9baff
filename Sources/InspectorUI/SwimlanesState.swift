import TaskEvents
import TraceAnalysis
import TraceLayout
import TraceStore

/// The user's choices on the Timeline screen, and the picture that they lead to.
package struct SwimlanesState {
    /// Which stretch of time is in sight.
    package enum View: Hashable, Sendable {
        /// All of it, in a round span, so that it does not shrink with every event.
        case whole
        /// The latest so many nanoseconds.
        case latest(span: UInt64)
        case fixed(start: UInt64, span: UInt64)
    }

    /// Nanoseconds between two pictures while only time goes on.
    static let pause: UInt64 = 100_000_000
    static let leastSpan: UInt64 = 10_000
    /// Tasks of the selected chain whose hops are drawn.
    static let chainLimit = 512

    package internal(set) var view = View.whole
    package internal(set) var grouping = SwimlaneGrouping.executors
    package internal(set) var picture: Swimlanes?
    /// The track that the keys move in.
    package internal(set) var track: SwimTrack.ID?
    /// The job that is looked at: its task is selected too, but a task may run more than once.
    package internal(set) var job: JobRecord?
    var window = ListWindow()
    /// The selected chain, which stands out.
    private(set) var chain: Set<TaskID> = []
    private var drawn: Drawn?

    private struct Drawn: Equatable {
        var scale: TimeScale
        var grouping: SwimlaneGrouping
        var eventCount: Int
        var now: UInt64
        var selection: TaskID?
        var time: UInt64
    }

    func scale(_ store: TraceStore, columns: Int, hasEnded: Bool) -> TimeScale {
        switch view {
        case .whole:
            let now = max(store.now, 1_000_000)
            return TimeScale(start: 0, span: hasEnded ? now + now / 50 : TimeScale.round(above: now), columns: columns)
        case .latest(let span):
            // In whole columns, or every bar would flicker at its edges.
            let column = max(1, span / UInt64(max(1, columns)))
            let end = (store.now / column + 2) * column
            return TimeScale(
                start: end > column * UInt64(columns) ? end - column * UInt64(columns) : 0, span: column * UInt64(columns), columns: columns
            )
        case .fixed(let start, let span):
            return TimeScale(start: start, span: span, columns: columns)
        }
    }

    /// The state is that of another time: the next frame draws it.
    mutating func restart() {
        drawn = nil
    }

    /// - Parameters:
    ///   - selection: the selected task, whose chain stands out.
    ///   - time: nanoseconds of the frames' clock.
    mutating func arrange(_ store: TraceStore, scale: TimeScale, height: Int, selection: TaskID?, at time: UInt64) {
        var next = Drawn(
            scale: scale, grouping: grouping, eventCount: store.eventCount, now: store.now, selection: selection, time: time)
        if let drawn, picture != nil {
            let isSameView =
                drawn.grouping == grouping && drawn.selection == selection && (drawn.scale == scale || view != .whole && !isFixed)
            if isSameView, time < drawn.time + Self.pause { return }
            next.time = drawn.time
            if next == drawn { return }
            next.time = time
        }
        drawn = next
        let tasks = selection.flatMap { ChainAnalysis(store).chain(of: $0, limit: Self.chainLimit) }?.tasks ?? []
        chain = Set(tasks)
        picture = Swimlanes(store, scale: scale, grouping: grouping, chain: tasks, selection: selection)
        window.setTop(window.top, count: picture?.tracks.count ?? 0, height: height)
    }

    private var isFixed: Bool {
        if case .fixed = view { true } else { false }
    }

    /// The line of the screen's cursor; the first where the track is not in sight.
    var row: Int? {
        track.flatMap { picture?.index(of: $0) }
    }
}
