import TaskEvents
import TerminalCanvas
import TraceStore

/// What keys and mouse do on the Executors screen.
extension Model {
    private var executorsHeight: Int { areas.body.rows }

    mutating func openInExecutors() {
        openExecutorLine(ExecutorBlocks(store, unfolded: executors.unfolded))
    }

    mutating func scrollExecutors(by rows: Int) {
        let count = ExecutorBlocks(store, unfolded: executors.unfolded).count
        executors.window.setTop(executors.window.top + rows, count: count, height: executorsHeight)
    }

    mutating func clickExecutors(_ point: Point) {
        let blocks = ExecutorBlocks(store, unfolded: executors.unfolded)
        let row = executors.window.top + point.row - areas.body.top
        guard let (block, line) = blocks[row], line < block.selectable else { return }
        let clicked = ExecutorLine(executor: block.executor.id, line: line)
        if clicked == executors.selection {
            openExecutorLine(blocks)
        } else {
            executors.selection = clicked
        }
    }

    mutating func showSelectedExecutor() {
        let blocks = ExecutorBlocks(store, unfolded: executors.unfolded)
        if let row = executors.selection.flatMap(blocks.row) { executors.window.show(row, count: blocks.count, height: executorsHeight) }
    }

    mutating func moveInExecutors(_ movement: Movement) {
        let blocks = ExecutorBlocks(store, unfolded: executors.unfolded)
        let top = executors.window.top
        let start = executors.selection.flatMap(blocks.row) ?? (movement == .down ? top - 1 : top)
        guard let target = movement.row(from: start, count: blocks.count, page: executorsHeight) else { return }
        guard let line = blocks.selectable(target, downwards: target >= start), let row = blocks.row(of: line) else { return }
        executors.selection = line
        executors.window.show(row, count: blocks.count, height: executorsHeight)
    }

    /// A job opens its task; the rest of a block shows or hides the whole queue.
    private mutating func openExecutorLine(_ blocks: ExecutorBlocks) {
        guard let line = executors.selection, let row = blocks.row(of: line) else { return }
        if let task = blocks.task(at: row) {
            selection = task
            open(task)
            keepTasksSelection()
        } else if executors.unfolded.remove(line.executor) == nil {
            executors.unfolded.insert(line.executor)
        }
    }
}
