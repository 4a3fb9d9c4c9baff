import CTraceLanes

/// The lanes of this process. The runtime emits into them once the bus is installed, and readers take events from them.
///
/// The region and each thread's lane are the project's one piece of process-wide state, because an emitting thread has no parameter for a
/// bus. Every method may be called from any thread.
package final class EventBus: @unchecked Sendable {
    // The pointer never changes. The memory behind it is atomic or guarded by the region's own locks.
    private let region: OpaquePointer
    private let header: UnsafePointer<trace_header>
    private let clock: TraceClock

    package struct Options: Sendable {
        package var time: EventClock
        /// The number of threads that can emit at the same time.
        package var laneLimit: UInt32
        /// The number of records that a lane holds before its writer overwrites the oldest. Rounded up to a power of two less one.
        package var laneCapacity: UInt32
        package var entryLimit: UInt32
        /// Bytes for all names, sites and errors together.
        package var entryBytes: UInt32
        package var program: String

        /// The defaults take 50 MiB of address space or of a sparse file, and 4 MiB more for each thread that emits. A program touches only
        /// the part it uses: up to 4 MiB per busy thread, which hold five milliseconds of events at the fastest measured rate. An empty
        /// `program` stands for the name of this process.
        package init(
            time: EventClock = .fastest,
            laneLimit: UInt32 = UInt32(TRACE_DEFAULT_LANES),
            laneCapacity: UInt32 = UInt32(TRACE_DEFAULT_SLOTS) - 1,
            entryLimit: UInt32 = UInt32(TRACE_DEFAULT_ENTRIES),
            entryBytes: UInt32 = UInt32(TRACE_DEFAULT_ENTRY_BYTES),
            program: String = ""
        ) {
            self.time = time
            self.laneLimit = laneLimit
            self.laneCapacity = laneCapacity
            self.entryLimit = entryLimit
            self.entryBytes = entryBytes
            self.program = program
        }
    }

    private init(region: OpaquePointer) {
        self.region = region
        header = trace_region_header(region)
        clock = TraceClock(TraceClock.Source(header.pointee), isRunning: true)
    }

    /// Creates lanes in memory. Throws if the system provides no memory.
    package convenience init(_ options: Options = Options()) throws(TraceProblem) {
        guard let made = options.withRaw({ trace_region_create(&$0) }) else {
            throw TraceProblem(.unavailable, "The memory for recording could not be mapped.")
        }
        self.init(region: made)
    }

    /// Creates lanes in a file of an open directory. The file has no name before ``publish()`` and is removed with the bus.
    package convenience init(_ options: Options = Options(), inDirectory descriptor: Int32) throws(TraceProblem) {
        var problem = trace_problem()
        guard let made = options.withRaw({ trace_region_create_file(&$0, descriptor, &problem) }) else {
            throw TraceProblem(problem)
        }
        self.init(region: made)
    }

    /// The lanes that the environment variable `HOPSCOPE` requests; nil if it requests none. Creates them and starts recording if that has
    /// not happened yet. Call it once per process, because a bus destroys its lanes when it is released.
    package convenience init?(ofEnvironment: Void) {
        guard let made = trace_environment_region() else { return nil }
        self.init(region: made)
    }

    deinit {
        stop()
        trace_region_discard(region)
    }

    // MARK: Recording

    /// Whether events of this process are recorded: one relaxed load.
    package static var isRecording: Bool { trace_is_recording() }

    /// Installs this bus: from now on, all events of the process go to it and to no other bus.
    package func start() {
        trace_install(region)
    }

    /// Stops recording if this bus is the installed one. A thread in the middle of an event still finishes it.
    package func stop() {
        trace_uninstall(region)
    }

    // MARK: Publishing

    /// Gives the file its name, so that other processes can find it. Does nothing if the file has its name. Throws for lanes in memory.
    package func publish() throws(TraceProblem) {
        var problem = trace_problem()
        guard trace_region_publish(region, &problem) else { throw TraceProblem(problem) }
    }

    /// Removes the file's name. A reader that has the file open can continue to read.
    package func withdraw() {
        trace_region_withdraw(region)
    }

    /// The file's name while it is published; empty for lanes in memory.
    package var fileName: String { String(cString: trace_region_name(region)) }

    /// States in the region whether a flight recorder of this process keeps its last seconds.
    package func note(flightRecorder isAboard: Bool) {
        trace_region_set_flight(region, isAboard ? TRACE_FLIGHT_ABOARD : TRACE_FLIGHT_NONE)
    }

    /// Whether gates of this process hold jobs, as its region states.
    package var holdsJobs: Bool {
        get { trace_region_is_holding(region) }
        set { trace_region_set_holding(region, newValue) }
    }

    // MARK: The trace

    package var program: String {
        withUnsafeBytes(of: header.pointee.program) { name in String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) }
    }
    package var pid: Int32 { Int32(bitPattern: header.pointee.pid) }
    package var startRealtime: UInt64 { header.pointee.start_realtime_ns }

    // MARK: Time

    /// Nanoseconds since the bus was created.
    package var now: UInt64 { clock.time(at: trace_region_now(region)) }

    /// Sets the time of a bus whose time source is `.virtual`.
    package func setTime(nanoseconds: UInt64) {
        trace_region_set_time(region, nanoseconds)
    }

    // MARK: Reading

    /// The number of records that a lane holds before its writer overwrites the oldest.
    package var laneCapacity: UInt64 { UInt64(header.pointee.lane_slots - 1) }

    /// The number of lanes used so far. Lanes are numbered from 0.
    package var laneCount: UInt32 { trace_lane_count(region) }

    package func copyHeads(to heads: inout [UInt64]) {
        heads.removeAll(keepingCapacity: true)
        for lane in 0..<trace_lane_count(region) { heads.append(trace_lane_head(region, lane)) }
    }

    /// The number of records lost because their thread found no free lane.
    package var unplaced: UInt64 { trace_unplaced(region) }

    /// Appends the records of lane `lane` from number `next` on, at most `limit`, and moves `next` past them. Returns the number of earlier
    /// records that the writer had already overwritten. A report of losses, which only readers write, counts as one of them.
    package func read(lane: UInt32, from next: inout UInt64, into events: inout [TaskEvent], limit: Int) -> UInt64 {
        var lost: UInt64 = 0
        var taken = [TaskEvent](unsafeUninitializedCapacity: limit) { buffer, count in
            count = buffer.withMemoryRebound(to: trace_record.self) { records in
                trace_lane_read(region, lane, &next, records.baseAddress, limit, &lost)
            }
            clock.convert(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
        }
        let count = taken.count
        taken.removeAll { $0.record.kind == EventKind.lost.rawValue }
        lost += UInt64(count - taken.count)
        events.append(contentsOf: taken)
        trace_lane_set_read(region, lane, next)
        return lost
    }

    /// The number of names, sites and errors that did not fit into the table. They show as "…".
    package var entriesRefused: UInt64 { trace_entries_refused(region) }

    /// Appends the entries that a reader's copy of the table lacks.
    package func copyEntries(to table: inout EntryTable) {
        let count = trace_entry_count(region)
        while table.count < count {
            var bytes: UnsafePointer<UInt8>?
            let raw = trace_entry_at(region, UInt32(table.count), &bytes)
            table.append(Entry(raw, bytes: bytes))
        }
    }
}

extension EventBus.Options {
    /// Calls `body` with the options as the C type of the lanes.
    fileprivate func withRaw<Result>(_ body: (inout trace_region_options) -> Result) -> Result {
        program.withCString { program in
            var raw = trace_region_options(
                clock: time.clock, lane_limit: laneLimit, lane_slots: laneCapacity &+ 1, entry_limit: entryLimit,
                entries_size: entryBytes, program: program)
            return body(&raw)
        }
    }
}
