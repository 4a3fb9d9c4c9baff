import TaskEvents

/// Assigning lanes, from the top down.
extension Rails {
    /// Numbers the rows and assigns lanes down to `row`. Returns false if it stopped before, after `runLimit` runs.
    ///
    /// Visits the changed runs, and those below them until the lanes are as before. After an early stop the lower rows keep their old
    /// lanes until the next call.
    @discardableResult
    package mutating func settle(throughRow row: Int, runLimit: Int = .max, in graph: some RailGraph) -> Bool {
        order.numberRows()
        guard count > 0 else { return true }
        let last = order.run(ofRow: min(max(0, row), count - 1))
        var left = runLimit
        for ordinal in 0...last where order[ordinal].isStale {
            guard left > 0 else { return false }
            left -= 1
            follow(run: ordinal, in: graph)
        }
        return true
    }

    /// The rows of the range that exist, ready to be drawn.
    package func window(_ range: Range<Int>, in graph: some RailGraph) -> [RailsRow] {
        let range = range.clamped(to: 0..<count)
        guard !range.isEmpty else { return [] }
        var rows: [RailsRow] = []
        rows.reserveCapacity(range.count)
        var ordinal = order.run(ofRow: range.lowerBound)
        var row = order.firstRow(ofRun: ordinal)
        var step = RailStep(rails: self, open: order[ordinal].entry)
        while row < range.upperBound {
            let tasks = order[ordinal].tasks
            for (index, task) in tasks.enumerated() where row < range.upperBound {
                let next = index + 1 < tasks.count ? tasks[index + 1] : order.firstTask(afterRun: ordinal)
                step.take(task, next: next, isReported: row >= range.lowerBound, in: graph)
                if row >= range.lowerBound { rows.append(step.row) }
                row += 1
            }
            ordinal += 1
        }
        return rows
    }

    private mutating func follow(run ordinal: Int, in graph: some RailGraph) {
        if ordinal == 0 { order[0].entry = OpenRails() }
        let (exit, unread) = railsBelow(run: ordinal, in: graph)
        unreadJoins.formUnion(unread)
        order[ordinal].isStale = false
        guard ordinal + 1 < order.runCount, order[ordinal + 1].entry != exit else { return }
        order[ordinal + 1].entry = exit
        order[ordinal + 1].isStale = true
    }

    /// The rails that leave a run at its bottom, and the joins whose lowest input is gone.
    private func railsBelow(run ordinal: Int, in graph: some RailGraph) -> (OpenRails, [TaskID]) {
        let tasks = order[ordinal].tasks
        let after = order.firstTask(afterRun: ordinal)
        var step = RailStep(rails: self, open: order[ordinal].entry)
        for (index, task) in tasks.enumerated() {
            step.take(task, next: index + 1 < tasks.count ? tasks[index + 1] : after, isReported: false, in: graph)
        }
        return (step.open, step.unreadJoins)
    }
}
