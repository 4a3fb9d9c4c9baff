import TaskEvents

/// The hops that are not yet written. An arrow is written after both of its slices, so that every arrow has both ends.
struct PerfettoFlows {
    /// A slice, by its track's `tid`.
    typealias Slice = (track: Int, start: UInt64, end: UInt64)

    struct Arrow {
        var id: Int
        var from: (track: Int, time: UInt64)
        var to: (track: Int, time: UInt64)
    }

    private struct Flow {
        var task: TaskID
        var at: UInt64
        var source: Slice?
        var target: Slice?
    }

    private var flows: [Int: Flow] = [:]
    /// The hop that will bring each task to its executor.
    private var coming: [TaskID: Int] = [:]
    private var count = 0

    mutating func begin(for task: TaskID, at time: UInt64) -> Int {
        count += 1
        forget(task)
        flows[count] = Flow(task: task, at: time)
        coming[task] = count
        return count
    }

    /// The hop that brought the task whose body begins now. Removes it from the list.
    mutating func arrive(_ task: TaskID) -> Int? {
        coming.removeValue(forKey: task)
    }

    mutating func forget(_ task: TaskID) {
        if let flow = coming.removeValue(forKey: task) { flows[flow] = nil }
    }

    mutating func place(_ flow: Int, from slice: Slice) {
        flows[flow]?.source = slice
    }

    mutating func place(_ flow: Int, to slice: Slice) {
        flows[flow]?.target = slice
    }

    /// Returns the arrow once, when both ends are placed.
    ///
    /// A viewer looks for the slice that is open at the time of an arrow's end, and a slice is no longer open at its own end time. So both
    /// times are inside their slices, and the arrow leads forward in time if the slices permit it.
    mutating func takeWhole(_ id: Int) -> Arrow? {
        guard let flow = flows[id], let source = flow.source, let target = flow.target else { return nil }
        flows[id] = nil
        let from = max(source.start, min(flow.at, target.start, source.end - min(source.end, 1)))
        let to = target.start > from ? target.start : max(target.start, min(from + 1, target.end - min(target.end, 1)))
        return Arrow(id: id, from: (source.track, from), to: (target.track, to))
    }
}
