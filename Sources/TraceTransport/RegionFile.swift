import CTraceLanes
import Glibc
import Synchronization
import TaskEvents

/// The lanes of another process, or of one that has ended, read from their file.
///
/// The file is read by system calls, one part at a time. Each offset in it is checked against the file's size before use, because the file
/// may be torn, may be truncated during the read, or may not be a region at all. The kernel copies an aligned word as a whole, so counts
/// are never torn.
package final class RegionFile: LaneSource {
    package let path: String
    let file: OpenFile
    let layout: RegionLayout
    private let clock: TraceClock
    /// Whether the writer ran when the region was opened; nil if it is in another container.
    private let writerWasAlive: Bool?
    /// The time of the last record of a trace that has ended, in ticks.
    private let end: UInt64

    /// Opens a region by its path. Throws if the file is not a region or cannot be trusted.
    package convenience init(path: String) throws(TraceProblem) {
        // Without O_NONBLOCK, opening a pipe would block.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.cannotOpen(path, errno) }
        try self.init(OpenFile(descriptor), path: path)
    }

    init(_ file: OpenFile, path: String) throws(TraceProblem) {
        try Self.check(file, path)
        let layout = try RegionLayout(of: file, name: path)
        self.path = path
        self.file = file
        self.layout = layout
        writerWasAlive = layout.writerIsAlive
        clock = TraceClock(layout.clock, isRunning: writerWasAlive != false)
        end = writerWasAlive == false ? Self.lastTick(of: file, layout) : 0
    }

    static func cannotOpen(_ path: String, _ error: Int32) -> TraceProblem {
        switch error {
        case ENOENT, ENOTDIR: TraceProblem(.missing, "There is no file \(path).")
        case ELOOP: TraceProblem(.refused, "\(path) is a symbolic link, which is not followed; name the file that it leads to.")
        case EACCES, EPERM: TraceProblem(.refused, "\(path) belongs to another user; only that user and root may read it.")
        default: TraceProblem(.unavailable, "\(path) could not be opened: \(TraceProblem.words(of: error)).")
        }
    }

    /// Throws unless the file is a regular file that only its owner can write.
    private static func check(_ file: OpenFile, _ path: String) throws(TraceProblem) {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw cannotOpen(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TraceProblem(.unreadable, "\(path) is not a file, and so no Hopscope trace.")
        }
        guard status.st_uid == geteuid() || geteuid() == 0 else {
            throw TraceProblem(.refused, "\(path) belongs to the user with id \(status.st_uid); only that user and root may read it.")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw TraceProblem(
                .refused, "\(path) can be written by other users, so its content cannot be trusted; 'chmod go-w' ends that.")
        }
    }

    // MARK: The trace

    package var program: String { layout.program }
    package var pid: Int32 { layout.pid }
    package var startRealtime: UInt64 { layout.startRealtime }
    /// The trace's start on the system's monotonic clock, in nanoseconds.
    package var startMonotonic: UInt64 { clock.startMonotonic }
    /// The process's `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` when it began to record; empty if it had none.
    package var service: String { layout.service }
    package var resource: String { layout.resource }

    /// The state of the writing process, checked again at each call.
    package var writer: WriterState {
        switch writerWasAlive.map({ $0 && layout.processIsAlive }) {
        case false?: .ended
        case true?: file.load(at: RegionField.isWithdrawn, as: UInt32.self) == 0 ? .recording : .withdrawn
        case nil: .elsewhere
        }
    }

    /// Whether the process has ended without `exit`: by a signal, or by `_exit`. False while it runs, and if it stopped publishing before.
    package var hasCrashed: Bool {
        writer == .ended && file.load(at: RegionField.isWithdrawn, as: UInt32.self) == 0
            && file.load(at: RegionField.hasExited, as: UInt32.self) == 0
    }

    /// Whether a flight recorder runs in the process itself.
    package var hasFlightRecorder: Bool { file.load(at: RegionField.flight, as: UInt32.self) == TRACE_FLIGHT_ABOARD.rawValue }

    package var holdsJobs: Bool { file.load(at: RegionField.holdsJobs, as: UInt32.self) != 0 }

    /// The number of bytes that the file occupies on disk.
    package var bytesOnDisk: UInt64 {
        var status = stat()
        return fstat(file.descriptor, &status) == 0 ? UInt64(status.st_blocks) * 512 : 0
    }

    package var now: UInt64 {
        guard writerWasAlive != false else { return nanoseconds(atTick: end) }
        if layout.clock.clock == TRACE_CLOCK_VIRTUAL.rawValue { return nanoseconds(atTick: file.load(at: RegionField.virtualTime) ?? 0) }
        return nanoseconds(atTick: trace_clock_now(layout.clock.clock))
    }

    /// Clamped to ``TraceLimits``.
    private func nanoseconds(atTick tick: UInt64) -> UInt64 {
        min(clock.time(at: tick), TraceLimits.latestTime)
    }

    private static func lastTick(of file: OpenFile, _ layout: RegionLayout) -> UInt64 {
        let stride = UInt64(MemoryLayout<trace_record>.stride)
        return laneStates(of: file, layout).enumerated().reduce(layout.clock.startTicks) { latest, lane in
            guard lane.element.head > 0 else { return latest }
            let slot = (lane.element.head - 1) & UInt64(lane.element.slots - 1)
            return max(latest, file.load(at: layout.ring(ofLane: UInt32(lane.offset)) + slot * stride) ?? 0)
        }
    }

    // MARK: Reading

    package var unplaced: UInt64 { count(at: RegionField.unplaced) }
    package var entriesRefused: UInt64 { count(at: RegionField.entriesRefused) }

    private func count(at offset: UInt64) -> UInt64 {
        min(file.load(at: offset) ?? 0, RegionLayout.mostRecords)
    }

    package var laneCount: UInt32 { Self.laneCount(of: file, layout) }

    private static func laneCount(of file: OpenFile, _ layout: RegionLayout) -> UInt32 {
        min(file.load(at: RegionField.laneCount) ?? 0, layout.laneLimit)
    }

    package func copyHeads(to heads: inout [UInt64]) {
        heads.removeAll(keepingCapacity: true)
        for lane in Self.laneStates(of: file, layout) { heads.append(lane.head) }
    }

    /// The number of lanes with an invalid header. Their records are not read.
    package var damagedLanes: Int {
        Self.laneStates(of: file, layout).count { $0.slots == 0 }
    }

    /// A lane's record count and the length of its ring; both 0 if its header is damaged.
    private struct LaneState {
        var head: UInt64
        var slots: UInt32

        init(_ raw: trace_lane_header, _ layout: RegionLayout) {
            let isSound = raw.head <= RegionLayout.mostRecords && layout.isRing(raw.slots)
            head = isSound ? raw.head : 0
            slots = isSound ? raw.slots : 0
        }
    }

    private static func laneStates(of file: OpenFile, _ layout: RegionLayout) -> [LaneState] {
        let stride = MemoryLayout<trace_lane_header>.stride
        let headers = [trace_lane_header](unsafeUninitializedCapacity: Int(laneCount(of: file, layout))) { buffer, count in
            count = file.read(at: layout.laneHeadersOffset, into: UnsafeMutableRawBufferPointer(buffer)) / stride
        }
        // The following reads must not be reordered before the reads of the counts.
        atomicMemoryFence(ordering: .acquiring)
        return headers.map { LaneState($0, layout) }
    }

    private func laneState(_ lane: UInt32) -> LaneState {
        var raw = trace_lane_header()
        guard lane < layout.laneLimit else { return LaneState(raw, layout) }
        atomicMemoryFence(ordering: .acquiring)
        _ = withUnsafeMutableBytes(of: &raw) { file.read(at: layout.header(ofLane: lane), into: $0) }
        atomicMemoryFence(ordering: .acquiring)
        return LaneState(raw, layout)
    }

    package func read(lane: UInt32, from next: inout UInt64, into events: inout [TaskEvent], limit: Int) -> UInt64 {
        // If the ring grows during the read, the read is repeated with the new length. A ring can double at most as often as its length has
        // bits.
        for _ in 0..<UInt32.bitWidth {
            if let gone = tryToRead(lane, from: &next, into: &events, limit: limit) { return gone }
        }
        return 0
    }

    /// Nil if the length of the lane's ring changed during the read.
    private func tryToRead(_ lane: UInt32, from next: inout UInt64, into events: inout [TaskEvent], limit: Int) -> UInt64? {
        let before = laneState(lane)
        guard before.head > next, limit > 0 else { return 0 }
        let capacity = UInt64(before.slots) - 1
        let first = before.head - next > capacity ? before.head - capacity : next
        let wanted = Int(min(before.head - first, UInt64(limit)))
        var records = [TaskEvent](unsafeUninitializedCapacity: wanted) { buffer, count in
            count = copy(lane, slots: before.slots, from: first, into: UnsafeMutableRawBufferPointer(buffer), wanted)
        }
        let after = laneState(lane)
        guard after.slots == before.slots else { return nil }
        // Records that the writer reached during the read may be torn, so they count as lost. So do records that the truncated file lacks,
        // slots that were never written, and reports of losses, which only readers write.
        let intact = after.head > capacity ? after.head - capacity : 0
        let start = events.count
        records.removeFirst(intact > first ? Int(min(intact - first, UInt64(records.count))) : 0)
        records.removeAll { $0.record.kind == 0 || $0.record.kind == EventKind.lost.rawValue }
        if writerWasAlive == false {
            // A record that is later than its lane's last one is damaged.
            for index in records.indices { records[index].record.time = min(records[index].time, end) }
        }
        records.withUnsafeMutableBufferPointer { clock.convert($0, latest: TraceLimits.latestTime) }
        events += records
        let gone = first + UInt64(wanted) - next - UInt64(events.count - start)
        next = first + UInt64(wanted)
        return gone
    }

    /// Copies records of a ring from number `first` on, in two pieces if they wrap around its end. Returns the number of copied records.
    private func copy(_ lane: UInt32, slots: UInt32, from first: UInt64, into buffer: UnsafeMutableRawBufferPointer, _ wanted: Int) -> Int {
        let stride = MemoryLayout<trace_record>.stride
        let ring = layout.ring(ofLane: lane)
        let slot = Int(first & UInt64(slots - 1))
        let straight = min(wanted, Int(slots) - slot)
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(straight * stride)])
        let count = file.read(at: ring + UInt64(slot * stride), into: piece) / stride
        guard count == straight, wanted > straight else { return count }
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[(straight * stride)..<(wanted * stride)])
        return straight + file.read(at: ring, into: rest) / stride
    }
}
