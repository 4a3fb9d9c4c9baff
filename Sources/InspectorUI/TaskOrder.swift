import TaskEvents
import TraceAnalysis
import TraceStore

/// What the task list is to show, and how.
struct TaskOrderWish: Hashable {
    var sort = TaskSort()
    var grouping = TaskGrouping.none
    var query = TaskQuery()
}

/// The task list's order, made a portion a frame: sorting a million tasks at once would hold up the keys.
///
/// A pass asks all tasks whether they fit and by what they are sorted, and sorts them byte by byte. Until it is done the order of the pass
/// before is shown. A pass that a key asked for looks at all tasks at once, so that it says with the next frame how many fit, and sorts as
/// many as there is time for.
struct TaskOrder {
    /// What a call does, at most: a task looked at, or two moved in a pass of sorting, count one. Some eight milliseconds.
    static let portion = 400_000
    /// Nanoseconds between two passes: rows that change places oftener cannot be read.
    static let pause: UInt64 = 250_000_000

    /// The tasks in order, and their groups, as of the last pass that was completed.
    private(set) var tasks: [TaskID] = []
    private(set) var groups: [TaskGroup] = []
    /// How many tasks fit, as of the latest pass that has looked at all.
    private(set) var fittingCount = 0
    /// The event up to which that pass knew the store.
    private(set) var eventCount = -1
    private var pass: SortPass?
    /// What the last pass needed: a million tasks' memory, given back and asked for anew, would cost as much as to sort them.
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
        _ store: TraceStore, _ wish: TaskOrderWish, warnings: WarningIndex = WarningIndex(), at now: UInt64
    ) -> Bool {
        if pass == nil {
            guard eventCount != store.eventCount else { return false }
            if let lastEnd, now < lastEnd + Self.pause { return false }
            pass = SortPass(store, wish, warnings, memory)
            memory = SortMemory()
            if isAwaited { pass?.look(store, limit: .max) }
        }
        let done = pass?.advance(store, portion: Self.portion)
        if let count = pass?.fittingCount { fittingCount = count }
        guard let done else { return false }
        eventCount = pass?.eventCount ?? -1
        if let memory = pass?.giveBack() { self.memory = memory }
        (tasks, groups) = done
        pass = nil
        lastEnd = now
        isAwaited = false
        return true
    }
}

/// The arrays of a pass, for the next.
private struct SortMemory {
    var tasks: [TaskID] = []
    var entries: [SortEntry] = []
    var other: [SortEntry] = []
}

/// One pass of sorting.
private struct SortPass {
    let eventCount: Int
    private let wish: TaskOrderWish
    private let matcher: TaskQueryMatcher?
    private var keys: SortKeys
    private var latest: TaskID? = TaskID.none
    private var tasks: [TaskID]
    private var entries: [SortEntry]
    private var other: [SortEntry]
    private var sorting: RadixSort?
    private var groupNames: [UInt64: TaskGroup.Name] = [:]

    init(_ store: TraceStore, _ wish: TaskOrderWish, _ warnings: WarningIndex, _ memory: consuming SortMemory) {
        tasks = memory.tasks
        entries = memory.entries
        other = memory.other
        memory = SortMemory()
        tasks.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        self.wish = wish
        keys = SortKeys(wish.sort, wish.grouping)
        matcher = wish.query.isEmpty ? nil : TaskQueryMatcher(wish.query, in: store, warnings: warnings)
        eventCount = store.eventCount
        // Pages that nothing is written to cost nothing.
        tasks.reserveCapacity(store.keptCount)
        entries.reserveCapacity(store.keptCount)
    }

    /// The pass is over, or given up.
    mutating func giveBack() -> SortMemory {
        if let (entries, other) = sorting?.giveBack() { (self.entries, self.other) = (entries, other) }
        defer { (tasks, entries, other) = ([], [], []) }
        return SortMemory(tasks: tasks, entries: entries, other: other)
    }

    /// How many tasks fit; nil while not all have been looked at.
    var fittingCount: Int? { latest == nil ? tasks.count : nil }

    /// Looks at the next so many tasks.
    mutating func look(_ store: TraceStore, limit: Int) {
        guard let after = latest else { return }
        latest = store.forEachBlock(after: after, limit: limit) { block in
            let fitting = matcher?.fitting(block) ?? block.all
            guard fitting != 0 else { return }
            keys.append(block, fitting, to: &entries, in: store)
            let ids = block.read(.id)
            var left = fitting
            while left != 0 {
                tasks.append(TaskID(rawValue: ids[left.trailingZeroBitCount]))
                left &= left - 1
            }
        }
    }

    /// The next portion; the tasks in order if it was the last.
    mutating func advance(_ store: TraceStore, portion: Int) -> (tasks: [TaskID], groups: [TaskGroup])? {
        if latest != nil {
            look(store, limit: portion)
            // What is left of the portion could be used; a frame later is soon enough.
            guard latest == nil, entries.count <= portion / 4 else { return nil }
        }
        if sorting == nil {
            groupNames = keys.finish(&entries)
            sorting = RadixSort(entries, memory: other)
            (entries, other) = ([], [])
        }
        var left = portion
        while let passes = sorting?.passesLeft, passes > 0 {
            let cost = tasks.count / 2
            guard cost <= left || left == portion else { return nil }
            sorting?.pass()
            left -= cost
        }
        return tasks.count / 2 <= left || left == portion ? result() : nil
    }

    private func result() -> (tasks: [TaskID], groups: [TaskGroup]) {
        guard let sorted = sorting?.entries else { return ([], []) }
        let order = sorted.map { tasks[$0.place] }
        guard wish.grouping != .none else { return (order, []) }
        var groups: [TaskGroup] = []
        var start = 0
        for index in sorted.indices where index + 1 == sorted.count || sorted[index + 1].group != sorted[index].group {
            let name = SortKeys.name(ofGroup: sorted[index].group, wish.grouping, groupNames)
            groups.append(TaskGroup(name: name, tasks: start..<index + 1))
            start = index + 1
        }
        return (order, groups)
    }
}
