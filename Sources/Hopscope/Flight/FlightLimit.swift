/// Decides whether a recording may be written. The number per hour is limited, and a trigger has a pause. Times are in nanoseconds.
struct FlightLimit {
    private static let hour: UInt64 = 3_600_000_000_000

    private let mostPerHour: Int
    private let pause: UInt64
    private var written: [UInt64] = []
    private var latest: [String: UInt64] = [:]
    /// The causes since the last recording that were not written.
    private(set) var refused = 0

    init(mostPerHour: Int, pause: UInt64) {
        self.mostPerHour = mostPerHour
        self.pause = pause
    }

    /// Whether a recording may be written now. If so, it counts, and ``refused`` begins again.
    mutating func admits(_ trigger: String, at now: UInt64) -> Bool {
        written.removeAll { now >= $0 && now - $0 >= Self.hour }
        let isTooSoon = latest[trigger].map { now < $0 || now - $0 < pause } ?? false
        guard written.count < mostPerHour, !isTooSoon else {
            refused += 1
            return false
        }
        written.append(now)
        latest[trigger] = now
        return true
    }

    mutating func forgetRefused() {
        refused = 0
    }
}
