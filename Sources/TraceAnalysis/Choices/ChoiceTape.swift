import TaskEvents
import TraceStore
import TraceTransport

/// The choices that `hopscope explore` made in a trace, in their order.
package struct ChoiceTape: Sendable {
    /// Something that could run at a choice.
    package struct Candidate: Hashable, Sendable {
        /// 0 for what is no task.
        package let task: TaskID
        /// The number of the task, block or thread, which is the same in every order of the program. 0 for several at once.
        package let strand: UInt32
        /// Its name if it is no task, and the place where it goes on.
        package let label: EntryID
        package let manner: ChoiceManner

        /// Time passes: a timer fires early.
        package var isTime: Bool { strand == 2 }
    }

    package struct Choice: Hashable, Sendable {
        /// Its number in the order, from 1.
        package let number: Int
        /// The number of its last event, and the time of that.
        package let event: Int
        package let time: UInt64
        /// The chosen one first, then the one that came first, if that is another one.
        package let candidates: [Candidate]

        package var chosen: Candidate { candidates[0] }
        package var deviates: Bool { chosen.manner == .instead }
    }

    package private(set) var choices: [Choice] = []
    private var others: (number: Int, candidates: [Candidate]) = (0, [])
    private var next = 1

    package init() {}

    /// The tape of a whole trace.
    package init(_ history: TraceHistory) {
        while !isComplete(history) { readOn(history, limit: .max) }
    }

    package func isComplete(_ history: TraceHistory) -> Bool { next > history.eventCount }

    package func choice(at index: Int) -> Choice? { choices.indices.contains(index) ? choices[index] : nil }

    package var deviationCount: Int { choices.count(where: \.deviates) }

    /// Reads about `limit` events further, or passes over as many stretches without a choice.
    package mutating func readOn(_ history: TraceHistory, limit: Int) {
        var left = limit
        next = max(next, history.firstKept)
        while left > 0, next <= history.eventCount {
            guard let stretch = history.stretch(at: next, withAny: EventKinds(.choice)) else { return }
            let end = min(stretch.numbers.upperBound, left < stretch.numbers.upperBound - next ? next + left : .max)
            if let events = stretch.events {
                for number in next..<end { take(events.events[number - events.first], number) }
                left -= end - next
                next = end
            } else {
                left -= 1
                next = stretch.numbers.upperBound
            }
        }
    }

    private mutating func take(_ event: TaskEvent, _ number: Int) {
        guard event.kind == .choice, let manner = ChoiceManner(rawValue: event.detail) else { return }
        let candidate = Candidate(task: event.task, strand: event.strand, label: event.label, manner: manner)
        // Records that were lost leave a choice without its end.
        if others.number != event.choiceNumber { others = (event.choiceNumber, []) }
        guard manner.isChosen else { return others.candidates.append(candidate) }
        choices.append(
            Choice(number: event.choiceNumber, event: number, time: event.time, candidates: [candidate] + others.candidates))
        others = (0, [])
    }

    /// The index of the last choice up to an event. Nil before the first one.
    package func index(upTo event: Int) -> Int? {
        let after = choices.partitioningIndex { $0.event > event }
        return after > 0 ? after - 1 : nil
    }

    /// The index of the first choice at which something else ran than on the other tape. Nil if one tape is the beginning of the other.
    package func parting(from other: ChoiceTape) -> Int? {
        zip(choices, other.choices).enumerated().first { $1.0.chosen.strand != $1.1.chosen.strand }?.offset
    }
}
