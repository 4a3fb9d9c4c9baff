import TaskEvents
import TraceFile
import TraceTransport

/// The rhythm at which a thread drains lanes.
///
/// Every millisecond while events come, at once while there are more, and down to every fourth when there are none: a lane of the usual
/// length holds what the fastest writer emits in five.
struct LanePump {
    private static let shortestPause: UInt64 = 1_000_000
    private static let longestPause: UInt64 = 4_000_000
    /// A round of that many events is likely to have left some behind.
    private static let fullRound = 16_384

    private var merger: LaneMerger
    private let alarm: Alarm
    private var pause = shortestPause
    /// Rounds without events since the last one with.
    private var quietRounds = 0

    init(source: any LaneSource, alarm: Alarm) {
        merger = LaneMerger(source: source)
        self.alarm = alarm
    }

    /// A tenth of a second, or a little more.
    private static let quietLimit = 30

    /// Hands out what has come, an empty batch when it has been quiet for a while, and then waits until it is worth looking again or the
    /// alarm rings.
    mutating func turn(_ handOut: (TraceBatch) throws -> Void) rethrows {
        let batch = merger.round()
        pause = batch.isEmpty ? min(pause * 2, Self.longestPause) : Self.shortestPause
        quietRounds = batch.isEmpty ? quietRounds + 1 : 0
        if !batch.isEmpty || quietRounds == Self.quietLimit { try handOut(batch) }
        if batch.events.count < Self.fullRound { alarm.wait(nanoseconds: pause) }
    }

    /// Waits without reading, while the queue is full.
    func rest() {
        alarm.wait(nanoseconds: Self.shortestPause)
    }

    /// Hands out everything that was emitted before the call.
    mutating func finish(_ handOut: (TraceBatch) throws -> Void) rethrows {
        try merger.drain { batch in
            if !batch.isEmpty { try handOut(batch) }
        }
    }
}
