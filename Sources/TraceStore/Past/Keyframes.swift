/// States of a trace as of some of its events. Every other state is a short fold away from one of them.
///
/// Keyframes share the pages of their tables with one another and with the latest state, so a keyframe costs the pages that have changed
/// since the previous one. When all keyframes together exceed the budget, every other one is removed and the interval doubles. One keyframe
/// always stays: it costs at most a copy of all tables.
struct Keyframes: ~Copyable {
    /// The state of a trace after `number` events.
    final class Frame {
        let number: Int
        let fold: Fold
        private let retention: Retention?

        init(number: Int, fold: borrowing Fold, retention: Retention? = nil) {
            self.number = number
            self.fold = Fold(copying: fold)
            self.retention = retention
        }

        /// A state that can be folded on from here.
        func state() -> Fold { Fold(copying: fold, retention: retention) }
    }

    private(set) var frames: [Frame] = [] {
        didSet { bytesBeside = zip(frames, frames.dropFirst()).reduce(0) { $0 + $1.0.fold.bytesBeside(notIn: $1.1.fold) } }
    }
    /// Bytes of the keyframes' jobs and waits, which are outside the tables' pages.
    private var bytesBeside = 0
    private(set) var interval: Int
    /// The largest interval. Once it is reached, exceeding the budget removes the oldest keyframe instead.
    private let longestInterval: Int
    /// The largest size of the pages that only keyframes use, in bytes.
    private let budget: Int
    /// The limit of the past of the states that are folded from a keyframe; nil for the keyframe's own.
    private let retention: Retention?

    init(interval: Int, longestInterval: Int = .max, budget: Int, retention: Retention? = nil) {
        self.interval = interval
        self.longestInterval = longestInterval
        self.budget = budget
        self.retention = retention
    }

    /// Keeps the state after `number` events if it is far enough from the last keyframe. In any case, removes keyframes that have become
    /// too large: the latest state has replaced pages that it shared with them.
    mutating func note(_ fold: borrowing Fold, number: Int) {
        if frames.last.map({ number >= $0.number + interval }) ?? true {
            frames.append(Frame(number: number, fold: fold, retention: retention))
        }
        while frames.count > 1, fold.memory.bytes - fold.tableBytes + bytesBeside > budget { thin() }
    }

    /// The last keyframe at or before `number`.
    func last(by number: Int) -> Frame? {
        last { $0.number <= number }
    }

    func last(where isMeant: (Frame) -> Bool) -> Frame? {
        frames.last(where: isMeant)
    }

    /// Removes keyframes before `number`. The events that follow them are gone, so no state can be reached from them.
    mutating func forget(before number: Int) {
        guard let first = frames.first, first.number < number else { return }
        frames.removeAll { $0.number < number }
    }

    private mutating func thin() {
        guard interval <= longestInterval / 2 else {
            frames.removeFirst()
            return
        }
        interval *= 2
        frames = frames.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    }
}

extension Fold {
    /// Bytes outside the tables' pages that this state does not share with a later one: jobs, and each executor's waits.
    fileprivate borrowing func bytesBeside(notIn later: borrowing Fold) -> Int {
        var bytes = lanes.jobs.bytesUnshared(with: later.lanes.jobs)
        for number in executors.used { bytes += executors.find(number)?.pointee.waits.bytes ?? 0 }
        return bytes
    }
}
