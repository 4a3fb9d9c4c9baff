/// The waits of Swift tasks that have ended, by the code in which the tasks waited.
struct WaitPlaces {
    /// The ended waits of one place.
    struct Record: BitwiseCopyable {
        var count: UInt32 = 0
        /// The longest wait in nanoseconds.
        var longest: UInt64 = 0
    }

    /// By the number of the code's entry.
    private var records: [Record] = []

    subscript(code: UInt32) -> Record { code < records.count ? records[Int(code)] : Record() }

    @inline(__always)
    mutating func note(_ wait: UInt64, at code: UInt32) {
        if code >= records.count { grow(to: code) }
        records[Int(code)].count &+= 1
        if wait > records[Int(code)].longest { records[Int(code)].longest = wait }
    }

    private mutating func grow(to code: UInt32) {
        records.append(contentsOf: repeatElement(Record(), count: Int(code) + 1 - records.count))
    }
}
