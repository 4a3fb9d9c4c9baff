import TaskEvents
import TraceAnalysis
import TraceStore

/// The order of the task list, computed in one portion per frame, because sorting a million tasks at once would delay keys.
///
/// Until a pass is done, the list shows the order of the previous pass. A pass for a new filter reads all tasks at once. The next frame
/// therefore shows the number of matching tasks, and the tasks themselves if they are few.
struct TaskOrder {
    /// The portion of a pass per frame, and the smaller portion of a frame that has already read all tasks.
    static let portion = Portion(nanoseconds: 6_000_000)
    static let portionAfterLooking = Portion(nanoseconds: 4_000_000)
    /// Nanoseconds between two passes over a long list.
    static let pause: UInt64 = 250_000_000
    /// The largest number of tasks that each frame puts in order, so that the rows on the screen are in order at any moment.
    static let shortList = 4096

    /// The tasks in order with their groups, as of the last completed pass.
    private(set) var tasks: [TaskID] = []
    private(set) var groups = TaskGroups()
    /// The number of tasks that match the filter, as of the latest pass that has counted them.
    private(set) var matchCount = 0
    /// The store's event count when the last pass began.
    private(set) var eventCount = -1
    /// The store's version when the last pass began. It changes with the time, which overtakes the times of ended tasks.
    private var version: UInt64?
    private var pass: SortPass?
    private var memory = SortMemory()
    private var lastEnd: UInt64?
    /// Whether a key press requested this order.
    private(set) var isAwaited = true

    /// Whether a pass is unfinished.
    var isBusy: Bool { pass != nil }

    /// Starts a new pass at the next call, without waiting for the interval.
    mutating func restart() {
        if let memory = pass?.giveBack() { self.memory = memory }
        pass = nil
        lastEnd = nil
        eventCount = -1
        version = nil
        isAwaited = true
    }

    /// Continues by one portion. True if there is a new order.
    mutating func advance(
        _ store: TraceStore, _ wish: TaskOrderWish, warnings: WarningIndex = WarningIndex(), at now: UInt64, by portion: Portion = portion
    ) -> Bool {
        var portion = portion
        if pass == nil {
            guard version != store.version else { return false }
            if store.keptCount > Self.shortList, let lastEnd, now < lastEnd + Self.pause { return false }
            version = store.version
            pass = SortPass(store, wish, warnings, memory)
            memory = SortMemory()
            if isAwaited, !wish.query.isEmpty {
                pass?.lookAtAll(store)
                portion = Self.portionAfterLooking
            }
        }
        let isDone = pass?.advance(store, &portion) ?? false
        if let count = pass?.matchCount { matchCount = count }
        if isDone { finish(at: now) }
        return isDone
    }

    private mutating func finish(at now: UInt64) {
        guard let order = pass?.order, let groups = pass?.groups, let eventCount = pass?.eventCount else { return }
        if let memory = pass?.giveBack() { self.memory = memory }
        // No list reads the old array any more, so the next pass reuses it.
        memory.order = tasks
        (tasks, self.groups, self.eventCount) = (order, groups, eventCount)
        pass = nil
        lastEnd = now
        isAwaited = false
    }
}
