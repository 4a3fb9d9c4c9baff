import TaskEvents
import TraceStore

/// The two executors of a hop.
package struct HopEnds: Hashable, Sendable {
    /// `.none` for a thread that ran no executor's job.
    package var from: ExecutorID
    package var to: ExecutorID

    package init(from: ExecutorID, to: ExecutorID) {
        self.from = from
        self.to = to
    }
}

/// The totals of the hops from one executor to another.
package struct HopCell: Sendable {
    /// The number of latest hops that are kept individually.
    package static let hopLimit = 4096

    package private(set) var count = 0
    /// The waits of the jobs that have begun, in nanoseconds.
    package private(set) var waits = WaitTimes()
    /// A percentile of ``waits``, set by ``close()``: computing it takes time, and every frame draws it.
    package private(set) var p50: UInt64?
    package private(set) var p99: UInt64?
    /// Sorted by task, the newest last.
    package private(set) var hops: [ClassedHop] = []
    private var classes: [HopClass: Int] = [:]

    package func count(of hopClass: HopClass) -> Int { classes[hopClass] ?? 0 }

    mutating func add(_ hop: ClassedHop) {
        count += 1
        classes[hop.hopClass, default: 0] += 1
        if let wait = hop.hop.wait { waits.record(wait) }
        hops.append(hop)
        if hops.count == 2 * Self.hopLimit { hops.removeFirst(Self.hopLimit) }
    }

    mutating func close() {
        p50 = waits.p50
        p99 = waits.p99
    }
}

/// All hops of the tasks that the store keeps, grouped by source and target executor.
package struct HopMatrix: Sendable {
    package private(set) var cells: [HopEnds: HopCell] = [:]

    package init() {}

    package var count: Int { cells.values.reduce(0) { $0 + $1.count } }

    mutating func add(_ hop: ClassedHop) {
        cells[HopEnds(from: hop.hop.from, to: hop.hop.to), default: HopCell()].add(hop)
    }

    mutating func close() {
        for ends in cells.keys { cells[ends]?.close() }
    }

    /// The executors that hops came from: main first, then by id. Threads without an executor come last.
    package func sources(in store: TraceStore) -> [ExecutorID] {
        sorted(Set(cells.keys.map(\.from)), in: store)
    }

    /// The executors that hops went to, in the same order.
    package func targets(in store: TraceStore) -> [ExecutorID] {
        sorted(Set(cells.keys.map(\.to)), in: store)
    }

    private func sorted(_ executors: Set<ExecutorID>, in store: TraceStore) -> [ExecutorID] {
        func rank(_ id: ExecutorID) -> Int {
            if id == .none { return 2 }
            return store.description(of: id).kind == .main ? 0 : 1
        }
        return executors.sorted { (rank($0), $0) < (rank($1), $1) }
    }
}

/// Adds up the hops of the store's tasks in portions: a million tasks at once would delay keys.
package struct HopPass {
    /// The store's event count at the beginning of the pass.
    package let eventCount: Int
    private var matrix = HopMatrix()
    private var latest = TaskID.none

    package init(_ store: TraceStore) {
        eventCount = store.eventCount
    }

    /// Adds the next `portion` tasks. Returns the matrix after the last portion.
    package mutating func advance(_ store: TraceStore, portion: Int) -> HopMatrix? {
        let analysis = HopAnalysis(store)
        var rows = store.rows(after: latest).makeIterator()
        for _ in 0..<portion {
            guard let row = rows.next() else {
                matrix.close()
                return matrix
            }
            let task = store[row]
            latest = task.id
            for (hop, hopClass) in zip(task.hops, analysis.hopClasses(of: task)) { matrix.add(ClassedHop(hop: hop, hopClass: hopClass)) }
        }
        return nil
    }
}
