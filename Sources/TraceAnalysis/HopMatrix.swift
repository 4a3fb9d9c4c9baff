import TaskEvents
import TraceStore

/// From which executor to which: the ends of a hop.
package struct HopEnds: Hashable, Sendable {
    /// `.none` for threads that ran no executor's job.
    package var from: ExecutorID
    package var to: ExecutorID

    package init(from: ExecutorID, to: ExecutorID) {
        self.from = from
        self.to = to
    }
}

/// The hops between two executors, added up.
package struct HopCell: Sendable {
    /// The latest hops that are kept one by one.
    package static let hopLimit = 4096

    package private(set) var count = 0
    /// Of the jobs that have begun, in nanoseconds.
    package private(set) var waits = WaitTimes()
    /// Of ``waits``, once all of them are in it: they take time to find, and are drawn in every frame.
    package private(set) var p50: UInt64?
    package private(set) var p99: UInt64?
    /// By task, the latest last.
    package private(set) var hops: [ClassedHop] = []
    private var classes: [5 of Int] = .init(repeating: 0)

    package func count(of hopClass: HopClass) -> Int {
        classes[Self.place(of: hopClass)]
    }

    mutating func add(_ hop: ClassedHop) {
        count += 1
        classes[Self.place(of: hop.hopClass)] += 1
        if let wait = hop.hop.wait { waits.record(wait) }
        hops.append(hop)
        if hops.count == 2 * Self.hopLimit { hops.removeFirst(Self.hopLimit) }
    }

    mutating func close() {
        p50 = waits.p50
        p99 = waits.p99
    }

    private static func place(of hopClass: HopClass) -> Int {
        switch hopClass {
        case .depthGuard: 0
        case .bounce: 1
        case .redundant: 2
        case .inline: 3
        case .dispatched: 4
        }
    }
}

/// All hops of the tasks that the store keeps, by where they went from and to.
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

    /// The executors that hops went from: main first, then by id; threads of none last.
    package func sources(in store: TraceStore) -> [ExecutorID] {
        sorted(Set(cells.keys.map(\.from)), in: store)
    }

    /// The executors that hops went to, likewise.
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

/// Goes through the store's tasks a portion at a time and adds up their hops: a million tasks at once would hold up the keys.
package struct HopPass {
    /// The events that the store had when the pass began.
    package let eventCount: Int
    private var matrix = HopMatrix()
    private var latest = TaskID.none

    package init(_ store: TraceStore) {
        eventCount = store.eventCount
    }

    /// Looks at so many tasks; the matrix if they were the last.
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
            for hop in task.hops { matrix.add(ClassedHop(hop, analysis.hopClass(of: hop))) }
        }
        return nil
    }
}
