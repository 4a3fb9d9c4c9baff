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
struct ExecutorBlocks {
    /// The content of a line.
    enum Line {
        case heading
        case figures
        /// The name and the place of the longest job.
        case longest
        case running(RunningJob)
        case queued(position: Int)
        /// The number of jobs that are not shown.
        case more(Int)
        case blank
    }

    struct Block {
        var executor: ExecutorView
        var first: Int
        var runningCount: Int
        var queueShown: Int
        var queueLeftOut: Int
        /// The number of lines above the jobs: the heading, the figures, and the longest job, if there is one.
        var jobsStart: Int

        /// The number of lines, including a blank line below.
        var count: Int { jobsStart + 1 + runningCount + queueShown + (queueLeftOut > 0 ? 1 : 0) }

        func line(_ line: Int) -> Line {
            let queueStart = jobsStart + runningCount
            switch line {
            case 0: return .heading
            case 1: return .figures
            case 2..<jobsStart: return .longest
            case jobsStart..<queueStart: return .running(executor.running[line - jobsStart])
            case queueStart..<queueStart + queueShown: return .queued(position: line - queueStart)
            case queueStart + queueShown where queueLeftOut > 0: return .more(queueLeftOut)
            default: return .blank
            }
        }

        /// The number of lines that can be selected.
        var selectable: Int { count - 1 }
    }

    /// The number of a queue's jobs that are shown before the user unfolds it.
    static let shortQueue = 3

    let blocks: [Block]
    let count: Int

    init(_ store: TraceStore, unfolded: Set<ExecutorID>) {
        var first = 0
        blocks = store.executors.map { executor in
            let shown = unfolded.contains(executor.id) ? executor.depth : min(executor.depth, Self.shortQueue)
            let block = Block(
                executor: executor, first: first, runningCount: executor.running.count, queueShown: shown,
                queueLeftOut: executor.depth - shown, jobsStart: executor.longestJob > 0 ? 3 : 2)
            first += block.count
            return block
        }
        count = max(0, first - 1)
    }

    /// The row of a block's line among all lines. If the block no longer has the line, the row of its last line.
    func row(of line: ExecutorLine) -> Int? {
        guard let block = blocks.first(where: { $0.executor.id == line.executor }) else { return nil }
        return block.first + min(line.line, block.selectable - 1)
    }

    /// The block and the index in it for a row among all lines.
    subscript(row: Int) -> (block: Block, line: Int)? {
        guard row >= 0, row < count, let block = blocks.last(where: { $0.first <= row }) else { return nil }
        return (block, row - block.first)
    }

    /// The selectable line at a row or next to it. Skips the blank lines between blocks.
    func selectable(_ row: Int, downwards: Bool) -> ExecutorLine? {
        guard count > 0 else { return nil }
        let row = max(0, min(row, count - 1))
        guard let (block, line) = self[row] else { return nil }
        if line < block.selectable { return ExecutorLine(executor: block.executor.id, line: line) }
        return selectable(downwards ? row + 1 : row - 1, downwards: downwards)
    }

    /// The number of a queue's jobs that a search looks at.
    private static let searchedJobs = 4096

    /// The selectable lines with a name, and their texts: executors, running jobs, longest jobs, and the first of each shown queue.
    func texts(_ shared: SharedState) -> [(line: ExecutorLine, text: String)] {
        var texts: [(line: ExecutorLine, text: String)] = []
        for block in blocks {
            let executor = block.executor
            func add(_ line: Int, _ text: String) { texts.append((ExecutorLine(executor: executor.id, line: line), text)) }
            add(0, TaskWords(shared.store).name(executor.id))
            if block.jobsStart > 2 { add(2, shared.name(of: executor.longestJobTask, closure: executor.longestJobLabel)) }
            for (index, job) in executor.running.enumerated() {
                add(block.jobsStart + index, shared.name(of: job.task, closure: job.label))
            }
            for (index, job) in executor.queue.prefix(min(block.queueShown, Self.searchedJobs)).enumerated() {
                add(block.jobsStart + block.runningCount + index, shared.name(of: job.task))
            }
        }
        return texts
    }

    func task(at row: Int) -> TaskID? {
        guard let (block, line) = self[row] else { return nil }
        switch block.line(line) {
        case .running(let job): return job.task == .none ? nil : job.task
        case .queued(let position):
            for (index, job) in block.executor.queue.enumerated() where index == position { return job.task }
            return nil
        case .longest: return block.executor.longestJobTask == .none ? nil : block.executor.longestJobTask
        case .heading, .figures, .more, .blank: return nil
        }
    }
}
