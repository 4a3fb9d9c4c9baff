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
        let place: Place
        if let parent = parent(of: task, in: graph) {
            place = Place(parent: parent, isNested: false)
        } else if let outer = outer[task], order.contains(outer) {
            place = Place(parent: outer, isNested: true)
        } else {
            place = Place(parent: .none, isNested: false)
        }
        guard let old = places[task] else {
            order.insert(task, after: predecessor(of: task, at: place, in: graph))
            enter(task, at: place)
            return
        }
        guard old.parent != place.parent || old.isNested != place.isNested else { return }
        leave(task, from: old)
        let block = block(of: task)
        for member in block { order.remove(member) }
        var predecessor = predecessor(of: task, at: place, in: graph)
        for member in block {
            order.insert(member, after: predecessor)
            predecessor = member
            graph.forEachSuccessor(of: member) { join, kind in
                if kind == .input, lowestInputs[join] != nil { unreadJoins.insert(join) }
            }
        }
        var new = old
        new.parent = place.parent
        new.isNested = place.isNested
        enter(task, at: new)
    }

    mutating func remove(_ task: TaskID) {
        forget(task)
        order.remove(task)
    }

    /// Removes everything about a task except its row.
    mutating func forget(_ task: TaskID) {
        lowestInputs[task] = nil
        guard let place = places[task] else { return }
        leave(task, from: place)
        nested.removeValue(forKey: task)?.visitAll { outer[$0] = nil }
        continuations[task] = nil
        outer[task] = nil
        places[task] = nil
    }

    private mutating func enter(_ task: TaskID, at place: Place) {
        places[task] = place
        if place.parent == .none {
            newestChain = max(newestChain, task)
        } else if place.isNested {
            nested[place.parent, default: SortedTasks()].insert(task)
        } else if let last = places[place.parent]?.lastContinuation {
            if last != .none { continuations[place.parent, default: SortedTasks(last)].insert(task) }
            places.update(place.parent) { $0.lastContinuation = max(last, task) }
        }
        order.markStale(place.parent)
    }

    private mutating func leave(_ task: TaskID, from place: Place) {
        order.markStale(place.parent)
        if place.isNested {
            nested[place.parent]?.remove(task)
            return
        }
        continuations[place.parent]?.remove(task)
        if places[place.parent]?.lastContinuation == task {
            let last = continuations[place.parent]?.last ?? .none
            places.update(place.parent) { $0.lastContinuation = last }
        }
        if continuations[place.parent]?.hasSeveral == false { continuations[place.parent] = nil }
    }

    // MARK: Neighbours

    /// The task above the place of `task`; nil at the top.
    private func predecessor(of task: TaskID, at place: Place, in graph: some RailGraph) -> TaskID? {
        guard place.parent != .none else { return endOfChains(before: task, in: graph) }
        if place.isNested {
            let before = nested[place.parent]?.last(before: task)
            return before.map(end) ?? place.parent
        }
        let last = places[place.parent]?.lastContinuation ?? .none
        let before = last < task ? last : continuations[place.parent]?.last(before: task) ?? .none
        if before != .none { return end(of: before) }
        return nested[place.parent]?.last.map(end) ?? place.parent
    }

    /// The last task of the block of `task`.
    private func end(of task: TaskID) -> TaskID {
        var end = task
        while true {
            if let last = places[end]?.lastContinuation, last != .none {
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
        while let place = places[top], place.parent != .none {
            let root = graph.chain(of: top)
            let next = root < top && places[root] != nil ? root : place.parent
            guard places[next] != nil else { break }
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
        places.update(task) { $0.leadsOn = true }
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
