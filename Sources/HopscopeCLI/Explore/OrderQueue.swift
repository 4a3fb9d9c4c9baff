/// The orders of a search, which run several at once and end one after the other, in their order.
struct OrderQueue {
    /// An order that has ended. Its record is the process's last one.
    struct Ended {
        let settings: OrderSettings
        let seed: UInt64
        let outcome: OrderOutcome
    }

    private let process: ExploredProcess
    private let most: Int
    private let describe: (_ order: Int) -> (OrderSettings, seed: UInt64)
    /// The orders that run at once.
    private var width: Int
    /// The number of the last order that was started.
    private var started = 0

    /// - Parameters:
    ///   - isAlone: whether orders run one at a time, as those must whose programs have to do with others.
    ///   - most: the number of the last order.
    ///   - describe: the settings and the seed of an order.
    init(
        _ process: ExploredProcess, isAlone: Bool, most: Int, describe: @escaping (_ order: Int) -> (OrderSettings, seed: UInt64)
    ) {
        self.process = process
        self.most = most
        self.describe = describe
        width = isAlone ? 1 : process.meeting.slots
    }

    /// Waits for the end of the order behind one. If it fails, no other one runs any more.
    mutating func next(after last: Int) throws(UserError) -> Ended {
        let order = last + 1
        started = max(started, last)
        while started < min(most, last + width) {
            started += 1
            let (settings, seed) = describe(started)
            try process.start(started % width, settings, seed: seed)
        }
        let (settings, seed) = describe(order)
        var outcome = try process.end(of: order % width)
        if width > 1, outcome.ending.isFailure {
            while started > order {
                _ = try? process.end(of: started % width)
                started -= 1
            }
            // Orders that write one file, for example, may disturb each other.
            let alone = try process.run(settings, seed: seed)
            if alone.hash != outcome.hash || alone.ending != outcome.ending { width = 1 }
            outcome = alone
        }
        return Ended(settings: settings, seed: seed, outcome: outcome)
    }
}
