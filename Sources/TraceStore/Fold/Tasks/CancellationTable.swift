/// The request to cancel a task, and the task's first look at it.
struct CancellationRecord: BitwiseCopyable {
    static var never: UInt64 { .max }

    /// The task whose code made the request; 0 for none.
    var asker: UInt64 = 0
    /// The time of the request.
    var at = never
    /// The time at which the task first found that it is cancelled. A thread can look before the request's record is written.
    var seen = never
    /// The number of requests before this one.
    var order: UInt64 = 0
    /// The label of the place that made the request; 0 if the trace does not have it.
    var site: UInt32 = 0
    /// The entry of the calls that the task awaited at the request, or before it; 0 if the trace does not have them.
    var calls: UInt32 = 0
    /// The time at which the task entered the cancellation shield that it is in, or was found in it; ``never`` if it is in none.
    var shield = never
    /// Nanoseconds in shields that the task has left since the request.
    var shielded: UInt64 = 0
    /// The entry of the calls that began the latest shield; 0 if the trace does not have them.
    var shieldCalls: UInt32 = 0
    /// Whether the task was suspended at the request.
    var isWaiting = false
    /// The ``CancellationRequest`` as a raw value.
    var manner: UInt8 = 0
}

/// The requests to cancel tasks. Few tasks have one.
struct CancellationTable: ~Copyable {
    var records: Pool<CancellationRecord>
    /// The number of requests so far.
    var requests: UInt64 = 0

    init(memory: PageMemory) { records = Pool(memory: memory) }

    private init(records: consuming Pool<CancellationRecord>, requests: UInt64) {
        self.records = records
        self.requests = requests
    }

    func copy() -> CancellationTable { CancellationTable(records: records.copy(), requests: requests) }
}
