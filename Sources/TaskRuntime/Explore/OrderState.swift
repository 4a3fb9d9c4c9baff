/// What can run in one order, and the turn. Each transition returns what to do after the lock is released.
struct OrderState {
    typealias Job = ExploredOrder.Job
    typealias Schedule = ExploredOrder.Schedule

    /// Something that can run.
    struct Item {
        enum Way {
            /// A thread that was overtaken, or whose wait is over.
            case thread(OrderedThread)
            /// A job that has not begun.
            case job(schedule: Schedule, Job)
        }

        let strand: Int
        let lane: OrderedLane?
        /// The number of a timer that has fired.
        let timer: Int?
        let way: Way
        /// The lane of a job that has to wait for room there, and how many run there at once. Nil for an item that is always free.
        let limit: (lane: ObjectIdentifier, width: Int)?

        init(strand: Int, lane: OrderedLane? = nil, timer: Int? = nil, way: Way) {
            (self.strand, self.lane, self.timer, self.way) = (strand, lane, timer, way)
            guard case .job = way, let lane, lane.width != .max else {
                limit = nil
                return
            }
            limit = (lane.id, lane.width)
        }
    }

    private struct Timer {
        let due: Duration
        let number: Int
        let strand: Int
        let action: Job
    }

    /// A choice that was made.
    struct Choice {
        let deviation: ChainOrder.Deviation
        let picked: Int
        let next: String
        let usual: String
        let runner: String
        /// The line at which the runner was overtaken; nil if its job had ended, or waits.
        let here: OrderedSite?
        let isOvertaken: Bool
        /// By how much a timer fires early; nil for another choice.
        let early: Duration?
    }

    enum Step {
        /// The calling thread keeps the turn.
        case goOn
        /// That thread has the turn.
        case wake(OrderedThread)
        /// The job begins, with that thread.
        case begin(Item, OrderedThread)
        /// Nothing can run now, but something from outside may come.
        case idle
        /// Nothing can run, and no timer is set.
        case stuck
        /// The order has too many steps.
        case tooLong
    }

    var strands = OrderedStrands()
    private var chooser: OrderedChooser
    private let early: Duration
    private(set) var choices: [Choice] = []
    private var ready: [Item] = []
    private var timers: [Timer] = []
    private var now = Duration.zero
    private var timerCount = 0
    private var fired = 0
    /// How many jobs of a lane are running.
    private var running: [ObjectIdentifier: Int] = [:]
    /// How many jobs of the program's own executors have not begun.
    private var expected: [ObjectIdentifier: (lane: OrderedLane, count: Int)] = [:]
    /// The thread that has the turn.
    private(set) var holder: OrderedThread?
    private var threads: [UInt: OrderedThread] = [:]
    /// Threads that sleep in a call of their own, and gave up the turn.
    private var strayed = 0
    private(set) var steps = 0
    private var stepsOfBody: Int?
    var outside = 0
    private(set) var isOver = false
    private(set) var failure: OrderedEnding?
    private(set) var ending = OrderedEnding.passed

    init(_ way: OrderedChooser.Way, _ settings: OrderedSettings) {
        chooser = OrderedChooser(way, settings)
        early = settings.early
    }

    // MARK: Threads

    /// The thread of this order that the calling thread is; nil if it is outside of the order.
    func thread(_ id: UInt) -> OrderedThread? { threads[id] }

    /// The strand of the calling thread.
    func strand(_ id: UInt) -> Int { threads[id]?.strand ?? OrderedStrands.outside }

    mutating func began(_ thread: OrderedThread, _ id: UInt, _ kernelNumber: Int32) {
        thread.kernelNumber = kernelNumber
        threads[id] = thread
    }

    /// Ends a thread's job. Returns whether it had the turn.
    mutating func ended(_ thread: OrderedThread, _ id: UInt) -> Bool {
        threads[id] = nil
        if let lane = thread.lane { running[lane.id, default: 1] -= 1 }
        if holder === thread {
            holder = nil
            return true
        }
        strayed -= 1
        return false
    }

    /// The thread that has the turn sleeps in a call that the search does not see, or has not begun.
    mutating func stray() {
        holder = nil
        strayed += 1
        outside += 1
    }

    /// A thread that had strayed wants a turn again.
    mutating func comesBack(_ thread: OrderedThread) {
        strayed -= 1
        ready.append(Item(strand: thread.strand, lane: thread.lane, way: .thread(thread)))
    }

    /// A thread begins a job of the program's own executor, and wants a turn.
    mutating func arrives(_ thread: OrderedThread, _ id: UInt, _ kernelNumber: Int32) {
        began(thread, id, kernelNumber)
        if let lane = thread.lane { running[lane.id, default: 0] += 1 }
        ready.append(Item(strand: thread.strand, lane: thread.lane, way: .thread(thread)))
    }

    mutating func block(_ thread: OrderedThread) {
        thread.isBlocked = true
        holder = nil
    }

    mutating func unblock(_ thread: OrderedThread) {
        guard thread.isBlocked else {
            thread.isAwake = true
            return
        }
        thread.isBlocked = false
        ready.append(Item(strand: thread.strand, lane: thread.lane, way: .thread(thread)))
    }

    // MARK: Jobs and timers

    mutating func add(_ item: Item) { ready.append(item) }

    var hasBody: Bool { strands.hasBody }

    mutating func expect(_ lane: OrderedLane) { expected[lane.id, default: (lane, 0)].count += 1 }

    mutating func expectNoMore(_ lane: OrderedLane) { expected[lane.id]?.count -= 1 }

    /// Whether a job of the program's own executor is about to begin on a thread of that.
    func awaitsArrival(_ knowledge: OrderedKnowledge) -> Bool {
        expected.values.contains { $0.count > 0 && running[$0.lane.id, default: 0] == 0 && knowledge.calls($0.lane.name) }
    }

    /// Whether a thread outside of the search's control is about to bring something.
    func hearsFromOutside(_ knowledge: OrderedKnowledge) -> Bool {
        strayed > 0 || expected.values.contains { $0.count > 0 && knowledge.calls($0.lane.name) }
    }

    mutating func addTimer(after duration: Duration, by maker: Int, _ action: @escaping Job) -> Int {
        timerCount += 1
        timers.append(Timer(due: now + max(.zero, duration), number: timerCount, strand: strands.timer(by: maker), action: action))
        return timerCount
    }

    mutating func removeTimer(_ number: Int) {
        timers.removeAll { $0.number == number }
        ready.removeAll { $0.timer == number }
    }

    private var nextDue: Duration? { timers.map(\.due).min() }

    /// Lets the first timers fire, the oldest of one time first.
    private mutating func fire(_ schedule: @escaping Schedule) {
        guard let due = nextDue else { return }
        now = max(now, due)
        fired += 1
        for timer in timers where timer.due <= now {
            ready.append(Item(strand: timer.strand, timer: timer.number, way: .job(schedule: schedule, timer.action)))
        }
        timers.removeAll { $0.due <= now }
    }

    // MARK: The end

    mutating func bodyEnded(_ ending: OrderedEnding) {
        stepsOfBody = steps
        if failure == nil, ending.isFailure { failure = ending }
    }

    mutating func fail(_ ending: OrderedEnding) {
        if failure == nil { failure = ending }
    }

    /// Ends the order. Returns what was ready and has not run.
    mutating func end(_ ending: OrderedEnding) -> [Item] {
        isOver = true
        self.ending = failure ?? ending
        holder = nil
        timers = []
        defer { ready = [] }
        return ready
    }

    /// Ends the tasks for which threads of main wait.
    var releasesOfMain: [Job] {
        threads.values.filter { $0.isBlocked && $0.lane?.isMain == true }.compactMap(\.release)
    }

    var hasBodyEnded: Bool { stepsOfBody != nil }

    // MARK: Choices

    /// The items that can run: of a lane, the first jobs that it has room for.
    private var free: [Int] {
        var (found, rooms): ([Int], [(lane: ObjectIdentifier, left: Int)]) = ([], [])
        for index in ready.indices {
            guard let limit = ready[index].limit else {
                found.append(index)
                continue
            }
            // There are few lanes, and each choice looks at all items.
            var room = 0
            while room < rooms.count, rooms[room].lane != limit.lane { room += 1 }
            if room == rooms.count { rooms.append((limit.lane, limit.width - running[limit.lane, default: 0])) }
            guard rooms[room].left > 0 else { continue }
            rooms[room].left -= 1
            found.append(index)
        }
        return found
    }

    private var isAtEnd: Bool {
        steps >= OrderedSettings.mostSteps || stepsOfBody.map { steps - $0 >= OrderedSettings.mostStepsAfterwards } == true
    }

    /// Chooses what runs next, after a strand.
    ///
    /// - Parameters:
    ///   - current: the strand's thread, if that can go on.
    ///   - silence: for how many ticks nothing comes from outside when nothing can run.
    mutating func next(
        after strand: Int, current: OrderedThread?, at site: OrderedSite? = nil, silence: Int,
        onWorker: @escaping Schedule
    ) -> Step {
        guard !isAtEnd else { return .tooLong }
        while true {
            let free = free
            if current == nil, free.isEmpty {
                let isKnown = stepsOfBody != nil || silence >= (nextDue == nil ? OrderedSettings.silent : OrderedSettings.quiet)
                guard isKnown else { return .idle }
                guard nextDue != nil else { return .stuck }
                steps += 1
                fire(onWorker)
                continue
            }
            steps += 1
            var among = OrderedChooser.Candidates()
            if let current {
                among.hasCurrent = true
                among.strands.append(current.strand)
            }
            among.strands += free.map { ready[$0].strand }
            let isEarly = nextDue.map { $0 - now <= early } == true
            if isEarly {
                among.hasTime = true
                among.strands.append(OrderedChooser.Candidates.time)
            }
            var picked = choose(among, after: strand, at: site)
            if among.strands[picked] == OrderedChooser.Candidates.time {
                let before = ready.count
                fire(onWorker)
                return take(before, current)
            }
            if current != nil {
                if picked == 0 { return .goOn }
                picked -= 1
            }
            return take(free[picked], current)
        }
    }

    /// Gives the turn to an item. The current thread waits behind all others.
    private mutating func take(_ index: Int, _ current: OrderedThread?) -> Step {
        let item = ready.remove(at: index)
        if let current { ready.append(Item(strand: current.strand, lane: current.lane, way: .thread(current))) }
        switch item.way {
        case .thread(let thread):
            holder = thread
            return .wake(thread)
        case .job:
            if let lane = item.lane { running[lane.id, default: 0] += 1 }
            let thread = OrderedThread(item.strand, item.lane)
            holder = thread
            return .begin(item, thread)
        }
    }

    private mutating func choose(_ among: OrderedChooser.Candidates, after strand: Int, at site: OrderedSite?) -> Int {
        let runner = strands.nextPoint(of: strand)
        guard among.strands.count > 1 else { return 0 }
        let picked = chooser.pick(among, after: runner, fired: fired) { strands.number(of: $0) }
        let next = among.strands[picked]
        let isTime = next == OrderedChooser.Candidates.time
        choices.append(
            Choice(
                deviation: .init(strand: runner.strand, point: runner.point, next: strands.number(of: next)), picked: picked,
                next: strands.name(of: next), usual: strands.name(of: among.strands[0]), runner: strands.name(of: strand),
                here: site ?? strands.site(of: strand), isOvertaken: among.hasCurrent,
                early: isTime ? nextDue.map { max(.zero, $0 - now) } : nil))
        return picked
    }
}
