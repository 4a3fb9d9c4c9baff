import TaskEvents

/// The tracks of a Perfetto trace. Each executor has as many tracks as it ran jobs at the same time.
///
/// A viewer treats overlapping slices of one track as nested. So a track belongs to one job at a time, together with every slice inside the
/// job. The next job can use it only from the end of its last slice on. Slices that are not nested therefore never overlap, even if the
/// trace is inconsistent.
struct PerfettoTracks {
    struct Track {
        let executor: ExecutorID
        /// The number among the executor's tracks, from 1.
        let number: Int
        /// The `tid`.
        let id: Int
        /// The end of the last slice written to the track.
        var until: UInt64 = 0
        /// The number of slices on the track that have begun and are not written.
        var open = 0
    }

    /// The `pid`. A trace covers one process.
    static let process = 1

    private var tracks: [Track] = []
    /// The number of tracks of each executor.
    private var counts: [ExecutorID: Int] = [:]
    /// The tracks of each executor that no job uses, in order.
    private var free: [ExecutorID: [Int]] = [:]

    subscript(index: Int) -> Track { tracks[index] }

    var count: Int { tracks.count }

    /// Assigns a track of the executor that is free from `start` on, for a slice that begins there.
    mutating func take(for executor: ExecutorID, from start: UInt64) -> Int {
        let position = free[executor]?.firstIndex { tracks[$0].until <= start }
        let index = position.flatMap { free[executor]?.remove(at: $0) } ?? make(for: executor)
        tracks[index].open = 1
        return index
    }

    /// Begins a slice inside the track's current slice. Returns false if the last written slice ends later than `start`.
    mutating func nest(in index: Int, from start: UInt64) -> Bool {
        guard tracks[index].until <= start else { return false }
        tracks[index].open += 1
        return true
    }

    /// Removes a slice that has moved to another track.
    mutating func leave(_ index: Int) {
        tracks[index].open -= 1
        guard tracks[index].open == 0 else { return }
        let executor = tracks[index].executor
        let position = free[executor]?.firstIndex { $0 > index } ?? free[executor]?.count ?? 0
        free[executor, default: []].insert(index, at: position)
    }

    /// Ends a slice that has been written.
    mutating func end(_ index: Int, at time: UInt64) {
        tracks[index].until = max(tracks[index].until, time)
        leave(index)
    }

    private mutating func make(for executor: ExecutorID) -> Int {
        counts[executor, default: 0] += 1
        let index = tracks.count
        // A viewer treats a thread as the main thread if its number is the process's number, so the numbers start after that.
        tracks.append(Track(executor: executor, number: counts[executor, default: 1], id: PerfettoTracks.process + 1 + index))
        return index
    }
}
