/// Decides from looks at an order whether what it waits for will come.
///
/// Patience is counted in time of the processors. While no thread of the process can run, all time counts. Otherwise the part counts that
/// one more thread would have had. So a thread that a busy machine holds up costs no patience.
struct OrderedPatience {
    enum Finding: Equatable {
        case fine
        /// The thread that has the turn sleeps in a call that the runtime does not see.
        case asleep
        /// The job that has the turn has not begun.
        case unbegun
        /// No thread has the turn, and nothing has come for this number of ticks.
        case silent(Int)
        /// It does not end in time.
        case hangs
    }

    /// The thread that has the turn.
    enum Holder {
        case none, unbegun, asleep, running
    }

    /// The nanoseconds of a tick.
    static let tick: UInt64 = 1_000_000_000 / UInt64(OrderedSettings.ticksPerSecond)

    private var steps = -1
    /// The ticks since the last step, and at the last two looks.
    private var ticks = 0
    private var lastLook: Int?
    private var nextLook = OrderedSettings.firstLook
    /// The patience that is used up, in nanoseconds: in all, and while the holder slept.
    private var quiet: UInt64 = 0
    private var asleep: UInt64 = 0

    /// Whether the order has taken no step since the last tick. Begins anew if it has.
    mutating func hasStopped(at steps: Int) -> Bool {
        if self.steps == steps { return true }
        self = OrderedPatience()
        self.steps = steps
        return false
    }

    /// Counts a tick. Returns whether to look at the threads, which takes time.
    mutating func wantsLook() -> Bool {
        ticks += 1
        return ticks >= nextLook
    }

    /// - Parameters:
    ///   - runnable: how many threads of the process run or could, the holder included.
    ///   - used: the nanoseconds that the process's threads have run since the last look.
    ///   - usedByHolder: those of the holder since the last step.
    mutating func look(_ holder: Holder, runnable: Int, used: UInt64, usedByHolder: UInt64) -> Finding {
        // A single look may miss a thread that falls asleep and wakes another meanwhile, so the first one counts nothing.
        let passed = UInt64(ticks - (lastLook ?? ticks)) * Self.tick
        (lastLook, nextLook) = (ticks, ticks + max(1, min(ticks / 2, OrderedSettings.lookEvery)))
        let share = runnable == 0 ? passed : min(passed, used / UInt64(runnable))
        quiet += share
        asleep = holder == .asleep ? asleep + share : 0
        func isOver(_ time: UInt64, _ ticks: Int) -> Bool { time >= UInt64(ticks) * Self.tick }
        switch holder {
        case .none: return isOver(quiet, OrderedSettings.quiet) ? .silent(Int(quiet / Self.tick)) : .fine
        case .unbegun: return isOver(quiet, OrderedSettings.unbegun) ? .unbegun : .fine
        case .asleep: return isOver(asleep, OrderedSettings.asleep) ? .asleep : .fine
        case .running: return isOver(usedByHolder, OrderedSettings.longest) ? .hangs : .fine
        }
    }
}
