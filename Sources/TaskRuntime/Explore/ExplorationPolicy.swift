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
    /// After so many ticks without a step, an order does not end in time.
    static let longest = 1_000
    /// After so many ticks in which the running thread sleeps, another one runs.
    static let asleep = 5
    /// After so many ticks in which a job has not begun on its executor, which may be suspended or busy with other work, another one runs.
    static let unbegun = 100
    /// After so many ticks without a thread that runs, time passes, and nothing will come from outside.
    static let quiet = 5
    static let silent = 50

    var policy: ExplorationPolicy
    /// How early a timer may fire, as if other work took longer.
    var early: Duration
    /// The choices among which the priorities change.
    var length = 200
}
