import TaskEvents
import TraceAnalysis
import TraceStore

/// The task list's order, made a portion a frame: sorting a million tasks at once would hold up the keys.
///
/// Until a pass is done the order of the pass before is shown. A pass that a filter asked for looks at all tasks at once, so that it says with
/// the next frame how many fit, and if these are not too many shows them too.
struct TaskOrder {
    /// What a frame does of a pass, and what a frame does that has looked at all tasks before.
    static let portion = Portion(nanoseconds: 6_000_000)
    static let portionAfterLooking = Portion(nanoseconds: 4_000_000)
    /// Nanoseconds between two passes: rows that change places more often cannot be read.
    static let pause: UInt64 = 250_000_000

    /// The tasks in order, and their groups, as of the last pass that was completed.
    private(set) var tasks: [TaskID] = []
    private(set) var groups = TaskGroups()
    /// How many tasks fit, as of the latest pass that knows.
    private(set) var fittingCount = 0
    /// The event up to which the last pass knew the store.
    private(set) var eventCount = -1
    private var pass: SortPass?
    private var memory = SortMemory()
    private var lastEnd: UInt64?
    /// Whether a key waits for the order.
    private(set) var isAwaited = true

    /// Whether a pass is on its way.
    var isBusy: Bool { pass != nil }

    /// Begins anew with the next call, whatever the pace.
    mutating func restart() {
        if let memory = pass?.giveBack() { self.memory = memory }
        pass = nil
        lastEnd = nil
        eventCount = -1
        isAwaited = true
    }

    /// Goes on by one portion; true if there is a new order.
    mutating func advance(
        _ store: TraceStore, _ wish: TaskOrderWish, warnings: WarningIndex = WarningIndex(), at now: UInt64, by portion: Portion = portion
    ) -> Bool {
        var portion = portion
        if pass == nil {
            guard eventCount != store.eventCount else { return false }
            if let lastEnd, now < lastEnd + Self.pause { return false }
            pass = SortPass(store, wish, warnings, memory)
            memory = SortMemory()
            if isAwaited, !wish.query.isEmpty {
                pass?.lookAtAll(store)
                portion = Self.portionAfterLooking
            }
        }
        let isDone = pass?.advance(store, &portion) ?? false
        if let count = pass?.fittingCount { fittingCount = count }
        if isDone { finish(at: now) }
        return isDone
    }

    private mutating func finish(at now: UInt64) {
        guard let order = pass?.order, let groups = pass?.groups, let eventCount = pass?.eventCount else { return }
        if let memory = pass?.giveBack() { self.memory = memory }
        // The next pass reuses the array that no list reads any more.
        memory.order = tasks
        (tasks, self.groups, self.eventCount) = (order, groups, eventCount)
        pass = nil
        lastEnd = now
        isAwaited = false
    }
}
