import CTraceLanes
import Synchronization
import TaskEvents

/// A region's header, checked against the file's size: everything that it refers to lies inside the file.
struct RegionLayout: Sendable {
    let pid: Int32
    let processStart: UInt64
    let pidNamespace: UInt64
    /// Whether the region was made before this machine's last start. False if either boot is not known.
    let isOfEarlierBoot: Bool
    let program: String
    let service: String
    let resource: String

    let clock: TraceClock.Source
    let startRealtime: UInt64

    let laneLimit: UInt32
    let laneSlots: UInt32
    let laneHeadersOffset: UInt64
    let ringsOffset: UInt64
    let entryLimit: UInt32
    let entryIndexOffset: UInt64
    let entriesOffset: UInt64
    let entriesSize: UInt64

    /// More records than any program emits: 400 days of the fastest emitting.
    static let mostRecords = UInt64(TRACE_MOST_RECORDS)

    /// Reads and checks the header of the file called `name`.
    init(of file: OpenFile, name: String) throws(TraceProblem) {
        var raw = trace_header()
        let length = withUnsafeMutableBytes(of: &raw) { file.read(at: 0, into: $0) }
        guard length >= 16, withUnsafeBytes(of: raw.magic, { $0.elementsEqual("HOPLANES".utf8) }) else {
            throw TraceProblem(.unreadable, "\(name) is not a Hopscope trace.")
        }
        guard raw.version <= UInt32(TRACE_REGION_VERSION) else {
            throw TraceProblem(
                .unreadable,
                "\(name) was written by a newer Hopscope: it has format \(raw.version), and this one reads up to \(TRACE_REGION_VERSION). "
                    + "Update hopscope to read it.")
        }
        func damaged(_ what: String) -> TraceProblem {
            TraceProblem(.unreadable, "\(name) is damaged: \(what).")
        }
        guard raw.version > 0 else { throw damaged("its header says that it has format 0") }
        // The file grows with the program's threads. This order of reads finds every lane that the header counts inside the file.
        atomicMemoryFence(ordering: .acquiring)
        raw.region_size = file.load(at: RegionField.regionSize) ?? raw.region_size
        let size = file.size
        guard length == MemoryLayout<trace_header>.size, size >= raw.region_size else {
            throw TraceProblem(.unreadable, "\(name) is cut off: it has \(size) bytes of \(max(raw.region_size, size + 1)).")
        }
        let total = raw.region_size
        func holds(_ offset: UInt64, _ count: UInt64, of bytes: Int) -> Bool {
            let (length, overflow) = count.multipliedReportingOverflow(by: UInt64(bytes))
            return !overflow && offset % 8 == 0 && offset >= UInt64(MemoryLayout<trace_header>.size) && offset <= total
                && length <= total - offset
        }
        guard (1...UInt32(TRACE_LANE_LIMIT)).contains(raw.lane_limit) else {
            throw damaged("its header says that it has \(raw.lane_limit) lanes")
        }
        guard raw.lane_slots >= 2, raw.lane_slots <= 1 << 30, raw.lane_slots.nonzeroBitCount == 1 else {
            throw damaged("its header says that a lane holds \(raw.lane_slots) records")
        }
        let lanes = min(raw.lane_count, raw.lane_limit)
        guard holds(raw.lane_headers_offset, UInt64(raw.lane_limit), of: MemoryLayout<trace_lane_header>.stride),
            holds(raw.rings_offset, UInt64(lanes) * UInt64(raw.lane_slots), of: MemoryLayout<trace_record>.stride)
        else { throw damaged("by its header its lanes lie outside of it") }
        guard holds(raw.entry_index_offset, UInt64(raw.entry_limit), of: 4), holds(raw.entries_offset, UInt64(raw.entries_size), of: 1)
        else { throw damaged("by its header its names lie outside of it") }
        guard (TRACE_CLOCK_MONOTONIC.rawValue...TRACE_CLOCK_COUNTER.rawValue).contains(raw.clock),
            (1...1_000_000_000_000).contains(raw.ticks_per_second)
        else { throw damaged("its header names no clock") }

        pid = Int32(truncatingIfNeeded: raw.pid)
        processStart = raw.process_start
        pidNamespace = raw.pid_namespace
        var boot = [UInt8](repeating: 0, count: 16)
        boot.withUnsafeMutableBufferPointer { trace_boot($0.baseAddress) }
        isOfEarlierBoot = withUnsafeBytes(of: raw.boot) { made in
            made.contains { $0 != 0 } && boot.contains { $0 != 0 } && !made.elementsEqual(boot)
        }
        func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
        program = withUnsafeBytes(of: raw.program, text)
        service = withUnsafeBytes(of: raw.service, text)
        resource = withUnsafeBytes(of: raw.resource, text)
        clock = TraceClock.Source(raw)
        startRealtime = raw.start_realtime_ns
        laneLimit = raw.lane_limit
        laneSlots = raw.lane_slots
        laneHeadersOffset = raw.lane_headers_offset
        ringsOffset = raw.rings_offset
        entryLimit = raw.entry_limit
        entryIndexOffset = raw.entry_index_offset
        entriesOffset = raw.entries_offset
        entriesSize = UInt64(raw.entries_size)
    }

    /// The offset of a lane's header.
    func header(ofLane lane: UInt32) -> UInt64 {
        laneHeadersOffset + UInt64(lane) * UInt64(MemoryLayout<trace_lane_header>.stride)
    }

    /// The offset of a lane's ring.
    func ring(ofLane lane: UInt32) -> UInt64 {
        ringsOffset + UInt64(lane) * UInt64(laneSlots) * UInt64(MemoryLayout<trace_record>.stride)
    }

    /// Whether `slots` is a possible length of a ring.
    func isRing(_ slots: UInt32) -> Bool {
        slots >= 2 && slots <= laneSlots && slots.nonzeroBitCount == 1
    }
}

/// The offsets of the header fields that change while the program runs.
enum RegionField {
    static let regionSize = offset(\.region_size)
    static let laneCount = offset(\.lane_count)
    static let entryCount = offset(\.entry_count)
    static let entriesRefused = offset(\.entries_refused)
    static let unplaced = offset(\.unplaced)
    static let virtualTime = offset(\.virtual_time)
    static let isWithdrawn = offset(\.is_withdrawn)
    static let hasExited = offset(\.has_exited)
    static let flight = offset(\.flight)
    static let holdsJobs = offset(\.holds_jobs)

    private static func offset(_ field: PartialKeyPath<trace_header>) -> UInt64 {
        UInt64(MemoryLayout<trace_header>.offset(of: field)!)
    }
}
