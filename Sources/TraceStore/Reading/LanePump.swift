import TaskEvents
import TraceTransport

/// The pauses between two rounds of a thread that drains lanes, in nanoseconds.
package struct DrainPace: Hashable, Sendable {
    /// The pause while many events come.
    let shortest: UInt64
    /// The pause when few come, or none.
    let longest: UInt64
    /// After a round with fewer events, the pause doubles.
    let few: Int
    /// After a round with more events, the pause is the shortest.
    let many: Int

    /// For a reader that shows events at once. A lane of the default length holds what the fastest writer emits in five milliseconds.
    package static let prompt = DrainPace(shortest: 1_000_000, longest: 4_000_000, few: 1, many: 0)
    /// For a reader that runs beside a server all the time, where each wake-up counts. A lane holds 131,072 events, so a thread can emit
    /// 6.5 million a second while many events come, and 1.3 million a second after a quiet time.
    package static let sparing = DrainPace(shortest: 20_000_000, longest: 100_000_000, few: 8192, many: 16_384)

    /// The pause after a round with that number of events, which followed a pause of `pause`.
    func pause(after pause: UInt64, events: Int) -> UInt64 {
        if events > many { return shortest }
        return events < few ? min(pause * 2, longest) : pause
    }
}

/// The intervals at which a thread drains lanes. The thread reads again at once while more events are waiting.
struct LanePump {
    private let pace: DrainPace
    /// A round with this many events has probably left some behind.
    private static let fullRound = 16_384

    private var merger: LaneMerger
    private let alarm: Alarm
    private var pause: UInt64
    /// The number of rounds without events since the last round with events.
    private var quietRounds = 0

    init(source: any LaneSource, alarm: Alarm, pace: DrainPace) {
        merger = LaneMerger(source: source)
        self.alarm = alarm
        self.pace = pace
        pause = pace.shortest
    }

    /// Rounds of about a tenth of a second in total, or slightly more.
    private var quietLimit: Int { Int(120_000_000 / pace.longest) }

    /// Passes new events to `handOut`, or an empty batch each time that no events have come for a while. Then waits until the next round is
    /// due or the alarm rings.
    mutating func turn(_ handOut: (TraceBatch) throws -> Void) rethrows {
        let batch = merger.round()
        pause = pace.pause(after: pause, events: batch.events.count)
        quietRounds = batch.isEmpty ? quietRounds + 1 : 0
        if !batch.isEmpty || quietRounds.isMultiple(of: quietLimit) { try handOut(batch) }
        if batch.events.count < Self.fullRound { alarm.wait(nanoseconds: pause) }
    }

    /// Waits without reading. The caller uses it while its queue is full.
    func rest() {
        alarm.wait(nanoseconds: pace.shortest)
    }

    /// Passes everything that was emitted before the call to `handOut`.
    mutating func finish(_ handOut: (TraceBatch) throws -> Void) rethrows {
        try merger.drain { batch in
            if !batch.isEmpty { try handOut(batch) }
        }
    }
}
