/// An order in which the jobs of a body ran, as the choices that differ from first come, first served. Its text can be kept and replayed.
///
/// A strand is the body, a task's job, a Swift task or a timer. Its number follows from its maker and from how many things that made before,
/// so it is the same in every order.
public struct ChainOrder: Sendable, Hashable, LosslessStringConvertible {
    /// One choice: at its nth point, the strand is followed by `next`.
    struct Deviation: Sendable, Hashable {
        let strand: UInt32
        let point: UInt32
        let next: UInt32
    }

    /// The failure to which the order led, such as `deadlock`, in the words of its text.
    public let failure: String
    /// The number that determined the order when it was found.
    public let seed: UInt64
    /// How early timers may fire in it.
    let early: Duration
    let deviations: [Deviation]
    /// The choices in words.
    private let notes: [String]

    private static let title = "hopscope chain order 1"

    init(_ ending: OrderedEnding, _ settings: OrderedSettings, seed: UInt64, _ deviations: [Deviation], notes: [String]) {
        failure = ending.word
        self.seed = seed
        early = settings.early
        self.deviations = deviations
        self.notes = notes
    }

    /// Reads an order's text. Nil if it is no order that this version can read.
    public init?(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.split(separator: " ") }
        guard lines.first?.joined(separator: " ") == Self.title else { return nil }
        var (failure, seed, early, deviations) = ("", UInt64(0), UInt64(0), [Deviation]())
        for words in lines.dropFirst() where words.first != "#" {
            let numbers = words.dropFirst().compactMap { UInt64($0) }
            switch (words.first, numbers.count) {
            case ("failure", _): failure = words.dropFirst().joined(separator: " ")
            case ("seed", 1): seed = numbers[0]
            case ("early", 1): early = numbers[0]
            case ("choice", 3):
                let small = numbers.compactMap { UInt32(exactly: $0) }
                guard small.count == 3 else { return nil }
                deviations.append(Deviation(strand: small[0], point: small[1], next: small[2]))
            case _: return nil
            }
        }
        self.failure = failure
        self.seed = seed
        self.early = .nanoseconds(Int64(clamping: early))
        self.deviations = deviations
        notes = []
    }

    /// The order as a small text: a word a line, and one line for each choice.
    public var description: String {
        var lines = [Self.title, "failure \(failure)", "seed \(seed)", "early \(early.nanoseconds)"]
        lines.append("# choice STRAND POINT NEXT: at its nth point, the strand is followed by the next one")
        lines += notes.map { "# \($0)" }
        lines += deviations.map { "choice \($0.strand) \($0.point) \($0.next)" }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// The result of an exploration that found no failing order. It does not say that the body is correct.
public struct ExplorationResult: Sendable, Hashable, CustomStringConvertible {
    /// The orders that were tried.
    public internal(set) var orders = 0
    /// The choices in all of them.
    public internal(set) var choices = 0
    /// The events that came from threads outside of the orders. If there are any, a seed need not give the same order again.
    public internal(set) var eventsFromOutside = 0
    /// The failures that did not come again in a replay. They are no orders.
    public internal(set) var unconfirmed = 0
    /// The orders that had more than 100,000 steps, so that nothing is known of their end.
    public internal(set) var cutShort = 0

    /// The numbers in words.
    public var description: String {
        (["No order of \(orders) failed (\(choices) choices)."] + limits).joined(separator: " ")
    }

    var limits: [String] {
        var lines: [String] = []
        if eventsFromOutside > 0 { lines.append("Not exact: \(eventsFromOutside) events came from outside of the orders.") }
        if unconfirmed > 0 { lines.append("\(unconfirmed) failures did not come again in a replay; they are no orders.") }
        if cutShort > 0 { lines.append("\(cutShort) orders were cut short: \(OrderedEnding.cutShort.sentence).") }
        return lines
    }
}

/// An order in which a body fails. It was replayed, and has as few choices as the failure needs.
public struct FailingChainOrder: Error, CustomStringConvertible {
    /// The order, to be kept and replayed.
    public let order: ChainOrder
    /// How the body fails, as a sentence.
    public let failure: String
    /// The number of orders that were tried, this one included.
    public let number: Int
    /// How many replays failed in the same way.
    public let sameReplays: Int
    /// How many replays were made.
    public let replays: Int
    /// Each choice that differs from first come, first served, in words.
    public let steps: [String]
    /// What the failure needs besides the choices; nil if nothing.
    public let condition: String?
    /// What was tried until then.
    public let result: ExplorationResult

    /// Whether the body may never end, so that its threads keep what it has.
    package var leavesBody: Bool { [OrderedEnding.deadlock.word, OrderedEnding.hang.word].contains(order.failure) }

    /// All of it in words, with the order's text.
    public var description: String {
        var lines = ["Fails in order \(number) (seed \(order.seed)): \(failure). \(sameReplays) of \(replays) replays fail alike."]
        if steps.isEmpty {
            lines.append("  It fails first come, first served.")
        } else {
            lines.append("  \(steps.count) \(steps.count == 1 ? "choice differs" : "choices differ") from first come, first served:")
            lines += steps.enumerated().map { "  \($0.offset + 1)  \($0.element)" }
        }
        if let condition { lines.append("  \(condition)") }
        lines += result.limits.map { "  \($0)" }
        return lines.joined(separator: "\n") + "\n\(order)"
    }
}
