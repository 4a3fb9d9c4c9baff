import TaskEvents
import TraceFile

/// A trace that can be looked at as of any of its events: what every screen and report shows is ``store``, the state at the cursor.
///
/// There are two kinds. A live one is fed batches by ``apply(_:)``, from this process or another, and remembers the latest events; a
/// recording is read by ``load(limit:)``. Either keeps keyframes, so that going to an event is a short fold from the one before it. Memory
/// is bounded by the limits. Not thread-safe: it belongs to the thread that draws.
package final class TraceHistory {
    /// What a history may cost.
    package struct Limits: Hashable, Sendable {
        /// Events of a live trace that are remembered: 34 bytes each.
        package var liveEvents = 2 << 20
        /// Bytes of what keyframes have besides the latest state.
        package var keyframeBytes = 256 << 20
        /// Events between two keyframes, at least.
        package var keyframeInterval = 1 << 18

        package init() {}
    }

    /// The state after everything that has come so far.
    package let latest: TraceStore
    /// Changes when ``store`` is no continuation of what it was: lists that are derived from events must begin again.
    package private(set) var epoch = 0
    /// Whether the cursor stays with the latest event.
    package private(set) var isAtLatest = true

    private let past: TraceStore
    /// Of a live trace the events that ``latest`` keeps, else the recording.
    private let history: any EventHistory
    /// Nil for a live trace.
    package let recording: TraceFileReader?
    private var keyframes: Keyframes
    /// A state a little before the one that was gone to last, so that the steps back from there are short.
    private var near: Keyframes.Frame?

    /// Events between `near` and the one that was gone to.
    private static let nearDistance = 8192

    /// A live trace. What a `store` that is handed in has seen already can be shown, and not stepped back into.
    package init(_ store: TraceStore = TraceStore(), limits: Limits = Limits()) {
        latest = store
        history = store.keepEvents(limits.liveEvents)
        past = TraceStore(retention: store.fold.retention, version: 1 << 63, history: history)
        recording = nil
        keyframes = Keyframes(
            interval: min(limits.keyframeInterval, limits.liveEvents / 4), longestInterval: limits.liveEvents / 4,
            budget: limits.keyframeBytes)
        keyframes.note(store.fold, number: store.eventCount)
    }

    /// A recording, of which nothing has been read yet.
    package init(_ recording: TraceFileReader, retention: Retention = Retention(), limits: Limits = Limits()) {
        history = recording
        latest = TraceStore(retention: retention, version: 0, history: recording)
        latest.entries = recording.entries
        past = TraceStore(retention: retention, version: 1 << 63, history: recording)
        self.recording = recording
        keyframes = Keyframes(interval: limits.keyframeInterval, budget: limits.keyframeBytes)
        keyframes.note(latest.fold, number: 0)
    }

    // MARK: What there is

    /// The state at the cursor. Which store that is changes with the cursor.
    package var store: TraceStore { isAtLatest ? latest : past }

    /// The number of the event that the cursor is at, from 1; 0 before the first.
    package var position: Int { store.eventCount }

    /// All events, those of a recording that have not been read yet among them.
    package var eventCount: Int { history.numbers.upperBound - 1 }

    /// The first event that can be gone to; of a long live trace the beginning is forgotten.
    package var firstPosition: Int { keyframes.frames.first?.number ?? latest.eventCount }

    /// An event; nil for one that is forgotten or to come.
    package func event(number: Int) -> NumberedEvent? {
        guard history.numbers.contains(number) else { return nil }
        let stretch = history.stretch(at: number)
        let place = number - stretch.first
        return NumberedEvent(number: number, event: stretch.events[place], lane: Int(stretch.lanes[place]))
    }

    /// The events between two positions, whichever is the later; nil if they are more than `limit` or not all there.
    package func passed(between one: Int, and other: Int, limit: Int) -> [EventStretch]? {
        let numbers = min(one, other) + 1..<max(one, other) + 1
        guard numbers.count <= limit else { return nil }
        guard numbers.isEmpty || history.numbers.contains(numbers.lowerBound) else { return nil }
        var stretches: [EventStretch] = []
        history.forEach(in: numbers) { stretches.append($0) }
        return stretches
    }

    // MARK: What comes

    /// Takes what a live trace brings next. The cursor stays where it is, unless it is with the latest.
    package func apply(_ batch: TraceBatch) {
        precondition(recording == nil, "\(batch.events.count) events for a recording, which has its own")
        latest.apply(batch)
        keyframes.note(latest.fold, number: latest.eventCount)
        keyframes.forget(before: history.numbers.lowerBound - 1)
    }

    /// Moves the latest state's time on, while no event comes.
    package func advance(to time: UInt64) {
        latest.advance(to: time)
    }

    /// Whether a recording has events that have not been read.
    package var hasMore: Bool { latest.eventCount < eventCount }

    /// Reads on in a recording, up to about `limit` events. Returns them; none if there are no more.
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
            latest.apply(TraceBatch(stretch))
            keyframes.note(latest.fold, number: latest.eventCount)
            take(stretch)
        }
    }

    // MARK: The cursor

    /// Puts the cursor at an event, or at the nearest that can be gone to, and keeps it there. The state is the one just after it.
    package func seek(to number: Int) {
        load(through: min(number, eventCount)) { _ in }
        let target = max(firstPosition, min(number, latest.eventCount))
        let canGoOn = !isAtLatest && past.eventCount <= target && reaches(from: past.eventCount)
        if let number = near?.number, !reaches(from: number) { near = nil }
        let base = [keyframes.last(by: target), near].compactMap { $0 }.filter { $0.number <= target }.max { $0.number < $1.number }
        if past.entries.count != latest.entries.count || past.entries.symbols.count != latest.entries.symbols.count {
            past.entries = latest.entries
        }
        if target == latest.eventCount, !canGoOn || past.eventCount < target {
            move(to: Fold(copying: latest.fold), number: target)
        } else if let base, !canGoOn || base.number > past.eventCount {
            move(to: Fold(copying: base.fold), number: base.number)
        } else if !canGoOn {
            preconditionFailure("event \(target) of \(history.numbers) has no keyframe before it: \(keyframes.frames.map(\.number))")
        }
        isAtLatest = false
        fold(through: target)
    }

    /// Puts the cursor at the latest event, and lets it go along with those that come.
    package func seekToLatest() {
        guard !isAtLatest else { return }
        isAtLatest = true
        near = nil
        past.empty()
        epoch += 1
    }

    /// Whether the events after that one are there.
    private func reaches(from number: Int) -> Bool { number + 1 >= history.numbers.lowerBound }

    private func move(to fold: consuming Fold, number: Int) {
        past.move(to: fold, number: number)
        epoch += 1
    }

    private func fold(through target: Int) {
        let start = past.eventCount
        let early = target - Self.nearDistance
        if early > start + Self.nearDistance {
            history.forEach(in: start + 1..<early + 1) { past.apply(TraceBatch($0)) }
            near = Keyframes.Frame(number: early, fold: past.fold)
        }
        history.forEach(in: past.eventCount + 1..<target + 1) { past.apply(TraceBatch($0)) }
        precondition(past.eventCount == target, "at event \(past.eventCount) on the way from \(start) to \(target) of \(history.numbers)")
    }

    // MARK: Steps

    package enum Direction: Hashable, Sendable {
        case back, forward
    }

    /// Puts the cursor at the next such event, or the one before. Returns false, and leaves it, if there is none.
    @discardableResult
    package func step(_ direction: Direction, to search: EventSearch = .any) -> Bool {
        guard let number = find(search, direction) else { return false }
        seek(to: number)
        return true
    }

    /// The next such event from the cursor, or the one before; nil if there is none.
    package func find(_ search: EventSearch, _ direction: Direction) -> Int? {
        var matcher = EventMatcher(search, from: store, latest: latest)
        switch direction {
        case .forward: return findForward(search.kinds, &matcher)
        case .back: return findBack(search.kinds, &matcher)
        }
    }

    private func findForward(_ kinds: EventKinds, _ matcher: inout EventMatcher) -> Int? {
        var next = max(position + 1, history.numbers.lowerBound)
        while next < history.numbers.upperBound {
            var extent = history.extent(at: next)
            if !extent.kinds.isDisjoint(with: kinds) {
                let stretch = history.stretch(at: next)
                extent.numbers = stretch.numbers
                for number in next..<stretch.numbers.upperBound where matcher.matches(stretch.events[number - stretch.first]) {
                    return number
                }
            }
            next = extent.numbers.upperBound
        }
        return nil
    }

    private func findBack(_ kinds: EventKinds, _ matcher: inout EventMatcher) -> Int? {
        var next = min(position - 1, history.numbers.upperBound - 1)
        let first = max(firstPosition, history.numbers.lowerBound)
        while next >= first {
            var extent = history.extent(at: next)
            if !extent.kinds.isDisjoint(with: kinds) {
                let stretch = history.stretch(at: next)
                extent.numbers = stretch.numbers
                for number in (max(first, stretch.first)...next).reversed() where matcher.matches(stretch.events[number - stretch.first]) {
                    return number
                }
            }
            next = extent.numbers.lowerBound - 1
        }
        return nil
    }
}

extension TraceBatch {
    init(_ stretch: EventStretch) {
        self.init(events: stretch.events, lanes: stretch.lanes)
    }
}
