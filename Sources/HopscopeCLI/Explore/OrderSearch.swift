import CExploreRecord
import TaskEvents

/// A failing order that was found, confirmed and made short.
struct FailingOrder {
    /// The number of orders that were tried, this one included, and its seed.
    let number: Int
    let seed: UInt64
    let ending: OrderEnding
    let replays: (same: Int, all: Int)
    let plan: [OrderDeviation]
    let steps: [OrderStep]
    /// By how many nanoseconds timers fire early in it.
    let early: Int64
    let output: String
    let hash: UInt64
}

/// The search for an order in which a process fails.
struct OrderSearch {
    enum Result {
        /// The program fails when first come is first served.
        case usualFails(OrderEnding, output: String)
        case none
        case found(FailingOrder)
    }

    let process: ExploredProcess
    var settings: OrderSettings
    private let time: TimeSource
    private(set) var orders = 0
    private(set) var choices = 0
    /// Orders that failed and whose failure did not come again.
    private(set) var unconfirmed = 0
    private(set) var cutShort = 0
    private(set) var saw: UInt32 = 0
    private(set) var eventsFromOutside = 0

    init(_ process: ExploredProcess, _ settings: OrderSettings, time: TimeSource) {
        self.process = process
        self.time = time
        self.settings = settings
    }

    private mutating func run(seed: UInt64 = 0, plan: [OrderDeviation]? = nil) throws -> OrderOutcome {
        let outcome = try process.run(settings, seed: seed, plan: plan)
        saw |= outcome.saw
        eventsFromOutside += outcome.eventsFromOutside
        choices += outcome.choices
        if outcome.ending == .cutShort { cutShort += 1 }
        return outcome
    }

    /// Tries orders, until one fails, or so many have been tried, or the time is up.
    mutating func search(seed: UInt64, orders most: Int, until end: UInt64) throws -> Result {
        let usual = try run(plan: [])
        orders = 1
        guard !usual.ending.isFailure else { return .usualFails(usual.ending, output: process.output()) }
        guard settings.policy != .fifo else { return .none }
        settings.length = UInt32(max(16, usual.choices + usual.choices / 2))
        while orders < most, time.now < end {
            let seed = seed &+ UInt64(orders - 1)
            let outcome = try run(seed: seed)
            orders += 1
            guard outcome.ending.isFailure else { continue }
            let plan = process.deviations().map { OrderDeviation(strand: $0.strand, point: $0.point, next: $0.next) }
            if let found = try confirm(plan, outcome.ending, seed: seed) { return .found(found) }
            unconfirmed += 1
        }
        return .none
    }

    /// Replays a saved order. Nil if it does not fail in that way.
    mutating func replay(_ plan: [OrderDeviation], _ ending: OrderEnding, seed: UInt64) throws -> FailingOrder? {
        orders = 1
        return try reported(plan, ending, seed: seed)
    }

    private mutating func confirm(_ plan: [OrderDeviation], _ ending: OrderEnding, seed: UInt64) throws -> FailingOrder? {
        guard try run(plan: plan).ending == ending else { return nil }
        return try reported(shrunk(plan, ending), ending, seed: seed)
    }

    /// Leaves deviations out, first many and then single ones, as long as the order fails alike.
    private mutating func shrunk(_ plan: [OrderDeviation], _ ending: OrderEnding) throws -> [OrderDeviation] {
        var (kept, parts) = (plan, 2)
        while !kept.isEmpty {
            let size = (kept.count + parts - 1) / parts
            var smaller: [OrderDeviation]?
            for start in stride(from: 0, to: kept.count, by: size) where smaller == nil {
                let rest = Array(kept[..<start] + kept[min(start + size, kept.count)...])
                if try run(plan: rest).ending == ending { smaller = rest }
            }
            if let smaller {
                (kept, parts) = (smaller, max(2, parts - 1))
            } else {
                guard size > 1 else { break }
                parts = min(parts * 2, kept.count)
            }
        }
        return kept
    }

    private mutating func reported(_ plan: [OrderDeviation], _ ending: OrderEnding, seed: UInt64) throws -> FailingOrder? {
        let replays = 20
        var same = 0
        for _ in 0..<replays - 1 where try run(plan: plan).ending == ending { same += 1 }
        let last = try run(plan: plan)
        guard last.ending == ending else { return nil }
        let deviations = process.deviations()
        return FailingOrder(
            number: orders, seed: seed, ending: ending, replays: (same + 1, replays), plan: plan,
            steps: OrderStep.all(deviations, process.strands(), program: process.program), early: deviations.map(\.early).reduce(0, +),
            output: process.output(), hash: last.hash)
    }
}
