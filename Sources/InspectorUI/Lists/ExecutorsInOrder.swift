import TaskEvents
import TraceStore

/// The executors in the order of Overview and Executors: main, then those on which jobs have waited, the longest wait first, then the
/// others. Waits up to a millisecond count as none except on main, and waits of one magnitude as equal, so that executors seldom change
/// places.
///
/// An update reads a portion of the executors, of which a trace can have 65,535. With at most ``portion``, it reads all of them.
struct ExecutorsInOrder {
    /// The number of executors that an update reads.
    static let portion = 1024

    private(set) var ids: [ExecutorID] = []
    /// The places in ``ids`` of main without a wait that counts, of the executors with one, and of the others.
    private(set) var quietMains = 0..<0
    private(set) var waited = 0..<0
    private(set) var others = 0..<0
    /// The store's order, as far as it has been taken over, and by the executor's number: the magnitude of its longest wait, 0 for none.
    private var taken: ArraySlice<ExecutorID> = []
    private var magnitudes: [UInt8] = []
    private var mains: Set<ExecutorID> = []
    /// The place in `taken` of the next executor to read again.
    private var next = 0
    /// The number of executors that have been read since the trace changed.
    private var readCount = 0
    private var version: UInt64?

    /// Whether all executors have been read since the trace last changed.
    func isSettled(_ store: TraceStore) -> Bool { ids.count == store.executorIDs.count && readCount >= ids.count }

    mutating func update(_ store: TraceStore) {
        let order = store.executorIDs
        if order.count < taken.count || order[..<taken.count] != taken { self = ExecutorsInOrder() }
        if version != store.version { readCount = 0 }
        version = store.version
        if taken.isEmpty { mains = Set(store.mainExecutors.map(\.id)) }
        var moved: [ExecutorID] = []
        for _ in 0..<min(Self.portion, taken.count) {
            if read(taken[next], store) { moved.append(taken[next]) }
            next = next + 1 < taken.count ? next + 1 : 0
        }
        let new = order[taken.count..<min(order.count, taken.count + Self.portion)]
        for id in new { read(id, store) }
        readCount += min(Self.portion, taken.count) + new.count
        taken = order[..<new.endIndex]
        guard !moved.isEmpty || !new.isEmpty else { return }
        let isMoved = Set(moved)
        put(moved + new, among: moved.isEmpty ? ids : ids.filter { !isMoved.contains($0) })
    }

    /// The place of an executor in ``ids``. Nil if it is not taken over yet.
    func index(of id: ExecutorID) -> Int? {
        guard Int(id.rawValue) < magnitudes.count else { return nil }
        let index = ids.partitioningIndex { key(of: $0) >= key(of: id) }
        return index < ids.count && ids[index] == id ? index : nil
    }

    /// True if the magnitude has changed.
    @discardableResult
    private mutating func read(_ id: ExecutorID, _ store: TraceStore) -> Bool {
        let executor = store.executor(id)
        let longest = executor.map { max($0.worstWait?.nanoseconds ?? 0, $0.waitOfFirst(until: store.now)) } ?? 0
        var magnitude = UInt8(UInt64.bitWidth - (longest / 1_000_000).leadingZeroBitCount)
        if magnitude > 0 || longest > 0 && mains.contains(id) { magnitude += 1 }
        let number = Int(id.rawValue)
        if number >= magnitudes.count { magnitudes += repeatElement(0, count: number + 1 - magnitudes.count) }
        defer { magnitudes[number] = magnitude }
        return magnitudes[number] != magnitude
    }

    private func hasWaited(_ id: ExecutorID) -> Bool { magnitudes[Int(id.rawValue)] > 0 }

    private func key(of id: ExecutorID) -> UInt64 {
        let isMain = mains.contains(id)
        let part: UInt64 = hasWaited(id) ? (isMain ? 1 : 2) : isMain ? 0 : 3
        return part << 32 | UInt64(UInt8.max - magnitudes[Int(id.rawValue)]) << 16 | UInt64(id.rawValue)
    }

    /// Merges executors into the others, which are in order.
    private mutating func put(_ changed: [ExecutorID], among others: [ExecutorID]) {
        let changed = changed.sorted { key(of: $0) < key(of: $1) }
        var merged: [ExecutorID] = []
        merged.reserveCapacity(changed.count + others.count)
        var index = 0
        for id in others {
            while index < changed.count, key(of: changed[index]) < key(of: id) {
                merged.append(changed[index])
                index += 1
            }
            merged.append(id)
        }
        ids = merged + changed[index...]
        let firstWaited = ids.partitioningIndex { hasWaited($0) || !mains.contains($0) }
        let firstOther = ids[firstWaited...].partitioningIndex { !hasWaited($0) }
        (quietMains, waited, self.others) = (0..<firstWaited, firstWaited..<firstOther, firstOther..<ids.count)
    }
}

extension ExecutorView {
    /// The time that the first job in the queue has waited, in nanoseconds.
    func waitOfFirst(until now: UInt64) -> UInt64 {
        queue.first { _ in true }.map { now > $0.since ? now - $0.since : 0 } ?? 0
    }
}
