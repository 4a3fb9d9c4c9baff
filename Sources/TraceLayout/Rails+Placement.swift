import TaskEvents

/// The order of the tasks from top to bottom.
extension Rails {
    /// The task that `task` continues, if the graph has it. Only an older task counts, so a damaged trace cannot make a cycle.
    func parent(of task: TaskID, in graph: some RailGraph) -> TaskID? {
        guard let parent = graph.continued(by: task), parent < task, graph.hasTask(parent) else { return nil }
        return parent
    }

    mutating func place(_ task: TaskID, in graph: some RailGraph) {
        var unplaced = [task]
        while let parent = parent(of: unplaced[unplaced.count - 1], in: graph), !order.contains(parent) {
            unplaced.append(parent)
        }
        for task in unplaced.reversed() { placeOne(task, in: graph) }
    }

    private mutating func placeOne(_ task: TaskID, in graph: some RailGraph) {
        let node: Node
        if let parent = parent(of: task, in: graph) {
            node = Node(parent: parent, isNested: false)
        } else if let outer = outer[task], order.contains(outer) {
            node = Node(parent: outer, isNested: true)
        } else {
            node = Node(parent: .none, isNested: false)
        }
        guard let old = nodes[task] else {
            order.insert(task, after: predecessor(of: task, at: node, in: graph))
            enter(task, at: node)
            return
        }
        guard old.parent != node.parent || old.isNested != node.isNested else { return }
        leave(task, from: old)
        let block = block(of: task)
        for member in block { order.remove(member) }
        var predecessor = predecessor(of: task, at: node, in: graph)
        for member in block {
            order.insert(member, after: predecessor)
            predecessor = member
            graph.forEachSuccessor(of: member) { join, kind in
                if kind == .input, lowestInputs[join] != nil { unreadJoins.insert(join) }
            }
        }
        var new = old
        new.parent = node.parent
        new.isNested = node.isNested
        enter(task, at: new)
    }

    mutating func remove(_ task: TaskID) {
        forget(task)
        order.remove(task)
    }

    /// Removes everything about a task except its row.
    mutating func forget(_ task: TaskID) {
        lowestInputs[task] = nil
        guard let node = nodes[task] else { return }
        leave(task, from: node)
        nested.removeValue(forKey: task)?.visitAll { outer[$0] = nil }
        continuations[task] = nil
        outer[task] = nil
        nodes[task] = nil
    }

    private mutating func enter(_ task: TaskID, at node: Node) {
        nodes[task] = node
        if node.parent == .none {
            newestChain = max(newestChain, task)
        } else if node.isNested {
            nested[node.parent, default: SortedTasks()].insert(task)
        } else if let last = nodes[node.parent]?.lastContinuation {
            if last != .none { continuations[node.parent, default: SortedTasks(last)].insert(task) }
            nodes.update(node.parent) { $0.lastContinuation = max(last, task) }
        }
        order.markStale(node.parent)
    }

    private mutating func leave(_ task: TaskID, from node: Node) {
        order.markStale(node.parent)
        if node.isNested {
            nested[node.parent]?.remove(task)
            return
        }
        continuations[node.parent]?.remove(task)
        if nodes[node.parent]?.lastContinuation == task {
            let last = continuations[node.parent]?.last ?? .none
            nodes.update(node.parent) { $0.lastContinuation = last }
        }
        if continuations[node.parent]?.hasSeveral == false { continuations[node.parent] = nil }
    }

    // MARK: Neighbours

    /// The task above the place of `task`; nil at the top.
    private func predecessor(of task: TaskID, at node: Node, in graph: some RailGraph) -> TaskID? {
        guard node.parent != .none else { return endOfChains(before: task, in: graph) }
        if node.isNested {
            let before = nested[node.parent]?.last(before: task)
            return before.map(end) ?? node.parent
        }
        let last = nodes[node.parent]?.lastContinuation ?? .none
        let before = last < task ? last : continuations[node.parent]?.last(before: task) ?? .none
        if before != .none { return end(of: before) }
        return nested[node.parent]?.last.map(end) ?? node.parent
    }

    /// The last task of the block of `task`.
    private func end(of task: TaskID) -> TaskID {
        var end = task
        while true {
            if let last = nodes[end]?.lastContinuation, last != .none {
                end = last
            } else if let last = nested[end]?.last {
                end = last
            } else {
                return end
            }
        }
    }

    /// The last row of the chains that began before `task`; nil if `task`'s chain is the first.
    private func endOfChains(before task: TaskID, in graph: some RailGraph) -> TaskID? {
        guard order.runCount > 0 else { return nil }
        let lastRun = order[order.runCount - 1]
        if task > newestChain { return lastRun.tasks.last }
        // Late records of an old chain. Chains are in order, so a binary search finds the run, and a scan finds the row.
        let next = (0..<order.runCount).partitioningIndex { top(above: order[$0].tasks[0], in: graph) >= task }
        guard next > 0 else { return nil }
        return order[next - 1].tasks.last { top(above: $0, in: graph) < task }
    }

    /// The first task of the outermost chain that contains `task`.
    private func top(above task: TaskID, in graph: some RailGraph) -> TaskID {
        var top = task
        while let node = nodes[top], node.parent != .none {
            let root = graph.chain(of: top)
            let next = root < top && nodes[root] != nil ? root : node.parent
            guard nodes[next] != nil else { break }
            top = next
        }
        return top
    }

    /// A task and all tasks below it that belong to it, in order.
    private func block(of task: TaskID) -> [TaskID] {
        guard var ordinal = order.ordinal(of: task) else { return [] }
        let end = end(of: task)
        var block: [TaskID] = []
        while ordinal < order.runCount {
            for member in order[ordinal].tasks where !block.isEmpty || member == task {
                block.append(member)
                if member == end { return block }
            }
            ordinal += 1
        }
        preconditionFailure("Rails: \(end) is the last task under \(task), but does not stand below it.")
    }
}

/// The effects of a task's links on other rows.
extension Rails {
    mutating func noteLinks(of task: TaskID, in graph: some RailGraph) {
        var unnested: [(root: TaskID, outer: TaskID)] = []
        order.markStale(task)
        if graph.isJoin(task) { unreadJoins.insert(task) }
        if let inner = graph.inner(of: task) {
            markLeadingOn(inner)
            unnested.append((graph.chain(of: inner), task))
        }
        graph.forEachAwaited(by: task) { awaited in
            markLeadingOn(awaited)
            unnested.append((graph.chain(of: awaited), task))
        }
        graph.forEachSuccessor(of: task) { successor, kind in
            order.markStale(successor)
            if kind != .continues { markLeadingOn(task) }
            switch kind {
            case .continues: break
            case .input:
                noteInput(task, of: successor)
                if let outer = outer[successor] { unnested.append((graph.chain(of: task), outer)) }
            case .inner, .awaited: unnested.append((graph.chain(of: task), successor))
            }
        }
        nest(unnested, in: graph)
    }

    /// Notes one link between two placed tasks, instead of visiting all links of either task.
    mutating func noteLink(_ change: RailChange, in graph: some RailGraph) {
        let (task, antecedent) = (change.task, change.antecedent)
        order.markStale(task)
        order.markStale(antecedent)
        let root = graph.chain(of: antecedent)
        var unnested: [(root: TaskID, outer: TaskID)] = []
        if graph.isJoin(task) { read(antecedent, of: task, in: graph) }
        if change.isAwait || graph.inner(of: task) == antecedent {
            markLeadingOn(antecedent)
            unnested.append((root, task))
        }
        nest(unnested, in: graph)
    }

    private mutating func noteInput(_ input: TaskID, of join: TaskID) {
        guard order.contains(input) else { return }
        if let lowest = lowestInputs[join], lowest == input || order.isBefore(input, lowest) { return }
        lowestInputs[join] = input
        order.markStale(join)
    }

    /// Begins to read a join's inputs; nil if no join is unread. ``read(_:of:in:)`` then gets each input, in any number of calls.
    package mutating func nextUnreadJoin() -> TaskID? {
        guard let join = unreadJoins.popFirst() else { return nil }
        lowestInputs[join] = nil
        order.markStale(join)
        return join
    }

    /// Notes an input of a join.
    package mutating func read(_ input: TaskID, of join: TaskID, in graph: some RailGraph) {
        markLeadingOn(input)
        noteInput(input, of: join)
        if let outer = outer[join] { nest([(graph.chain(of: input), outer)], in: graph) }
    }

    /// Reads the inputs of all unread joins.
    package mutating func readJoins(in graph: some RailGraph) {
        while let join = nextUnreadJoin() {
            var inputs: [TaskID] = []
            graph.forEachInput(of: join) { inputs.append($0) }
            for input in inputs { read(input, of: join, in: graph) }
        }
    }

    private mutating func markLeadingOn(_ task: TaskID) {
        order.markStale(task)
        nodes.update(task) { $0.leadsOn = true }
    }

    /// Moves chains below the tasks whose bodies made them. Only an older task can have made a chain. If there are several, the oldest one
    /// gets the chain.
    private mutating func nest(_ wishes: [(root: TaskID, outer: TaskID)], in graph: some RailGraph) {
        var wishes = wishes
        while let (root, wish) = wishes.popLast() {
            guard wish < root, wish < outer[root] ?? TaskID(rawValue: .max), order.contains(wish), graph.hasTask(root) else { continue }
            outer[root] = wish
            place(root, in: graph)
            if graph.isJoin(root) { unreadJoins.insert(root) }
        }
    }
}
