/// States of a trace as of some of its events, from which every other is a short fold away.
///
/// They share the pages of their tables with one another and with the latest state, so that one costs what has changed since the one
/// before. When all together cost more than the budget, every other one goes, and from then on they are twice as far apart.
struct Keyframes: ~Copyable {
    /// One state, that of a trace after so many events.
    final class Frame {
        let number: Int
        let fold: Fold

        init(number: Int, fold: borrowing Fold) {
            self.number = number
            self.fold = Fold(copying: fold)
        }
    }

    private(set) var frames: [Frame] = []
    private(set) var interval: Int
    /// Frames are never further apart; past the budget the oldest goes instead.
    private let longestInterval: Int
    /// Bytes of pages that only keyframes have.
    private let budget: Int

    init(interval: Int, longestInterval: Int = .max, budget: Int) {
        self.interval = interval
        self.longestInterval = longestInterval
        self.budget = budget
    }

    /// Keeps the state after `number` events, if that is far enough from the last one that was kept.
    mutating func note(_ fold: borrowing Fold, number: Int) {
        if let last = frames.last, number < last.number + interval { return }
        frames.append(Frame(number: number, fold: fold))
        while frames.count > 2, fold.memory.bytes - fold.tableBytes > budget { thin() }
    }

    /// The last one that is not after `number`.
    func last(by number: Int) -> Frame? {
        frames.last { $0.number <= number }
    }

    /// Forgets those from which nothing can be reached, because the events after them before `number` are gone.
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
