import TaskEvents
import TraceFile
import TraceTransport

/// The intervals at which a thread drains lanes.
///
/// The thread reads again at once while more events are waiting, every millisecond while events come, and every four milliseconds when
/// there are none. A lane of the default length holds what the fastest writer emits in five milliseconds.
struct LanePump {
    private static let shortestPause: UInt64 = 1_000_000
    private static let longestPause: UInt64 = 4_000_000
    /// A round with this many events has probably left some behind.
    private static let fullRound = 16_384

    private var merger: LaneMerger
    private let alarm: Alarm
    private var pause = shortestPause
    /// The number of rounds without events since the last round with events.
    private var quietRounds = 0

    init(source: any LaneSource, alarm: Alarm) {
        merger = LaneMerger(source: source)
        self.alarm = alarm
    }

    /// Rounds of about a tenth of a second in total, or slightly more.
    private static let quietLimit = 30

    /// Passes new events to `handOut`, or an empty batch each time that no events have come for a while. Then waits until the next round is
    /// due or the alarm rings.
    mutating func turn(_ handOut: (TraceBatch) throws -> Void) rethrows {
        let batch = merger.round()
        pause = batch.isEmpty ? min(pause * 2, Self.longestPause) : Self.shortestPause
        quietRounds = batch.isEmpty ? quietRounds + 1 : 0
        if !batch.isEmpty || quietRounds.isMultiple(of: Self.quietLimit) { try handOut(batch) }
        if batch.events.count < Self.fullRound { alarm.wait(nanoseconds: pause) }
    }

    /// Waits without reading. The caller uses it while its queue is full.
    func rest() {
        alarm.wait(nanoseconds: Self.shortestPause)
    }

    /// Passes everything that was emitted before the call to `handOut`.
    mutating func finish(_ handOut: (TraceBatch) throws -> Void) rethrows {
        try merger.drain { batch in
            if !batch.isEmpty { try handOut(batch) }
        }
    }
}
