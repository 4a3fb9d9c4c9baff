import CExploreRecord
import Hopscope
import TaskEvents
import TraceReport

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
    /// The finding of a rule, for an order that fails by one.
    let finding: String?
}

/// The rules whose findings are failures.
struct OrderRules {
    let recording: OrderRecording
    let failOn: FailOn

    /// The findings of these rules in an order's trace.
    func findings(_ plan: [OrderDeviation], _ settings: OrderSettings) throws -> [ReportedFinding] {
        try recording.findings(plan, settings, failOn)
    }
}

/// The search for an order in which a process fails.
struct OrderSearch {
    enum Result {
        /// The process has run no test, although it was started to run tests.
        case noTest
        /// The program fails when first come is first served. `isCertain`: in real time, too.
        case usualFails(OrderEnding, output: String, isCertain: Bool)
        case none
        case found(FailingOrder)
    }

    let process: ExploredProcess
    private(set) var settings: OrderSettings
    private let time: TimeSource
    private let rules: OrderRules?
    private let progress: SearchProgress
    private var state = SearchState()
    /// The orders that the rules have judged.
    private var judged: Set<UInt64> = []
    private(set) var orders: Int {
        get { state.orders }
        set { state.orders = newValue }
    }
    var choices: Int { state.choices }
    /// Orders that failed and whose failure did not come again.
    var unconfirmed: Int { state.unconfirmed }
    /// Orders whose failure came only because virtual time did not wait for what came from outside.
    private(set) var hasty = 0
    /// Failures in virtual time whose orders would take too long in real time.
    private(set) var slow = 0
    /// Orders of whose end nothing is known, because they had too many choices or took too long.
    private(set) var cutShort = 0
    private(set) var isUsualCutShort = false
    /// The end of the usual order in virtual time, if it fails there and not in real time. The others are then tried in real time.
    private(set) var virtualEnding: OrderEnding?
    private(set) var saw: UInt32 = 0
    private(set) var eventsFromOutside = 0
    /// Why the system let no further order run; nil if it let all of them.
    private(set) var refusal: UserError?
    /// The failing order that is being made short, as far as it is known.
    private var confirmed: FailingOrder?

    /// Whether the process is one that runs tests.
    private let isOfTests: Bool

    /// - Parameter rules: the rules whose findings are failures; nil for none.
    init(
        _ process: ExploredProcess, _ settings: OrderSettings, rules: OrderRules?, isOfTests: Bool, progress: SearchProgress,
        time: TimeSource
    ) {
        self.process = process
        self.isOfTests = isOfTests
        self.rules = rules
        self.time = time
        self.settings = settings
        self.progress = progress
        state.program = process.name
    }

    private mutating func run(seed: UInt64 = 0, plan: [OrderDeviation]? = nil) throws -> OrderOutcome {
        noted(try process.run(settings, seed: seed, plan: plan))
    }

    private mutating func noted(_ outcome: OrderOutcome) -> OrderOutcome {
        saw |= outcome.saw
        eventsFromOutside += outcome.eventsFromOutside
        state.choices += outcome.choices
        state.runs += 1
        progress.show(state)
        return outcome
    }

    /// Runs an order of a plan, and has the rules judge it if it ends well. Each order is judged once.
    private mutating func judge(_ plan: [OrderDeviation], _ outcome: OrderOutcome) throws -> OrderEnding {
        guard let rules, outcome.ending == .exited(0), judged.insert(outcome.hash).inserted else { return outcome.ending }
        return try rules.findings(plan, settings).first.map { .finding(rule: $0.rule) } ?? outcome.ending
    }

    /// Whether an order of a plan ends in that way.
    private mutating func ends(_ plan: [OrderDeviation], _ ending: OrderEnding) throws -> Bool {
        let outcome = try run(plan: plan)
        guard case .finding(let rule) = ending, let rules else { return outcome.ending == ending }
        return try outcome.ending == .exited(0) && rules.findings(plan, settings).contains { $0.rule == rule }
    }

    /// Tries orders until one fails, `most` have been tried, or the time is up. If the system refuses an order, the result is what was found.
    mutating func search(seed: UInt64, orders most: Int, until end: UInt64) throws -> Result {
        do {
            return try tryOrders(seed: seed, most, until: end)
        } catch let error as UserError {
            guard process.refusal != nil, orders > 0 else { throw error }
            refusal = error
            return confirmed.map { .found($0) } ?? .none
        }
    }

    private mutating func tryOrders(seed: UInt64, _ most: Int, until end: UInt64) throws -> Result {
        let usual = try run(plan: [])
        if isOfTests, usual.ending == .exited(Self.noTests) || process.hasRunNoTest { return .noTest }
        orders = 1
        isUsualCutShort = usual.ending == .cutShort
        if isUsualCutShort { cutShort = 1 }
        let usually = try judge([], usual)
        if usually.isFailure, let failed = try confirmUsual(usually) { return failed }
        guard settings.policy != .fifo else { return .none }
        let coarse = Self.length(usual)
        settings.isFine = true
        let fine = Self.length(try run(plan: []))
        var queue = OrderQueue(process, isAlone: isAlone, most: most) { [settings] order in
            var settings = settings
            settings.isFine = fine > coarse && (order - 1) % Self.fineEvery == 0
            settings.length = settings.isFine ? fine : coarse
            return (settings, seed &+ UInt64(order - 2))
        }
        while orders < most, time.now < end, !progress.isStopped {
            let next = try queue.next(after: orders)
            settings = next.settings
            let (outcome, seed) = (noted(next.outcome), next.seed)
            orders += 1
            if outcome.ending == .cutShort { cutShort += 1 }
            guard outcome.ending.isFailure || rules != nil else { continue }
            let plan = process.deviations().map { OrderDeviation(strand: $0.strand, point: $0.point, next: $0.next) }
            let ending = try judge(plan, outcome)
            guard ending.isFailure else { continue }
            state.failures += 1
            if let found = try confirm(plan, ending, seed: seed) { return .found(found) }
            confirmed = nil
            state.phase = .searching
        }
        return .none
    }

    /// Runs the usual order in real time, too, if it fails in virtual time: the program may measure time, or await something from outside
    /// for longer than virtual time leaves it. Nil if it does not fail there. The search goes on in real time then.
    private mutating func confirmUsual(_ ending: OrderEnding) throws -> Result? {
        let output = process.output()
        if case .finding = ending { return .usualFails(ending, output: output, isCertain: true) }
        guard !settings.isRealTime else { return .usualFails(ending, output: output, isCertain: true) }
        settings.isRealTime = true
        let real = try run(plan: []).ending
        switch real {
        // It may need longer than an order may take.
        case .hang, .cutShort: return .usualFails(ending, output: output, isCertain: ending == .deadlock || real == ending)
        case _ where real.isFailure: return .usualFails(real, output: process.output(), isCertain: true)
        case _:
            virtualEnding = ending
            return nil
        }
    }

    /// Whether orders run one at a time: what comes from outside may be meant for one of them, and the rules have each recorded.
    private var isAlone: Bool { rules != nil || settings.isRealTime || saw != 0 || eventsFromOutside > 0 }

    /// The exit status of a process of Swift Testing that has no tests.
    private static let noTests: Int32 = 69

    /// One order in three is fine: it has many more points, of which few matter.
    private static let fineEvery = 3

    private static func length(_ usual: OrderOutcome) -> UInt32 {
        UInt32(max(16, usual.choices + usual.choices / 2))
    }

    /// Replays a saved order. Nil if it does not fail in that way.
    mutating func replay(_ plan: [OrderDeviation], _ ending: OrderEnding, seed: UInt64) throws -> FailingOrder? {
        orders = 1
        return try reported(plan, ending, seed: seed)
    }

    private mutating func confirm(_ plan: [OrderDeviation], _ ending: OrderEnding, seed: UInt64) throws -> FailingOrder? {
        guard try ends(plan, ending) else {
            state.unconfirmed += 1
            return nil
        }
        confirmed = order(plan, ending, seed: seed, replays: (1, 1))
        var isTooSlow = false
        let (short, foundAt) = try shortest(shrunk(plan, ending), ending, seed: seed)
        for (candidate, seed) in [(short, foundAt), (plan, seed)] {
            guard let fails = try failsInPatience(candidate, ending) else {
                isTooSlow = true
                continue
            }
            guard fails else { continue }
            let found = try reported(candidate, ending, seed: seed)
            if found == nil { state.unconfirmed += 1 }
            return found
        }
        if isTooSlow { slow += 1 } else { hasty += 1 }
        return nil
    }

    /// Whether an order also fails if virtual time leaves what comes from outside as much time as real time does. Nil if the order then
    /// takes longer than an order may.
    private mutating func failsInPatience(_ plan: [OrderDeviation], _ ending: OrderEnding) throws -> Bool? {
        guard try run(plan: plan).wasHasty, !settings.isRealTime else { return true }
        settings.isPatient = true
        defer { settings.isPatient = false }
        if try ends(plan, ending) { return true }
        let patient = try run(plan: plan).ending
        return patient == .hang || patient == .cutShort ? nil : false
    }

    /// The deviations without those that the failure does not need.
    private mutating func shrunk(_ plan: [OrderDeviation], _ ending: OrderEnding) throws -> [OrderDeviation] {
        var shortening = Shortening(plan)
        while let candidate = shortening.candidate, !progress.isStopped {
            state.phase = .shortening(choices: shortening.kept.count)
            shortening.note(failed: try ends(candidate, ending))
        }
        return shortening.kept
    }

    /// The shortest order that fails alike, among the one that was found at `seed` and those of some later seeds, if it is long.
    private mutating func shortest(
        _ plan: [OrderDeviation], _ ending: OrderEnding, seed: UInt64
    ) throws -> (plan: [OrderDeviation], seed: UInt64) {
        var best = (plan: plan, seed: seed)
        // A rule judges a recording, and that takes too long for many orders.
        guard rules == nil else { return best }
        for next in 1...Self.laterSeeds where best.plan.count > Self.short && !progress.isStopped {
            let seed = seed &+ UInt64(next)
            guard try run(seed: seed).ending == ending else { continue }
            let plan = process.deviations().map { OrderDeviation(strand: $0.strand, point: $0.point, next: $0.next) }
            let shorter = try shrunk(plan, ending)
            if shorter.count < best.plan.count, try ends(shorter, ending) { best = (shorter, seed) }
        }
        return best
    }

    /// An order of that many choices is short, and for a longer one that many later orders are tried.
    private static let (short, laterSeeds) = (5, 24)

    private mutating func reported(_ plan: [OrderDeviation], _ ending: OrderEnding, seed: UInt64) throws -> FailingOrder? {
        let replays = 20
        var same = 0
        for _ in 0..<replays - 1 where try ends(plan, ending) { same += 1 }
        let last = try run(plan: plan)
        let finding = last.ending == .exited(0) ? try rules?.findings(plan, settings).first { ending == .finding(rule: $0.rule) } : nil
        guard last.ending == ending || finding != nil else { return nil }
        let words = finding.map { "\($0.rule): \($0.message)" }
        return order(plan, ending, seed: seed, replays: (same + 1, replays), finding: words)
    }

    /// The order of which the last run was one.
    private func order(
        _ plan: [OrderDeviation], _ ending: OrderEnding, seed: UInt64, replays: (same: Int, all: Int), finding: String? = nil
    ) -> FailingOrder {
        let deviations = process.deviations()
        return FailingOrder(
            number: orders, seed: seed, ending: ending, replays: replays, plan: plan,
            steps: OrderStep.all(deviations, process.strands(), program: process.program), early: deviations.map(\.early).reduce(0, &+),
            output: process.output(), finding: finding)
    }
}
