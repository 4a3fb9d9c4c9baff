import TaskEvents

/// The tracks of a Perfetto trace: each executor has as many as it had jobs at a time.
///
/// A viewer takes two slices of one track that overlap for nested. So a track is lent to one job at a time, with all that runs inside it, and
/// is lent again only from where its last slice ends: what is not nested does not overlap, whatever the trace says.
struct PerfettoTracks {
    struct Track {
        let executor: ExecutorID
        /// From 1, among the tracks of the executor.
        let number: Int
        /// The `tid`.
        let id: Int
        /// The end of the last slice that was written to it.
        var until: UInt64 = 0
        /// Slices on it that have begun and are not written.
        var open = 0
    }

    /// The `pid`: a trace is one process.
    static let process = 1

    private var tracks: [Track] = []
    /// How many each executor has.
    private var counts: [ExecutorID: Int] = [:]
    /// Those of each executor that are lent to nobody, in order.
    private var free: [ExecutorID: [Int]] = [:]

    subscript(index: Int) -> Track { tracks[index] }

    var count: Int { tracks.count }

    /// A track of the executor that is free from `start` on, for a slice that begins there.
    mutating func take(for executor: ExecutorID, from start: UInt64) -> Int {
        let place = free[executor]?.firstIndex { tracks[$0].until <= start }
        let index = place.flatMap { free[executor]?.remove(at: $0) } ?? make(for: executor)
        tracks[index].open = 1
        return index
    }

    /// Begins a slice inside the one that the track was lent to; false if what was written last ends later.
    mutating func nest(in index: Int, from start: UInt64) -> Bool {
        guard tracks[index].until <= start else { return false }
        tracks[index].open += 1
        return true
    }

    /// The slice is gone to another track.
    mutating func leave(_ index: Int) {
        tracks[index].open -= 1
        guard tracks[index].open == 0 else { return }
        let executor = tracks[index].executor
        let place = free[executor]?.firstIndex { $0 > index } ?? free[executor]?.count ?? 0
        free[executor, default: []].insert(index, at: place)
    }

    /// The slice is written.
    mutating func end(_ index: Int, at time: UInt64) {
        tracks[index].until = max(tracks[index].until, time)
        leave(index)
    }

    private mutating func make(for executor: ExecutorID) -> Int {
        counts[executor, default: 0] += 1
        let index = tracks.count
        // A thread whose number is the process's counts as the main one.
        tracks.append(Track(executor: executor, number: counts[executor, default: 1], id: PerfettoTracks.process + 1 + index))
        return index
    }
}
