import TaskEvents

/// Stored events, addressed by number: those of a recording, or the latest of a live trace. Numbers count from 1.
package protocol EventHistory: AnyObject {
    /// The numbers of the stored events.
    var numbers: Range<Int> { get }

    /// A stretch that contains the event `number`, which must be stored.
    func stretch(at number: Int) -> EventStretch

    /// The numbers of that stretch, and the kinds that it may contain, without reading its events.
    func extent(at number: Int) -> EventExtent
}

/// Stored events with their names: a recording, perhaps one that still grows.
package protocol RecordedTrace: EventHistory {
    /// All names, sites, errors and executors that the recording has so far.
    var entries: EntryTable { get }
    /// Whether nothing more can follow.
    var isComplete: Bool { get }
    /// Whether the program had ended when the recording was finished; nil if the recording does not say.
    var sawExit: Bool? { get }
    /// The time until which a complete recording knows the program: what was open at the last event stayed so until then. 0 if the recording
    /// does not say.
    var knownUntil: UInt64 { get }

    /// Reads what has been appended since the last call. Returns whether there are new events.
    @discardableResult
    func refresh() -> Bool

    /// Whether it has samples and context switches of the program's threads.
    var hasProfile: Bool { get }
    /// The samples and context switches of the program's threads; nil if there are none.
    func profile() -> ThreadProfile?

    /// The functions that each place of the profile's stacks is in, the innermost inlined one first; empty until they have been found.
    var stackNames: [CodeAddress: [CodeSymbol]] { get }

    /// Adds symbols for places in code, and the functions of the places of stacks.
    func learn(_ names: FoundNames)
}

extension RecordedTrace {
    package var knownUntil: UInt64 { 0 }
}

/// The names of places in a program's code, found by its debug information.
package struct FoundNames: Sendable {
    /// By place of an event.
    package var symbols: [CodeAddress: CodeSymbol]
    /// By place of a profile's stacks: all functions that it is in, the innermost inlined one first.
    package var stacks: [CodeAddress: [CodeSymbol]]

    package init(symbols: [CodeAddress: CodeSymbol] = [:], stacks: [CodeAddress: [CodeSymbol]] = [:]) {
        (self.symbols, self.stacks) = (symbols, stacks)
    }
}

/// The facts about a stretch of events that are known before it is read.
package struct EventExtent: Hashable, Sendable {
    package var numbers: Range<Int>
    package var kinds: EventKinds

    package init(numbers: Range<Int>, kinds: EventKinds) {
        self.numbers = numbers
        self.kinds = kinds
    }
}

extension EventHistory {
    /// Calls `body` with the stored events of those numbers, in order, one stretch at a time.
    package func forEach(in numbers: Range<Int>, _ body: (EventStretch) -> Void) {
        var next = max(numbers.lowerBound, self.numbers.lowerBound)
        let end = min(numbers.upperBound, self.numbers.upperBound)
        while next < end {
            let stretch = stretch(at: next).limited(to: next..<end)
            body(stretch)
            next = stretch.numbers.upperBound
        }
    }
}

/// Consecutive events of a trace.
package struct EventStretch: Sendable {
    /// The number of the first event, from 1.
    package var first: Int
    package var events: [TaskEvent]
    /// The lane of each event.
    package var lanes: [UInt16]

    package init(first: Int, events: [TaskEvent], lanes: [UInt16]) {
        precondition(events.count == lanes.count, "\(events.count) events in \(lanes.count) lanes")
        self.first = first
        self.events = events
        self.lanes = lanes
    }

    package var numbers: Range<Int> { first..<(first + events.count) }
}

extension EventStretch {
    /// The part of the stretch within `limits`.
    package func limited(to limits: Range<Int>) -> EventStretch {
        let kept = numbers.clamped(to: limits)
        guard kept != numbers else { return self }
        let part = (kept.lowerBound - first)..<(kept.upperBound - first)
        return EventStretch(first: kept.lowerBound, events: Array(events[part]), lanes: Array(lanes[part]))
    }
}
