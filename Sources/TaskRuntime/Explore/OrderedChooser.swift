/// Makes the choices of one order.
struct OrderedChooser {
    /// Decides which of the strands that can run does.
    enum Way {
        case seed(UInt64)
        case plan([ChainOrder.Deviation])
    }

    /// The strands that can run, the usual one first.
    struct Candidates {
        /// The strands' indices; ``time`` for the passing of time.
        var strands: [Int] = []
        /// Whether the first one is running already.
        var hasCurrent = false
        var hasTime = false

        /// Stands for the passing of time, by which a timer fires early. It is the last candidate.
        static let time = -1
    }

    private let way: Way
    private let policy: ExplorationPolicy
    private var chance: UInt64
    /// The numbers of the choices at which a strand's priority becomes low.
    private var changes: [Int] = []
    private var priorities: [Int: UInt64] = [:]
    private var timePriority: (fired: Int, priority: UInt64) = (-1, 0)
    private var count = 0
    /// The strand that has waited for the longest, and how many choices have passed over it in a row.
    private var waiting: (strand: Int, passed: Int) = (Candidates.time, 0)
    private var highest: UInt64 = 1 << 63

    private static let mostPassed = 200

    init(_ way: Way, _ settings: OrderedSettings) {
        self.way = way
        policy = settings.policy
        chance = 0
        guard case .seed(let seed) = way else { return }
        chance = seed &* 0x2545_f491_4f6c_dd1d &+ 1
        if case .pct(let depth) = policy {
            for _ in 1..<max(1, min(depth, 16)) { changes.append(Int(random() % UInt64(max(1, settings.length)))) }
        }
    }

    /// SplitMix64.
    private mutating func random() -> UInt64 {
        chance &+= 0x9e37_79b9_7f4a_7c15
        var mixed = chance
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Picks one of at least two candidates.
    ///
    /// - Parameters:
    ///   - runner: the number of the strand after which it is chosen, and how many points that has had.
    ///   - fired: how many timers have fired, since each has a priority of its own.
    ///   - number: the number of a candidate that is the same in every order.
    mutating func pick(
        _ among: Candidates, after runner: (strand: UInt32, point: UInt32), fired: Int, number: (Int) -> UInt32
    ) -> Int {
        defer { count += 1 }
        switch (way, policy) {
        case (.plan(let deviations), _):
            guard let deviation = deviations.first(where: { $0.strand == runner.strand && $0.point == runner.point }) else { return 0 }
            return among.strands.firstIndex { number($0) == deviation.next } ?? 0
        case (.seed, .fifo): return 0
        case (.seed, .random): return pickByChance(among)
        case (.seed, .pct): return pickByPriority(among, fired)
        }
    }

    private mutating func pickByPriority(_ among: Candidates, _ fired: Int) -> Int {
        for (index, change) in changes.enumerated() where change == count && among.strands[0] != Candidates.time {
            priorities[among.strands[0]] = UInt64(index + 1)
        }
        var best = (index: 0, priority: UInt64(0))
        for (index, strand) in among.strands.enumerated() {
            let priority = priority(of: strand, fired)
            if priority > best.priority { best = (index, priority) }
        }
        return fairly(best.index, among)
    }

    /// The choice, or the strand that was passed over so often that the others may wait for it in a loop. It then goes before all others.
    private mutating func fairly(_ picked: Int, _ among: Candidates) -> Int {
        let longest = among.hasCurrent ? 1 : 0
        let strand = among.strands[longest]
        waiting = (strand, picked == longest || strand != waiting.strand ? 0 : waiting.passed + 1)
        guard waiting.passed >= Self.mostPassed, strand != Candidates.time else { return picked }
        waiting.passed = 0
        highest += 1
        priorities[strand] = highest
        return longest
    }

    private mutating func priority(of strand: Int, _ fired: Int) -> UInt64 {
        if strand == Candidates.time {
            if timePriority.fired != fired { timePriority = (fired, newPriority()) }
            return timePriority.priority
        }
        if let known = priorities[strand] { return known }
        let new = newPriority()
        priorities[strand] = new
        return new
    }

    private mutating func newPriority() -> UInt64 { 1_000 + random() >> 2 }

    private mutating func pickByChance(_ among: Candidates) -> Int {
        let plain = among.strands.count - (among.hasTime ? 1 : 0)
        if among.hasCurrent {
            // Mostly the thread goes on: there are many more such points than ends of jobs.
            if plain < 2 || random() % 4 != 0 { return among.hasTime && random() % 32 == 0 ? plain : 0 }
            return 1 + Int(random() % UInt64(plain - 1))
        }
        if among.hasTime, plain == 0 || random() % 16 == 0 { return plain }
        return Int(random() % UInt64(plain))
    }
}
