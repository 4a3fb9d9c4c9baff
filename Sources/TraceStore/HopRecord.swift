import TaskEvents

/// A hop of a task, in a ring with its others.
struct HopRecord: BitwiseCopyable {
    var at: UInt64
    /// Nanoseconds of waiting in the queue, all ones while that is not known, or of inline hops how many they are; the manner in the last
    /// two bits.
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

    var count: UInt64 { manner == .inline ? max(1, waitAndManner >> 2) : 1 }

    var manner: HopManner { HopManner(rawValue: UInt8(waitAndManner & 3)) ?? .dispatched }

    var wait: UInt64? {
        get { waitAndManner >> 2 == ~0 >> 2 || manner == .inline ? nil : waitAndManner >> 2 }
        set {
            guard manner != .inline else { return }
            waitAndManner = (newValue ?? ~0) << 2 | waitAndManner & 3
        }
    }
}

/// What a task's record knows of its hops: the last of their ring, or the only one in short.
///
/// Most tasks hop once, just before their only wait in a queue. Once that is over, nothing of such a hop is news but where it came from and
/// when, so that it needs no record.
struct TaskHops: BitwiseCopyable {
    /// The ring's last record, -1 for none; of a hop in short, from the sign on, where it came from, whether its depth put it there, and
    /// its lead.
    private var bits: Int32 = -1

    private static var leadBits: UInt32 { 14 }
    private static var guardBit: UInt32 { 1 << leadBits }

    init() {}

    init(last: Int32) {
        bits = last
    }

    /// -1 if there is no ring.
    var last: Int32 { bits < 0 ? -1 : bits }

    var isShort: Bool { bits < -1 }

    /// A hop to the task's executor whose wait went from `queued` to the body's beginning; nil if there is more to say of it.
    init?(_ hop: HopRecord, queued: UInt64) {
        // The greatest would stand for no hop at all.
        guard hop.manner != .inline, hop.at <= queued, queued - hop.at < UInt64(Self.guardBit - 1) else { return nil }
        let isGuarded = hop.manner == .depthGuard ? Self.guardBit : 0
        bits = Int32(bitPattern: 1 << 31 | UInt32(hop.from) << (Self.leadBits + 1) | isGuarded | UInt32(queued - hop.at))
    }

    /// What a hop in short stands for.
    func record(to executor: UInt16, queued: UInt64, started: UInt64) -> HopRecord {
        let bits = UInt32(bitPattern: bits)
        var record = HopRecord(
            at: queued - UInt64(bits & (Self.guardBit - 1)), from: UInt16(truncatingIfNeeded: bits >> (Self.leadBits + 1)), to: executor,
            manner: bits & Self.guardBit != 0 ? .depthGuard : .dispatched, count: 1)
        record.wait = started - queued
        return record
    }
}
