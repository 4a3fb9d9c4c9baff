import TaskEvents

/// The tasks from top to bottom, one per row, as a list of short runs.
///
/// A run has at most ``runLimit`` tasks, so inserting or removing a task moves a few hundred ids at most. Each run stores the rails that
/// enter it from above, so that a window's lanes need no rows before its first run.
struct RowOrder {
    static let runLimit = 256

    struct Run {
        var tasks: ContiguousArray<TaskID> = []
        /// The rails that enter from the run above, as of the last assignment of lanes.
        var entry = OpenRails()
        /// Whether the run has changed since its lanes were assigned.
        var isStale = true {
            didSet { if isStale { succeeded = nil } }
        }
        /// The rail on which all tasks are siblings, if all have succeeded and this has been checked.
        var succeeded: Rail?

        /// A task's index in the run. The search begins at the end, where most changes occur.
        func index(of task: TaskID) -> Int? {
            var index = tasks.count - 1
            while index >= 0, tasks[index].rawValue != task.rawValue { index -= 1 }
            return index >= 0 ? index : nil
        }
    }

    private(set) var runs: [Run] = []
    /// Indices of `runs` from top to bottom.
    private var sequence: [Int32] = []
    /// By run, its index in `sequence`.
    private var ordinals: [Int32] = []
    private var unused: [Int32] = []
    /// The first row of each run in `sequence`, as of ``numberRows()``.
    private var firstRows: [Int] = []
    private var runOfTask = ValuePerTask<Int32>()

    var count: Int { runOfTask.count }
    var runCount: Int { sequence.count }

    func contains(_ task: TaskID) -> Bool { runOfTask[task] != nil }

    subscript(ordinal: Int) -> Run {
        _read { yield runs[Int(sequence[ordinal])] }
        _modify { yield &runs[Int(sequence[ordinal])] }
    }

    func ordinal(of task: TaskID) -> Int? {
        runOfTask[task].map { Int(ordinals[Int($0)]) }
    }

    // MARK: Rows

    /// Must be called after changes, before rows are used.
    mutating func numberRows() {
        firstRows.removeAll(keepingCapacity: true)
        var row = 0
        for run in sequence {
            firstRows.append(row)
            row += runs[Int(run)].tasks.count
        }
    }

    func row(of task: TaskID) -> Int? {
        guard let ordinal = ordinal(of: task), let index = self[ordinal].index(of: task) else { return nil }
        return firstRows[ordinal] + index
    }

    func firstRow(ofRun ordinal: Int) -> Int { firstRows[ordinal] }

    /// The run that holds a row of `0..<count`.
    func run(ofRow row: Int) -> Int {
        firstRows.partitioningIndex { $0 > row } - 1
    }

    func task(atRow row: Int) -> TaskID {
        let ordinal = run(ofRow: row)
        return self[ordinal].tasks[row - firstRows[ordinal]]
    }

    func firstTask(afterRun ordinal: Int) -> TaskID? {
        ordinal + 1 < runCount ? self[ordinal + 1].tasks.first : nil
    }

    func isBefore(_ one: TaskID, _ other: TaskID) -> Bool {
        guard let first = ordinal(of: one), let second = ordinal(of: other) else { return false }
        guard first == second else { return first < second }
        return self[first].index(of: one) ?? 0 < self[first].index(of: other) ?? 0
    }

    /// Whether a task is in the row directly below another task.
    func isNext(_ task: TaskID, after predecessor: TaskID) -> Bool {
        guard let ordinal = ordinal(of: predecessor), let index = self[ordinal].index(of: predecessor) else { return false }
        let tasks = self[ordinal].tasks
        return (index + 1 < tasks.count ? tasks[index + 1] : firstTask(afterRun: ordinal)) == task
    }

    // MARK: Changing

    mutating func markStale(_ task: TaskID) {
        guard let run = runOfTask[task] else { return }
        runs[Int(run)].isStale = true
    }

    /// Puts a task in the row below `predecessor`, or in the first row.
    mutating func insert(_ task: TaskID, after predecessor: TaskID?) {
        guard let predecessor, let run = runOfTask[predecessor] else {
            if sequence.isEmpty { addRun(at: 0) }
            insert(task, at: 0, inRun: sequence[0])
            return
        }
        let last = runs[Int(run)].index(of: predecessor) ?? 0
        insert(task, at: last + 1, inRun: run)
    }

    mutating func remove(_ task: TaskID) {
        guard let run = runOfTask[task], let index = runs[Int(run)].index(of: task) else { return }
        runOfTask[task] = nil
        runs[Int(run)].tasks.remove(at: index)
        runs[Int(run)].isStale = true
        if runs[Int(run)].tasks.isEmpty { removeRun(run) }
    }

    /// Removes the gone tasks of one run, and returns them.
    mutating func removeAll(inRun ordinal: Int, where isGone: (TaskID) -> Bool) -> [TaskID] {
        let run = sequence[ordinal]
        let gone = runs[Int(run)].tasks.filter(isGone)
        guard !gone.isEmpty else { return [] }
        for task in gone { runOfTask[task] = nil }
        runs[Int(run)].tasks.removeAll { runOfTask[$0] == nil }
        runs[Int(run)].isStale = true
        if runs[Int(run)].tasks.isEmpty { removeRun(run) }
        return Array(gone)
    }

    private mutating func insert(_ task: TaskID, at index: Int, inRun run: Int32) {
        var run = run
        var index = index
        if runs[Int(run)].tasks.count == Self.runLimit {
            // An insertion at a full run's end begins a new run, so that appending leaves full runs behind.
            let cut = index == Self.runLimit ? index : Self.runLimit / 2
            let next = addRun(at: Int(ordinals[Int(run)]) + 1)
            let moved = ContiguousArray(runs[Int(run)].tasks[cut...])
            runs[Int(run)].tasks.removeSubrange(cut...)
            runs[Int(run)].isStale = true
            runs[Int(next)].tasks = moved
            for task in moved { runOfTask[task] = next }
            if index >= cut {
                index -= cut
                run = next
            }
        }
        runs[Int(run)].tasks.insert(task, at: index)
        runs[Int(run)].isStale = true
        runOfTask[task] = run
    }

    @discardableResult
    private mutating func addRun(at ordinal: Int) -> Int32 {
        let run: Int32
        if let reused = unused.popLast() {
            run = reused
        } else {
            run = Int32(runs.count)
            runs.append(Run())
            ordinals.append(0)
        }
        sequence.insert(run, at: ordinal)
        renumberRuns(from: ordinal)
        return run
    }

    private mutating func removeRun(_ run: Int32) {
        let ordinal = Int(ordinals[Int(run)])
        sequence.remove(at: ordinal)
        runs[Int(run)] = Run()
        unused.append(run)
        renumberRuns(from: ordinal)
        // Its neighbours are now adjacent, and the rails between them must be found again.
        if ordinal < sequence.count { runs[Int(sequence[ordinal])].isStale = true }
        if ordinal > 0 { runs[Int(sequence[ordinal - 1])].isStale = true }
    }

    private mutating func renumberRuns(from ordinal: Int) {
        for index in ordinal..<sequence.count { ordinals[Int(sequence[index])] = Int32(index) }
    }
}
