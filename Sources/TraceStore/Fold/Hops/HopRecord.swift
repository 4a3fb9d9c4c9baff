import TaskEvents

/// One hop of a task, or the sum of its forgotten hops. A task's hops form a ring, with the sum before them.
struct HopRecord: BitwiseCopyable {
    var at: UInt64
    /// The wait in the queue in nanoseconds, all ones while it is unknown. For inline hops and for the sum, the number of hops instead. The
    /// last two bits hold the manner.
    var waitAndManner: UInt64
    var next: Int32 = -1
    var from: UInt16
    var to: UInt16

    init(at: UInt64, from: UInt16, to: UInt16, manner: HopManner, count: UInt64) {
        self.at = at
        self.from = from
        self.to = to
        waitAndManner = (manner == .inline ? count << 2 : ~3) | UInt64(manner.rawValue)
    }

    /// The sum of forgotten hops. No hop is before it, whatever its time.
    init(forgotten count: UInt64, next: Int32) {
        (at, from, to, self.next) = (0, 0, 0, next)
        waitAndManner = min(count, .max >> 2) << 2 | Self.sumManner
    }

    /// A hop's manner is never `left`.
    private static var sumManner: UInt64 { UInt64(HopManner.left.rawValue) }

    var isSum: Bool { waitAndManner & 3 == Self.sumManner }

    var count: UInt64 { manner == .inline || isSum ? max(1, waitAndManner >> 2) : 1 }

    var manner: HopManner { HopManner(rawValue: UInt8(waitAndManner & 3)) ?? .dispatched }

    var wait: UInt64? {
        get { waitAndManner >> 2 == ~0 >> 2 || manner == .inline || isSum ? nil : waitAndManner >> 2 }
        set {
            guard manner != .inline, !isSum else { return }
            waitAndManner = (newValue ?? ~0) << 2 | waitAndManner & 3
        }
    }
}

/// The hops in a task's record: the last record of their ring, or a single hop in short form.
///
/// Most tasks hop once, just before their only wait in a queue. After that wait, the task's record implies everything about the hop except
/// its origin and its time, so the hop needs no record.
struct TaskHops: BitwiseCopyable {
    /// The ring's last record, or -1 for no hops. In short form, from the sign bit on: the executor of origin, whether the depth guard
    /// caused the hop, and the lead, which is the time from the hop to the enqueueing.
    private var bits: Int32 = -1

    private static var leadBits: UInt32 { 14 }
    private static var guardBit: UInt32 { 1 << leadBits }

    init() {}

    init(last: Int32) {
        bits = last
    }

    /// -1 if the task has no ring.
    var last: Int32 { bits < 0 ? -1 : bits }

    var isShort: Bool { bits < -1 }

    /// The short form of a hop to the task's executor that waited from `queued` until the body began; nil if the short form cannot hold it.
    init?(_ hop: HopRecord, queued: UInt64) {
        // The greatest lead is excluded, because its bits could equal -1, which stands for no hops.
        guard hop.manner != .inline, hop.at <= queued, queued - hop.at < UInt64(Self.guardBit - 1) else { return nil }
        let isGuarded = hop.manner == .depthGuard ? Self.guardBit : 0
        bits = Int32(bitPattern: 1 << 31 | UInt32(hop.from) << (Self.leadBits + 1) | isGuarded | UInt32(queued - hop.at))
    }

    /// The record that the short form stands for.
    func record(to executor: UInt16, queued: UInt64, started: UInt64) -> HopRecord {
        let bits = UInt32(bitPattern: bits)
        var record = HopRecord(
            at: queued - UInt64(bits & (Self.guardBit - 1)), from: UInt16(truncatingIfNeeded: bits >> (Self.leadBits + 1)), to: executor,
            manner: bits & Self.guardBit != 0 ? .depthGuard : .dispatched, count: 1)
        record.wait = started - queued
        return record
    }
}
