import TaskEvents
import TraceTransport

/// A trace that can be viewed as of any of its events. ``store`` is the state at the cursor, which every screen and report shows.
///
/// There are two kinds. A live trace receives batches through ``apply(_:)``, from this process or another, and keeps the latest events. A
/// recording is read by ``load(limit:)``. Both keep keyframes, so moving the cursor to an event costs a short fold from the keyframe before
/// it. The limits bound the memory. Not thread-safe: the history belongs to the thread that draws.
package final class TraceHistory {
    /// The limits of a history's memory.
    package struct Limits: Hashable, Sendable {
        /// The number of events of a live trace that are kept, at 34 bytes each.
        package var liveEvents = 2 << 20
        /// The largest size of the pages that only a recording's keyframes use, in bytes.
        package var keyframeBytes = 256 << 20
        /// The same for a live trace. It keeps fewer events, so a few keyframes are enough, and it goes on for as long as its program.
        package var liveKeyframeBytes = 64 << 20
        /// The smallest number of events between two keyframes.
        package var keyframeInterval = 1 << 18
        /// A recording of more events has sparse keyframes besides.
        package var fullEvents = 1 << 23
        /// The part of ``keyframeBytes`` that the sparse keyframes of such a recording take.
        package var sparseKeyframeBytes = 192 << 20
        /// The number of events behind a full keyframe from which a state is folded from a sparse one.
        package var fullReach = 1 << 20
        /// The number of latest ended tasks that a state has that was folded from a sparse keyframe.
        package var sparseEndedTasks = 1 << 15

        package init() {}
    }

    /// The state after all events applied so far.
    package let latest: TraceStore
    /// Changes when ``store`` no longer continues its previous state. Lists derived from events must then start over.
    package private(set) var epoch = 0
    /// Whether the cursor follows the latest event.
    package private(set) var isAtLatest = true
    /// The number of events folded to move the cursor. Tests bound the work of a step by it, because times differ between machines.
    package private(set) var foldedCount = 0
    /// The number of events that searches have looked at.
    package private(set) var searchedCount = 0

    private let past: TraceStore
    /// The events that ``latest`` keeps of a live trace, or the recording.
    private let history: any EventHistory
    /// Nil for a live trace.
    package let recording: (any RecordedTrace)?
    private var keyframes: Keyframes
    /// The sparse keyframes of a long recording; nil for a short one and for a live trace.
    private var sparse: SparseKeyframes?
    /// The number of events behind a full keyframe from which a sparse one may serve.
    private let fullReach: Int
    /// A state slightly before the cursor's last target, which makes steps back from there cheap.
    private var near: Keyframes.Frame?

    /// The position at which the fold towards the goal began; nil before it.
    private var start: Int?

    /// The number of events between `near` and the cursor's target.
    private static let nearDistance = 8192

    /// Creates the history of a live trace. The events that `store` has already seen are in its state, but the cursor cannot go back into
    /// them.
    package init(_ store: TraceStore = TraceStore(retention: .live), limits: Limits = Limits()) {
        latest = store
        history = store.keepEvents(limits.liveEvents)
        past = TraceStore(retention: store.fold.retention, version: 1 << 63, history: history)
        recording = nil
        keyframes = Keyframes(
            interval: min(limits.keyframeInterval, limits.liveEvents / 4), longestInterval: limits.liveEvents / 4,
            budget: limits.liveKeyframeBytes)
        fullReach = .max
        keyframes.note(store.fold, number: store.eventCount)
    }

    /// Creates the history of a recording and reads none of its events yet.
    package init(_ recording: any RecordedTrace, retention: Retention = Retention(), limits: Limits = Limits()) {
        history = recording
        latest = TraceStore(retention: retention, version: 0, history: recording)
        latest.entries = recording.entries
        past = TraceStore(retention: retention, version: 1 << 63, history: recording)
        self.recording = recording
        let isLong = recording.numbers.count > limits.fullEvents
        keyframes = Keyframes(
            interval: limits.keyframeInterval, budget: limits.keyframeBytes - (isLong ? limits.sparseKeyframeBytes : 0))
        fullReach = isLong ? limits.fullReach : .max
        if isLong {
            sparse = SparseKeyframes(
                of: recording, wanted: limits.sparseEndedTasks, interval: limits.keyframeInterval,
                budget: limits.sparseKeyframeBytes)
        }
        keyframes.note(latest.fold, number: 0)
    }

    // MARK: State and events

    /// The state at the cursor. Moving the cursor may replace the store object.
    package var store: TraceStore { isAtLatest ? latest : past }

    /// The number of the event at the cursor, from 1; 0 before the first event.
    package var position: Int { store.eventCount }

    /// The event that the cursor is on its way to; nil if it has arrived.
    package private(set) var goal: Int?

    /// The number of all events, including those of a recording that have not been read yet.
    package var eventCount: Int { history.numbers.upperBound - 1 }

    /// The first position that the cursor can go to. A long live trace has forgotten its beginning.
    package var firstPosition: Int { keyframes.frames.first?.number ?? latest.eventCount }

    /// The first listed event that can be read. The first moment may be that of the last forgotten event.
    package var firstKept: Int { max(firstListed, history.numbers.lowerBound) }

    /// An event; nil if it is forgotten or has not come yet.
    package func event(number: Int) -> NumberedEvent? {
        guard history.numbers.contains(number) else { return nil }
        let stretch = history.stretch(at: number)
        let index = number - stretch.first
        return NumberedEvent(number: number, event: stretch.events[index], lane: Int(stretch.lanes[index]))
    }

    /// The facts about the events around a number that need no read. Nil if the event is forgotten or has not come yet.
    func extent(at number: Int) -> EventExtent? {
        history.numbers.contains(number) ? history.extent(at: number) : nil
    }

    func events(around number: Int) -> EventStretch { history.stretch(at: number) }

    /// The events between two positions, in either order; nil if there are more than `limit` or some are forgotten.
    package func passed(between one: Int, and other: Int, limit: Int) -> [EventStretch]? {
        let numbers = min(one, other) + 1..<max(one, other) + 1
        guard numbers.count <= limit else { return nil }
        guard numbers.isEmpty || history.numbers.contains(numbers.lowerBound) else { return nil }
        var stretches: [EventStretch] = []
        history.forEach(in: numbers) { stretches.append($0) }
        return stretches
    }

    /// Calls `body` with the events of those numbers that are not forgotten, in order. By default, with all events.
    package func forEachStretch(in numbers: Range<Int>? = nil, _ body: (EventStretch) -> Void) {
        history.forEach(in: numbers ?? history.numbers, body)
    }

    // MARK: New events

    /// Applies the next batch of a live trace. The cursor stays where it is unless it follows the latest event.
    package func apply(_ batch: TraceBatch) {
        precondition(recording == nil, "\(batch.events.count) events for a recording, which has its own")
        latest.apply(batch)
        keyframes.note(latest.fold, number: latest.eventCount)
        keyframes.forget(before: history.numbers.lowerBound - 1)
    }

    /// Advances the latest state's time while no events come.
    package func advance(to time: UInt64) {
        latest.advance(to: time)
    }

    /// Whether the recording has events that have not been read.
    package var hasMore: Bool { latest.eventCount < eventCount }

    /// Reads the next events of a recording, about `limit` at most. Returns them; the result is empty at the end.
    package func load(limit: Int) -> [EventStretch] {
        var loaded: [EventStretch] = []
        load(through: min(latest.eventCount + limit, eventCount)) { loaded.append($0) }
        return loaded
    }

    /// Reads a recording to its end.
    package func loadAll() {
        load(through: eventCount) { _ in }
    }

    private func load(through number: Int, _ take: (EventStretch) -> Void) {
        guard let recording, number > latest.eventCount else { return }
        if recording.entries.count != latest.entries.count { latest.entries = recording.entries }
        recording.forEach(in: latest.eventCount + 1..<number + 1) { stretch in
            let batch = TraceBatch(stretch)
            latest.apply(batch)
            keyframes.note(latest.fold, number: latest.eventCount)
            sparse?.note(batch, latest.entries)
            take(stretch)
        }
        if !hasMore { latest.advance(to: recording.knownUntil) }
    }

    // MARK: The cursor

    /// Moves the cursor to an event, or to the nearest one it can go to, and keeps it there. The state is the one just after that event.
    package func seek(to number: Int) {
        seek(to: number, limit: .max)
    }

    /// Like ``seek(to:)``, but reads and folds at most `limit` events. ``travelOn(limit:)`` goes on to ``goal`` from there.
    package func seek(to number: Int, limit: Int) {
        let wanted = min(number, eventCount)
        if wanted > latest.eventCount { load(through: limit < wanted - latest.eventCount ? latest.eventCount + limit : wanted) { _ in } }
        guard wanted <= latest.eventCount else {
            (goal, start) = (wanted, nil)
            return
        }
        let target = max(firstPosition, wanted)
        if goal != target { start = nil }
        let canAdvance = !isAtLatest && past.eventCount <= target && reaches(from: past.eventCount)
        let base = base(of: target)
        if past.entries.count != latest.entries.count || past.entries.symbols.count != latest.entries.symbols.count {
            past.entries = latest.entries
        }
        if target == latest.eventCount, !canAdvance || past.eventCount < target {
            move(to: Fold(copying: latest.fold), number: target)
        } else if let base, !canAdvance || base.number > past.eventCount {
            move(to: base.state(), number: base.number)
        } else if !canAdvance {
            preconditionFailure("event \(target) of \(history.numbers) has no keyframe before it: \(keyframes.frames.map(\.number))")
        }
        isAtLatest = false
        let start = start ?? past.eventCount
        fold(through: limit < target - past.eventCount ? past.eventCount + limit : target, from: start, towards: target)
        self.start = start
        goal = past.eventCount < target ? target : nil
    }

    /// Brings the cursor nearer to ``goal``, by at most `limit` events.
    package func travelOn(limit: Int) {
        if let goal { seek(to: goal, limit: limit) }
    }

    /// Moves the cursor to the latest event and lets it follow new events.
    package func seekToLatest() {
        goal = nil
        guard !isAtLatest else { return }
        isAtLatest = true
        near = nil
        past.empty()
        epoch += 1
    }

    /// The state from which the state after the event `target` is folded: a full one within reach, or else the nearest.
    private func base(of target: Int) -> Keyframes.Frame? {
        if let number = near?.number, !reaches(from: number) { near = nil }
        let full = [keyframes.last(by: target), near].compactMap { $0 }.filter { $0.number <= target }.max { $0.number < $1.number }
        if let full, target - full.number <= fullReach { return full }
        return [full, sparse?.base(of: target)].compactMap { $0 }.max { $0.number < $1.number }
    }

    /// Whether all events after `number` are available.
    private func reaches(from number: Int) -> Bool { number + 1 >= history.numbers.lowerBound }

    private func move(to fold: consuming Fold, number: Int) {
        past.move(to: fold, number: number)
        epoch += 1
    }

    private func fold(through target: Int, from start: Int, towards goal: Int) {
        let from = past.eventCount
        foldedCount += target - from
        let early = goal - Self.nearDistance
        if early > start + Self.nearDistance, from < early, early <= target {
            history.forEach(in: from + 1..<early + 1) { past.apply(TraceBatch($0)) }
            near = Keyframes.Frame(number: early, fold: past.fold)
        }
        history.forEach(in: past.eventCount + 1..<target + 1) { past.apply(TraceBatch($0)) }
        precondition(past.eventCount == target, "at event \(past.eventCount) on the way from \(from) to \(target) of \(history.numbers)")
    }

    // MARK: Steps

    /// Moves the cursor to the next or previous event that matches. Returns false and does not move if there is none.
    @discardableResult
    package func step(_ direction: EventWalk.Direction, to search: EventSearch = .any) -> Bool {
        guard let number = find(search, direction) else { return false }
        seek(to: number)
        return true
    }

    /// The number of the next or previous event that matches; nil if there is none.
    package func find(_ search: EventSearch, _ direction: EventWalk.Direction) -> Int? {
        var walk = EventWalk(search, direction, in: self)
        return if case .found(let number) = advance(&walk, limit: .max) { number } else { nil }
    }

    /// Looks at about `limit` events of a search, or passes over as many stretches that cannot match.
    package func advance(_ walk: inout EventWalk, limit: Int) -> EventWalk.Outcome {
        switch walk.direction {
        case .forward: advanceForward(&walk, limit)
        case .back: advanceBack(&walk, limit)
        }
    }

    private func advanceForward(_ walk: inout EventWalk, _ limit: Int) -> EventWalk.Outcome {
        var left = limit
        walk.next = max(walk.next, history.numbers.lowerBound)
        while walk.next < history.numbers.upperBound {
            guard left > 0 else { return .unfinished }
            left -= 1
            var extent = history.extent(at: walk.next)
            if !extent.kinds.isDisjoint(with: walk.kinds) {
                let stretch = history.stretch(at: walk.next)
                extent.numbers = stretch.numbers
                for number in walk.next..<stretch.numbers.upperBound where walk.matcher.matches(stretch.events[number - stretch.first]) {
                    return .found(number)
                }
                let count = stretch.numbers.upperBound - walk.next
                searchedCount += count
                left -= min(left, count)
            }
            walk.next = extent.numbers.upperBound
        }
        return .nothing
    }

    private func advanceBack(_ walk: inout EventWalk, _ limit: Int) -> EventWalk.Outcome {
        var left = limit
        walk.next = min(walk.next, history.numbers.upperBound - 1)
        let first = max(firstPosition, history.numbers.lowerBound)
        while walk.next >= first {
            guard left > 0 else { return .unfinished }
            left -= 1
            var extent = history.extent(at: walk.next)
            if !extent.kinds.isDisjoint(with: walk.kinds) {
                let stretch = history.stretch(at: walk.next)
                extent.numbers = stretch.numbers
                for number in (max(first, stretch.first)...walk.next).reversed()
                where walk.matcher.matches(stretch.events[number - stretch.first]) {
                    return .found(number)
                }
                let count = walk.next - stretch.first + 1
                searchedCount += count
                left -= min(left, count)
            }
            walk.next = extent.numbers.lowerBound - 1
        }
        return .nothing
    }
}

extension TraceBatch {
    package init(_ stretch: EventStretch) {
        self.init(events: stretch.events, lanes: stretch.lanes)
    }
}

extension EventWalk {
    /// A search from the cursor of `history`, or from the event `first` on.
    package init(_ search: EventSearch, _ direction: Direction, in history: TraceHistory, from first: Int? = nil) {
        let matcher = EventMatcher(search, from: history.store, latest: history.latest)
        self.init(search, direction, matcher, next: first ?? history.position + (direction == .forward ? 1 : -1))
    }
}
