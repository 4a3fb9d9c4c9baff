/// Converts the ticks of a processor's counter to nanoseconds from a trace's start, by anchors: the counter and the monotonic clock, read
/// together.
///
/// The counter's rate as it was measured at the start is some millionths off, and the system corrects the monotonic clock's own rate, so
/// with one rate the times of an hour drift by milliseconds. An anchor gives the ticks before it that no caller has asked for times on a
/// straight line to the anchor, and the ticks after it the rate measured last. A time that a caller has been told stays, and times never
/// go back.
package struct CounterClock: Sendable {
    /// The counter and the monotonic clock at one moment.
    package struct Anchor: Sendable {
        package var ticks: UInt64
        package var monotonic: UInt64

        package init(ticks: UInt64, monotonic: UInt64) {
            (self.ticks, self.monotonic) = (ticks, monotonic)
        }
    }

    /// Ticks from one on that follow one straight line.
    private struct Piece {
        let tick: UInt64
        let time: UInt64
        /// Nanoseconds per tick.
        let rate: Double

        /// At most 73 years after the piece's start: a damaged record can have any tick.
        func time(of other: UInt64) -> UInt64 { time &+ UInt64(min(Double(other - tick) * rate, 0x1p61)) }
    }

    private var pieces: [Piece]
    private var last: Anchor
    /// The trace's time less the monotonic clock's.
    private var offset: UInt64
    /// The latest tick whose time has been told.
    private var told: UInt64
    /// Nanoseconds per tick, as measured at the start.
    private let nominal: Double
    /// An anchor before this tick changes nothing.
    package private(set) var due: UInt64

    /// Anchors are this far apart, and closer at first.
    private static let interval = 100_000_000.0
    private static let shortest = 1_000_000.0
    /// The most by which a counter's rate differs from the measured one. The system corrects the monotonic clock by up to 1 in 2,000.
    private static let tolerance = 1.0 / 512
    /// Two clocks that are not read at the very same moment differ by up to this many nanoseconds.
    private static let readingError = 5000.0
    /// By how much times may run fast or slow to meet the monotonic clock's.
    private static let steering = 1.0 / 64
    /// Older pieces are joined when there are more.
    private static let mostPieces = 1024

    /// - Parameters:
    ///   - start: the trace's start.
    ///   - ticksPerSecond: as measured at the start; greater than 0.
    package init(start: Anchor, ticksPerSecond: UInt64) {
        nominal = 1e9 / Double(ticksPerSecond)
        pieces = [Piece(tick: start.ticks, time: 0, rate: nominal)]
        last = start
        offset = 0 &- start.monotonic
        told = start.ticks
        due = start.ticks &+ UInt64(Self.shortest / nominal)
    }

    /// Nanoseconds from the trace's start; 0 for a tick before it.
    package mutating func nanoseconds(atTick tick: UInt64) -> UInt64 {
        told = max(told, tick)
        return time(of: tick)
    }

    /// Takes an anchor. Ignores one that comes before it is due, and one that no clock can show: then the monotonic clock stood while the
    /// machine was suspended, or counts from another moment than it did for the trace's writer.
    package mutating func add(_ anchor: Anchor) {
        guard anchor.ticks >= due, anchor.ticks > last.ticks else { return }
        let ticks = Double(anchor.ticks - last.ticks)
        let passed = Double(Int64(bitPattern: anchor.monotonic &- last.monotonic))
        let rate = passed / ticks
        let next = min(max(passed, Self.shortest), Self.interval)
        defer {
            last = anchor
            due = anchor.ticks &+ UInt64(next / nominal)
        }
        guard abs(passed - ticks * nominal) <= ticks * nominal * Self.tolerance + Self.readingError else {
            offset = time(of: anchor.ticks) &- anchor.monotonic
            return
        }
        let wanted = anchor.monotonic &+ offset
        let free = max(told, last.ticks)
        if anchor.ticks > free { turn(at: free, toward: wanted, at: anchor.ticks) }
        let behind = Double(Int64(bitPattern: wanted &- time(of: anchor.ticks)))
        append(Piece(tick: anchor.ticks, time: time(of: anchor.ticks), rate: steered(rate + behind * nominal / next)))
    }

    /// Lets ticks from one on lead to a time as directly as they may.
    private mutating func turn(at tick: UInt64, toward wanted: UInt64, at end: UInt64) {
        let time = time(of: tick)
        append(Piece(tick: tick, time: time, rate: steered(Double(Int64(bitPattern: wanted &- time)) / Double(end - tick))))
    }

    private func steered(_ rate: Double) -> Double {
        min(max(rate, nominal * (1 - Self.steering)), nominal * (1 + Self.steering))
    }

    private mutating func append(_ piece: Piece) {
        if pieces[pieces.count - 1].tick == piece.tick { pieces.removeLast() }
        pieces.append(piece)
        guard pieces.count > Self.mostPieces else { return }
        var joined: [Piece] = []
        for first in stride(from: 0, to: Self.mostPieces / 2, by: 2) {
            let (piece, end) = (pieces[first], pieces[first + 2])
            let rate = Double(end.time - piece.time) / Double(end.tick - piece.tick)
            joined.append(Piece(tick: piece.tick, time: piece.time, rate: rate))
        }
        pieces.replaceSubrange(..<(Self.mostPieces / 2), with: joined)
    }

    private func time(of tick: UInt64) -> UInt64 {
        guard tick > pieces[0].tick else { return 0 }
        // Nearly all ticks are in the last pieces.
        var index = pieces.count - 1
        var step = 1
        while pieces[index].tick > tick {
            index = max(index - step, 0)
            step *= 2
        }
        while index + 1 < pieces.count, pieces[index + 1].tick <= tick { index += 1 }
        return pieces[index].time(of: tick)
    }
}
