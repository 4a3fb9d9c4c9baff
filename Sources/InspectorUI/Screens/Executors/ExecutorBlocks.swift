import TaskEvents
import TraceAnalysis
import TraceStore

/// A line of an executor's block.
package struct ExecutorLine: Hashable, Sendable {
    package var executor: ExecutorID
    /// The line's index in the block. The heading is line 0.
    package var line: Int
}

/// The blocks of the Executors screen from top to bottom. Maps each line of the screen to its block.
///
/// A trace can have 65,535 executors. An update reads those of the visible rows and a portion of the others, so a block further away may
/// keep its old number of lines for some frames. With at most ``portion`` executors, every update reads all of them.
struct ExecutorBlocks {
    /// The content of a line.
    enum Line {
        case heading
        case figures
        /// The name and the place of the longest job. If no job has waited, the figures are so few that they stand before it.
        case longest(LongestJob, hasFigures: Bool)
        case running(RunningJob)
        case queued(position: Int)
        /// The number of jobs that are not shown.
        case more(Int)
        /// A row of the picture of the queue's depth.
        case chart(row: Int)
        case blank
    }

    struct Block {
        var executor: ExecutorView
        var first: Int
        var runningCount: Int
        var queueShown: Int
        var queueLeftOut: Int
        /// Nil if no job took any time, and if it is not known.
        var longestJob: LongestJob?
        /// The number of lines above the jobs: the heading, and one or two for the figures and the longest job.
        var jobsStart: Int
        /// The number of rows of the picture of the queue's depth.
        var chartRows: Int

        init(_ executor: ExecutorView, first: Int, isUnfolded: Bool, chartRows: Int) {
            self.executor = executor
            self.first = first
            runningCount = executor.openJobs.count
            queueShown = min(executor.depth, isUnfolded ? ExecutorBlocks.longQueue : ExecutorBlocks.shortQueue)
            queueLeftOut = executor.depth - queueShown
            longestJob = executor.longestJob.flatMap { $0.nanoseconds > 0 ? $0 : nil }
            jobsStart = longestJob != nil && executor.waits.count > 0 ? 3 : 2
            self.chartRows = executor.hasDepths ? chartRows : 0
        }

        /// The number of lines that can be selected.
        var selectable: Int { jobsStart + runningCount + queueShown + (queueLeftOut > 0 ? 1 : 0) }

        /// The number of lines, including a blank line below.
        var count: Int { selectable + chartRows + 1 }

        func line(_ line: Int) -> Line {
            let queueStart = jobsStart + runningCount
            switch line {
            case 0: return .heading
            case 1: return longestJob.flatMap { jobsStart == 2 ? .longest($0, hasFigures: true) : nil } ?? .figures
            case 2..<jobsStart: return longestJob.map { .longest($0, hasFigures: false) } ?? .blank
            case jobsStart..<queueStart: return .running(executor.openJobs[line - jobsStart])
            case queueStart..<queueStart + queueShown: return .queued(position: line - queueStart)
            case queueStart + queueShown where queueLeftOut > 0: return .more(queueLeftOut)
            case selectable..<selectable + chartRows: return .chart(row: line - selectable)
            default: return .blank
            }
        }

        /// Whether a line is that of a job that runs or waits.
        func isJob(_ line: Int) -> Bool {
            switch self.line(line) {
            case .running, .queued: true
            case .heading, .figures, .longest, .more, .chart, .blank: false
            }
        }

        func task(at line: Int) -> TaskID? {
            switch self.line(line) {
            case .running(let job): return job.task == .none ? nil : job.task
            case .queued(let position): return executor.queue.dropFirst(position).first { _ in true }?.task
            case .longest(let job, _): return job.task == .none ? nil : job.task
            case .heading, .figures, .more, .chart, .blank: return nil
            }
        }
    }

    /// The number of a queue's jobs that are shown before the user unfolds it.
    static let shortQueue = 3
    /// The number of a queue's jobs that are shown after the user has unfolded it. A queue is walked from its head to the visible jobs, so
    /// the number bounds the cost of a frame.
    static let longQueue = 1 << 16
    /// The number of executors that an update reads besides the visible ones.
    static let portion = 1024
    /// The lines of a block of an executor that has not been read yet: the heading, the figures, and a blank line.
    private static let leastCount = 3
    /// The lines of a block of an executor without a job in sight: with the longest job.
    static let quietCount = 4

    private var order = ExecutorsInOrder()
    private(set) var ids: [ExecutorID] = []
    /// The executors whose whole queue is shown.
    private(set) var unfolded: Set<ExecutorID> = []
    private var lines = GroupedSums()
    /// By the place in `ids`: the number of the block's lines that can be selected.
    private var selectables: [Int] = []
    /// The rows of each picture of a queue's depth. 0 if not all pictures have room.
    private(set) var chartRows = 0
    /// The place in `ids` of the next executor to read.
    private var next = 0
    /// The number of executors that have been read since the trace or the order changed.
    private var readCount = 0
    private var version: UInt64?

    var count: Int { max(0, lines.total - 1) }
    /// Whether all executors have been read since the trace last changed.
    func isSettled(_ store: TraceStore) -> Bool { order.isSettled(store) && readCount >= ids.count }

    // MARK: The pictures

    /// The largest number of executors whose queues have pictures.
    private static let mostCharts = 12
    /// The rows of a picture, including its axis.
    private static let chartHeights = 5...9
    /// The lines that a block in a live trace gets before any picture does, so that a job does not change the height of the pictures.
    private static let liveBlockRows = 10

    /// Gives the room below the last block to pictures of the queues' depths.
    mutating func fitCharts(in rows: Int, _ store: TraceStore, isOver: Bool) {
        chartRows = 0
        guard store.executorIDs.count <= Self.mostCharts else { return }
        let blocks = store.executorIDs.compactMap { store.executor($0) }.map { Block($0, first: 0, isUnfolded: false, chartRows: 1) }
        let used = blocks.reduce(0) { $0 + (isOver ? $1.count - $1.chartRows : max($1.count - $1.chartRows, Self.liveBlockRows)) }
        let charts = blocks.reduce(0) { $0 + $1.chartRows }
        guard unfolded.isEmpty, charts > 0 else { return }
        let height = (rows + 1 - used) / charts
        if height >= Self.chartHeights.lowerBound { chartRows = min(height, Self.chartHeights.upperBound) }
    }

    // MARK: Following the trace

    mutating func update(_ store: TraceStore, visible rows: Range<Int>) {
        order.update(store)
        takeOrder(order.ids)
        if version != store.version { readCount = 0 }
        version = store.version
        guard !ids.isEmpty else { return }
        for _ in 0..<min(Self.portion, ids.count) {
            read(next, store)
            next = next + 1 < ids.count ? next + 1 : 0
            readCount += 1
        }
        guard ids.count > Self.portion, let first = lines.index(of: rows.lowerBound)?.index else { return }
        // Each block has at least three lines.
        for index in first..<min(ids.count, first + rows.count / Self.leastCount + 2) { read(index, store) }
    }

    /// Shows or hides the rest of an executor's queue.
    mutating func toggle(_ executor: ExecutorID, _ store: TraceStore) {
        if unfolded.remove(executor) == nil { unfolded.insert(executor) }
        if let index = ids.firstIndex(of: executor) { read(index, store) }
    }

    private mutating func takeOrder(_ order: [ExecutorID]) {
        // Equal arrays usually are the same array, which costs no comparison.
        guard order != ids else { return }
        if order.starts(with: ids) {
            for _ in ids.count..<order.count { append(Self.leastCount, selectable: Self.leastCount - 1) }
        } else {
            let unknown = (lines: Self.leastCount, selectable: Self.leastCount - 1)
            var known = Array(repeating: unknown, count: 1 + Int(ids.max()?.rawValue ?? 0))
            for (index, id) in ids.enumerated() { known[Int(id.rawValue)] = (lines[index], selectables[index]) }
            (lines, selectables) = (GroupedSums(), [])
            for id in order {
                let (count, selectable) = Int(id.rawValue) < known.count ? known[Int(id.rawValue)] : unknown
                append(count, selectable: selectable)
            }
        }
        ids = order
        next = max(0, min(next, ids.count - 1))
        readCount = 0
    }

    private mutating func append(_ count: Int, selectable: Int) {
        lines.append(count)
        selectables.append(selectable)
    }

    private mutating func read(_ index: Int, _ store: TraceStore) {
        guard let executor = store.executor(ids[index]) else { return }
        let block = Block(executor, first: 0, isUnfolded: unfolded.contains(ids[index]), chartRows: chartRows)
        lines[index] = block.count
        selectables[index] = block.selectable
    }

    // MARK: Lines and blocks

    /// The row of a block's line among all lines. If the block no longer has the line, the row of its last line.
    func row(of line: ExecutorLine) -> Int? {
        guard let index = ids.firstIndex(of: line.executor) else { return nil }
        return lines.sum(before: index) + min(line.line, selectables[index] - 1)
    }

    /// The block and the index in it for a row among all lines.
    func block(at row: Int, _ store: TraceStore) -> (block: Block, line: Int)? {
        guard row >= 0, row < count, let (index, line) = lines.index(of: row), let executor = store.executor(ids[index]) else { return nil }
        return (Block(executor, first: row - line, isUnfolded: unfolded.contains(ids[index]), chartRows: chartRows), line)
    }

    /// The blocks of these rows, from the top.
    func blocks(_ rows: Range<Int>, _ store: TraceStore) -> [Block] {
        var blocks: [Block] = []
        var row = rows.lowerBound
        while row < rows.upperBound, let (index, line) = lines.index(of: row) {
            if let executor = store.executor(ids[index]) {
                blocks.append(Block(executor, first: row - line, isUnfolded: unfolded.contains(ids[index]), chartRows: chartRows))
            }
            row += lines[index] - line
        }
        return blocks
    }

    /// The selectable line at a row or next to it. Skips the pictures and the blank lines between blocks.
    func selectable(_ row: Int, downwards: Bool) -> ExecutorLine? {
        guard count > 0, let (index, line) = lines.index(of: max(0, min(row, count - 1))) else { return nil }
        if line < selectables[index] { return ExecutorLine(executor: ids[index], line: line) }
        if downwards, index + 1 < ids.count { return ExecutorLine(executor: ids[index + 1], line: 0) }
        return ExecutorLine(executor: ids[index], line: selectables[index] - 1)
    }

    // MARK: Search

    /// The text of the line in each row; empty in a row without a name. Reads a shown queue once, however many of its rows are asked for.
    func texts(_ shared: SharedState) -> (_ row: Int) -> String {
        var queue: (executor: ExecutorID, jobs: [QueuedJob])?
        func queued(_ position: Int, _ block: Block) -> String {
            let id = block.executor.id
            if queue?.executor != id { queue = (id, Array(block.executor.queue.prefix(block.queueShown))) }
            guard let jobs = queue?.jobs, position < jobs.count else { return "" }
            return shared.name(of: jobs[position].task)
        }
        return { row in
            guard let (block, line) = block(at: row, shared.store) else { return "" }
            let executor = block.executor
            return switch block.line(line) {
            case .heading: TaskWords(shared.store).name(executor.id)
            case .longest(let job, _): shared.name(of: job.task, closure: job.label)
            case .running(let job): shared.name(of: job.task, closure: job.label)
            case .queued(let position): queued(position, block)
            case .figures, .more, .chart, .blank: ""
            }
        }
    }
}

extension ExecutorView {
    /// Whether the executor has a queue in which jobs have waited.
    var hasDepths: Bool { hasQueue && maxDepth > 0 }

    /// Whether the executor has a queue of its own in which jobs can wait.
    var hasQueue: Bool {
        switch kind {
        case .immediate: false
        case .default, .main, .queue, .operationQueue, .pool, .custom, .actor, .global, .loop: true
        }
    }
}
