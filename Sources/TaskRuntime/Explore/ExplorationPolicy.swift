import TaskEvents

/// The way in which orders are chosen.
public enum ExplorationPolicy: Sendable, Hashable {
    /// By priorities of the strands, which change at `depth - 1` random places. `depth` is the number of ordered steps that a failure may
    /// need, from 1 to 16.
    case pct(depth: Int)
    /// Each choice by chance.
    case random
    /// First come, first served: one order, the usual one.
    case fifo
}

/// What all orders of a search have in common.
struct OrderedSettings: Sendable {
    /// The steps that an order may have, and those that it may have after the body has ended.
    static let mostSteps = 100_000
    static let mostStepsAfterwards = 10_000
    static let ticksPerSecond = 100
    // All of these are ticks of `OrderedPatience`.
    /// Without a step, after which the threads are looked at.
    static let firstLook = 4
    static let lookEvery = 10
    /// Without a step, after which an order does not end in time.
    static let longest = 1_000
    /// Of sleep, after which another thread runs instead.
    static let asleep = 5
    /// After which another job runs instead of one whose executor, suspended or busy with other work, has not begun it.
    static let unbegun = 50
    /// Without a running thread, after which time passes; nothing will come from outside then.
    static let quiet = 5
    static let silent = 50

    let clock: TimeSource
    var policy: ExplorationPolicy
    /// How early a timer may fire, as if other work took longer.
    var early: Duration
    /// The choices among which the priorities change.
    var length = 200
}
