import TaskEvents
import TerminalCanvas
import TraceStore

/// What keys and mouse do on the Executors screen.
extension Model {
    private var executorsHeight: Int { areas.body.rows }

    mutating func performInExecutors(_ command: Command) {
        let blocks = ExecutorBlocks(store, unfolded: executors.unfolded)
        switch command {
        case .up, .down, .pageUp, .pageDown, .first, .last:
            moveInExecutors(command, blocks)
        case .open:
            openExecutorLine(blocks)
        case .back:
            executors.selection = nil
        case .left, .right, .nextScreen, .previousScreen, .screen, .filter, .sortNext, .sortPrevious, .reverse, .follow, .help, .quit,
            .repaint, .accept, .clear, .erase:
            break
        }
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

    private mutating func moveInExecutors(_ command: Command, _ blocks: ExecutorBlocks) {
        let top = executors.window.top
        let start = executors.selection.flatMap(blocks.row) ?? (command == .down ? top - 1 : top)
        guard let target = command.row(from: start, count: blocks.count, page: executorsHeight) else { return }
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
